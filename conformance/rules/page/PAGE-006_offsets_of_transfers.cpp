// PAGE-006: TransferOffset applies to the segment side of a Transfer only.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_006 {
namespace {

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(trace, judgement,
                     "the segment side starts at TransferOffset, the MDL side at page MdlOffset",
                     [](const page::CheckedOperation& operation) {
                       return operation.done.operation == DXGK_OPERATION_TRANSFER &&
                              operation.arguments.offset != 0 && !operation.disturbed;
                     });
}

// A driver to which every sub-transfer begins at the start of the allocation.
class IgnoresTransferOffset final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool transfer = build->Operation == DXGK_OPERATION_TRANSFER;
    const UINT offset = transfer ? build->Transfer.TransferOffset : 0;
    if (transfer) build->Transfer.TransferOffset = 0;
    const NTSTATUS status = Interposer::BuildPagingBuffer(adapter, build);
    if (transfer) build->Transfer.TransferOffset = offset;
    return status;
  }
};

const Rule kRule{
    .id = "PAGE-006",
    .title = "Transfer offsets: segment side and MDL side",
    .evidence = Evidence::Memory,
    .rule =
        "In a sub-transfer the segment side starts at SegmentAddress + TransferOffset, where "
        "SegmentAddress "
        "includes the BaseAddress of the segment. The MDL side starts at page MdlOffset of the "
        "MDL, "
        "and TransferOffset is not applied to it.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md # Transfer.TransferOffset, Transfer.MdlOffset, "
        "Transfer.Source.SegmentAddress",
    .note =
        "Public samples disagree with the text: one ignores TransferOffset for segments, one "
        "applies it to "
        "the MDL. The documented rule is used. What an MDL begins with is Windows's choice: here "
        "that of a sub-transfer leaves out some of the pages before it, unless it is converted.",
    .applies = page::by_segments,
    .check = check,
    .scenario = R"(
about: four pages to an aperture, out and in, in two sub-transfers each
ops:
- create_allocation: {allocation: 0, pages: 4, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 8192}
# Its second and third page follow each other in system memory, the third and the fourth do not: a
# driver that moves such pages at once must look behind MdlOffset which do.
- transfer_chunk: {pages: 2}
- map_aperture: {page: 20, pages: 4}
- transfer_places: {source: local, destination: aperture, source_page: 0, page: 20, pages: 4}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: the same in one transfer
ops:
- create_allocation: {allocation: 0, pages: 4, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- cpu_write: {allocation: 0, offset: 8192}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "TransferOffset is ignored",
              .interposer = [] { return std::unique_ptr<Interposer>(new IgnoresTransferOffset); },
              .also_fires = "PAGE-005 PAGE-014"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_006
