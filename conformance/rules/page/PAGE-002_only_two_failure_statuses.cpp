// PAGE-002: BuildPagingBuffer has two failure statuses.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"

namespace wddm::page_002 {
namespace {

bool may_be_busy(const ev::PagingBuilt& call) {
  return call.idle == 0 && (call.operation == DXGK_OPERATION_TRANSFER ||
                            call.operation == DXGK_OPERATION_DISCARD_CONTENT ||
                            call.operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    const auto call = trace.at<ev::PagingBuilt>(index);
    judgement.reached(index);
    const auto status = static_cast<NTSTATUS>(call.status);
    if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) continue;
    if (status == STATUS_GRAPHICS_ALLOCATION_BUSY && may_be_busy(call)) continue;
    judgement.fail(
        index,
        may_be_busy(call) ? "success, too little space, or a busy allocation"
                          : "success, or too little space",
        "operation " + std::to_string(call.operation) + " returned " + status_name(call.status));
  }
}

// A driver that leaves an operation to its default branch.
class KnowsNoDiscard final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (build->Operation == DXGK_OPERATION_DISCARD_CONTENT) return STATUS_NOT_SUPPORTED;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

const Rule kRule{
    .id = "PAGE-002",
    .aliases = "PAGE-011",
    .title = "Only two failure statuses exist",
    .rule =
        "BuildPagingBuffer returns STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER or, for "
        "Transfer, DiscardContent and SpecialLockTransfer without AllocationIsIdle, "
        "STATUS_GRAPHICS_ALLOCATION_BUSY. Any other value stops the system.",
    .sources =
        "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # returns, Remarks\n"
        "ns-d3dkmddi-_dxgk_transferflags.md # AllocationIsIdle",
    .note =
        "The draft also asked that a successful operation be carried out. What each operation does "
        "to memory is judged by the clauses on that operation. PAGE-011 is that no allocation is "
        "busy once AllocationIsIdle was said; what a driver does to registers before that is judged "
        "by what memory holds.",
    .applies = paging,
    .check = check,
    .scenario = R"(
about: a Discard, the operation that is most easily forgotten; then each operation while no pool allocation succeeds
ops:
- create_allocation: {allocation: 0, pages: 1, place: local}
- make_resident: {allocation: 0}
- discard: {allocation: 0}
- idle
# A driver that takes memory while it builds has no status to say that there is none.
- create_allocation: {allocation: 1, pages: 3, place: local}
- create_allocation: {allocation: 2, pages: 2, place: aperture}
- make_resident: {allocation: 0}
- fail_pool: {kth: 1, every: true}
- make_resident: {allocation: 1}
- fail_pool: {kth: 1, every: true}
- make_resident: {allocation: 2}
- fail_pool: {kth: 1, every: true}
- fill_memory: {allocation: 1, pattern: 0x11223344}
- fail_pool: {kth: 1, every: true}
- map_aperture: {page: 5, pages: 2}
- fail_pool: {kth: 1, every: true}
- evict: {allocation: 1}
- fail_pool: {kth: 1, every: true}
- discard: {allocation: 0}
- fail_pool: {kth: 1, every: true}
- unmap_aperture: {page: 5}
- fail_pool: {kth: 1, every: true}
- idle
)",
    .control = R"(
about: too little space is no failure
ops:
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- create_allocation: {allocation: 0, pages: 4, place: local}
- make_resident: {allocation: 0}
- evict: {allocation: 0}
- idle
)",
    .fault = {.about = "a Discard is answered with STATUS_NOT_SUPPORTED",
              .interposer = [] { return std::unique_ptr<Interposer>(new KnowsNoDiscard); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_002
