// PT-023: every range of a CopyPageTableEntries is copied, each between its own two tables.

#include <optional>

#include "conformance/rules/pt/altered_copies.h"
#include "conformance/rules/pt/copied_ranges.h"

namespace wddm::pt_023 {
namespace {

// Ranges between the tables of the first one are PT-017's affair.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  std::optional<pt::CopiedTables> first;  // of the call
  std::uint32_t first_event = kNone;
  for (const std::uint32_t index : trace.of<ev::EntriesCopied>()) {
    const auto copied = trace.at<ev::EntriesCopied>(index);
    const auto where = trace.blob<CopiedFrom>(trace.events()[index]);
    if (copied.level != 0 || where.empty()) continue;
    const pt::CopiedTables tables = pt::tables_of(copied, where.front());
    if (copied.range == 0) {
      first = tables;
      first_event = index;
      continue;
    }
    if (!first || tables == *first || copied.read == 0) continue;
    judgement.reached(index);
    if (copied.unlike == 0) continue;
    judgement.fail(index,
                   "range " + std::to_string(copied.range) + " of " +
                       std::to_string(copied.ranges) +
                       " is copied from its own source table to its own destination",
                   std::to_string(copied.unlike) + " of " + std::to_string(copied.count) +
                       " entries are others",
                   {first_event});
  }
}

// A driver that looks up the tables of the first range alone.
class TakesTheFirstTables final : public pt::AltersCopies {
 private:
  void alter(std::span<DXGK_BUILDPAGINGBUFFER_COPY_RANGE> ranges) override {
    for (auto& range : ranges) {
      range.SrcPageTableAddress = ranges.front().SrcPageTableAddress;
      range.DstPageTableAddress = ranges.front().DstPageTableAddress;
    }
  }
};

const Rule kRule{
    .id = "PT-023",
    .title = "Each range of a CopyPageTableEntries is copied between its own tables",
    .evidence = Evidence::Memory,
    .rule =
        "Every element of pRanges names a source and a destination table of its own. All of them "
        "are copied, whichever tables those before them name.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md # pRanges\n"
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_copy_range.md",
    .note =
        "Which ranges Windows puts into one call no page says: here an update of tile mappings "
        "that crosses from one leaf table into the next has one for each, where both tables are "
        "there. No range reads what another of its call writes, as no page says in which order "
        "they are copied.",
    .applies = pt::copying_and_decoder,
    .check = check,
    .played_in = {Configured::FourLevels, Configured::SmallLeaves, Configured::GpuVirtualUpdates},
    .scenario = pt::kAcrossLeaves,
    .control = pt::kUsedAcrossLeaves,
    .fault = {.about = "the tables of the first range are taken for all",
              .interposer = [] { return std::unique_ptr<Interposer>(new TakesTheFirstTables); },
              .also_fires = "PT-017 VA-009"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::pt_023
