// PT-024: a CopyPageTableEntries copies NumRanges ranges, whatever stands behind them.

#include "conformance/host/interposer.h"
#include "conformance/rules/pt/copied_ranges.h"

namespace wddm::pt_024 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    if (copied.decoys == 0) continue;
    judgement.reached(index);
    if (copied.behind == 0) continue;
    judgement.fail(index, "the first " + std::to_string(copied.ranges) + " of pRanges alone",
                   std::to_string(copied.behind) + " entries are those that the one behind names");
  }
}

// A driver that counts from 0 to NumRanges.
class CopiesOneMore final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    ++build->CopyPageTableEntries.NumRanges;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    --build->CopyPageTableEntries.NumRanges;
    return status;
  }
};

const Rule kRule{
    .id = "PT-024",
    .title = "A CopyPageTableEntries copies as many ranges as NumRanges says",
    .evidence = Evidence::Memory,
    .rule =
        "pRanges has NumRanges elements. What stands in memory behind the last of them is not a "
        "range, and is not carried out.",
    .sources = "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md # NumRanges",
    .note =
        "Here an element stands there that would copy an entry beside those of the last range. "
        "It names tables that are mapped, so that a driver which takes it does no other harm. When "
        "all is built the list is the caller's again, and names nothing any more.",
    .applies = pt::copying_and_decoder,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::SmallLeaves, Configured::GpuVirtualUpdates},
    .scenario = pt::kAcrossLeaves,
    .control = R"(
about: nothing is copied
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, pages: 16, place: local}
- make_resident: {allocation: 1}
- idle
)",
    .fault = {.about = "the element behind the last is taken for one more",
              .interposer = [] { return std::unique_ptr<Interposer>(new CopiesOneMore); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_024
