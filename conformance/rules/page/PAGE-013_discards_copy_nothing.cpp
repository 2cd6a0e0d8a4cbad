// PAGE-013: DiscardContent leaves all memory but the allocation's as it is.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_013 {
namespace {

// That it succeeds is PAGE-002.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement,
                     "memory is as before a DiscardContent, but for what is discarded",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_DISCARD_CONTENT;
                     });
}

// A driver that clears what its hardware keeps of the surface, from a table that is one page off.
class ClearsTheNext final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation != DXGK_OPERATION_DISCARD_CONTENT) {
      return Interposer::BuildPagingBuffer(adapter, build);
    }
    DXGKARG_BUILDPAGINGBUFFER clear = *build;
    clear.Operation = DXGK_OPERATION_FILL;
    clear.Fill = {};
    clear.Fill.hAllocation = build->DiscardContent.hAllocation;
    clear.Fill.FillSize = PAGE_SIZE;
    clear.Fill.Destination.SegmentId = build->DiscardContent.SegmentId;
    clear.Fill.Destination.SegmentAddress = build->DiscardContent.SegmentAddress;
    clear.Fill.Destination.SegmentAddress.QuadPart += PAGE_SIZE;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, &clear);
    build->pDmaBuffer = clear.pDmaBuffer;
    build->pDmaBufferPrivateData = clear.pDmaBufferPrivateData;
    return status;
  }
};

const Rule kRule{
    .id = "PAGE-013",
    .title = "DiscardContent copies nothing",
    .evidence = Evidence::Memory,
    .rule =
        "DiscardContent says that an allocation leaves its place in a memory segment and is not "
        "saved. Nothing of it comes into system memory, and what else the segment holds, then and "
        "from then on, is not touched for its sake.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Discard content\n"
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # DiscardContent",
    .note =
        "What the allocation itself holds afterwards is anybody's. What a driver keeps of the old "
        "place beyond the operation shows in the next owner's contents, by the clauses of what "
        "that runs.",
    .applies = paging_of_memory_segments,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: one of three neighbours is discarded, its place is given to another, and all are compared
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- create_allocation: {allocation: 2, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 0, pattern: 0x11111111}
- fill_memory: {allocation: 1, pattern: 0x22222222}
- fill_memory: {allocation: 2, pattern: 0x33333333}
- idle
- discard: {allocation: 1}
- idle
- discard: {allocation: 0}
- evict: {allocation: 0}
- create_allocation: {allocation: 3, place: local}
- make_resident: {allocation: 3}
- fill_memory: {allocation: 3, pattern: 0x44444444}
- idle
)",
    .control = R"(
about: allocations leave their places with what they hold
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x11111111}
- fill_memory: {allocation: 1, pattern: 0x22222222}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "the page behind the place that is discarded is cleared",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClearsTheNext); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_013
