// VPAGE-001: a FillVirtual fills exactly its range, which its address alone begins.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "conformance/rules/vpage/across_leaves.h"

namespace wddm::vpage_001 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(
      trace, judgement,
      "FillSizeInBytes bytes from DestinationVirtualAddress on hold FillPattern, no other changes",
      [](const page::CheckedOperation& operation) {
        return operation.done.operation == DXGK_OPERATION_VIRTUAL_FILL;
      });
}

// A driver that counts its way into the allocation from DestinationVirtualAddress on, which stands
// for that place already. The end stays where it is, so that nothing else is reached.
class StartsAtOffset final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_VIRTUAL_FILL) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    auto& fill = build->FillVirtual;
    const auto asked = fill;
    const UINT64 skipped = std::min<UINT64>(fill.AllocationOffsetInBytes, fill.FillSizeInBytes - 4);
    fill.DestinationVirtualAddress += skipped;
    fill.FillSizeInBytes -= skipped;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    fill = asked;
    return status;
  }
};

// clang-format off
#define FILLS_IN_PARTS \
  "- create_allocation: {allocation: 0, pages: 100, place: local}\n" \
  "- make_resident: {allocation: 0}\n" \
  "- create_allocation: {allocation: 1, place: local}\n" \
  "- make_resident: {allocation: 1}\n" \
  "- fill_memory: {allocation: 0, pattern: 0x04030201}\n" \
  "- fill_memory: {allocation: 0, pattern: 0x14131211, offset: 8192, size: 12288}\n" \
  "- fill_memory: {allocation: 0, pattern: 0x24232221, offset: 32768, size: 131072}\n" \
  "- idle\n"
// clang-format on

const Rule kRule{
    .id = "VPAGE-001",
    .title = "FillVirtual fills exactly the given range",
    .evidence = Evidence::Memory,
    .rule =
        "After a FillVirtual has executed, FillSizeInBytes bytes from DestinationVirtualAddress "
        "on, in the address space of the paging process, hold FillPattern repeated, and nothing "
        "else has changed. AllocationOffsetInBytes only tells which part of the allocation lies "
        "there.",
    .sources =
        "ns-d3dkmddi-_dxgk_buildpagingbuffer_fillvirtual.md\n"
        "gpu-segments.md\n"
        "examples.md",
    .note =
        "FillPattern is a UINT, read as a little-endian pattern of 32 bits. That the offset is not "
        "added is said of TransferVirtual alone, and taken to hold here too. The page of the "
        "operations calls both of WDDM 1 only, against all others.",
    .unreached = page::kNoCommandSeen,
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels, Configured::GpuVirtualUpdates,
                  Configured::SmallLeaves},
    .scenario = R"(
about: more pages than are shown to a driver at a time, filled in parts, in one leaf table and across two
ops:
)" FILLS_IN_PARTS WDDM_SHOWS_ACROSS_LEAVES FILLS_IN_PARTS R"(
# Many pages by one operation.
- create_allocation: {allocation: 2, pages: 240, place: local}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 2, pattern: 0x34333231}
- idle
)",
    .control = R"(
about: one page, which begins its allocation
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x04030201}
- idle
)",
    .fault = {.about = "the fill begins AllocationOffsetInBytes behind its address",
              .interposer = [] { return std::unique_ptr<Interposer>(new StartsAtOffset); },
              .also_fires = "PAGE-004 VPAGE-005"}};

#undef FILLS_IN_PARTS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::vpage_001
