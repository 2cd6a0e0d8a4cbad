// PAGE-008: TransferStart in a later call of an operation begins no new transfer.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"

namespace wddm::page_008 {
namespace {

// DXGK_TRANSFERFLAGS.
constexpr std::uint32_t kTransferStart = 1u << 3;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  page::judge_memory(
      trace, judgement,
      "a transfer whose TransferStart has come more than once is one transfer, and all of it",
      [](const page::CheckedOperation& operation) {
        return operation.done.operation == DXGK_OPERATION_TRANSFER && operation.done.passes > 1 &&
               (operation.arguments.flags & kTransferStart) != 0 && !operation.disturbed;
      });
}

// A driver that keeps a note for each transfer, takes a second TransferStart for that of another,
// and has nothing more to do for the first.
class BeginsAnotherTransfer final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    const bool starts = build->Operation == DXGK_OPERATION_TRANSFER &&
                        build->Transfer.Flags.TransferStart && build->MultipassOffset != 0;
    return starts ? STATUS_SUCCESS : Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PAGE-008",
    .title = "TransferStart may come again within one transfer",
    .evidence = Evidence::Memory,
    .rule =
        "TransferStart says that the first part of an allocation is transferred. Where that part "
        "takes several paging buffers, it is set in each of their calls: these go on with the "
        "transfer that has begun, and begin no other until TransferEnd. Both may be set in one "
        "call.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Transfer\n"
        "ns-d3dkmddi-_dxgk_transferflags.md # TransferStart, TransferEnd",
    .note =
        "Judged is what is transferred. What a driver sets up twice and releases once is left "
        "when the adapter stops (LIFE-004). A driver that goes wrong at any later call fires here "
        "too, beside PAGE-003.",
    .applies = page::by_segments,
    .check = check,
    .scenario = R"(
about: the first part of a transfer, all of one, and one of a single part, each by several buffers
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_allocation: {allocation: 0, pages: 8, place: local}
- create_allocation: {allocation: 1, pages: 8, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
- transfer_chunk: {pages: 4}
- paging_buffer: {measure: needed_minus, bytes: 12, packed: true}
- fill_memory: {allocation: 1, pattern: 0x55667788}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
- paging_buffer: {measure: needed_minus, bytes: 40, packed: true}
- evict: {allocation: 1}
- make_resident: {allocation: 1}
- idle
)",
    .control = R"(
about: each part of a transfer takes one buffer; then one that a reset of the adapter ends between its parts
ops:
- transfer_chunk: {pages: 4}
- create_allocation: {allocation: 0, pages: 8, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
# A reset of the adapter ends one between its parts: another begins behind it.
- await_paging
- fill_memory: {allocation: 0, pattern: 0x22334455}
- idle
- evict: {allocation: 0}
- time_out: {node: 0, adapter: true}
- create_allocation: {allocation: 0, pages: 8, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x55667788}
- evict: {allocation: 0}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "a second TransferStart ends what the first has begun",
              .interposer = [] { return std::unique_ptr<Interposer>(new BeginsAnotherTransfer); },
              .also_fires = "PAGE-003 PAGE-005 PAGE-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_008
