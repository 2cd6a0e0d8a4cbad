// PAGE-018: ReadPhysical and WritePhysical access the place that they are given.

#include "conformance/host/interposer.h"
#include "conformance/rules/page/operation.h"
#include "reference/is_any_of.h"

namespace wddm::page_018 {
namespace {

bool is_access(std::uint32_t operation) {
  return is_any_of(operation, static_cast<std::uint32_t>(DXGK_OPERATION_READ_PHYSICAL),
                   static_cast<std::uint32_t>(DXGK_OPERATION_WRITE_PHYSICAL));
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::PagingBuilt>()) {
    const auto call = trace.at<ev::PagingBuilt>(index);
    if (!is_access(call.operation) || call.status != 0) continue;
    judgement.reached(index);
    if (call.used != 0 || call.multipass_in != 0) continue;
    judgement.fail(index, "a command for the GPU, since it is to put accesses in order",
                   "STATUS_SUCCESS and an empty buffer");
  }
  page::judge_memory(
      trace, judgement, "nothing changes but what a WritePhysical writes",
      [](const page::CheckedOperation& operation) { return is_access(operation.done.operation); });
}

// A driver that sees no use in them.
class LeavesThemOut final : public Interposer {
 public:
  NTSTATUS BuildPagingBuffer(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* build) override {
    if (is_access(build->Operation)) return STATUS_SUCCESS;
    return Interposer::BuildPagingBuffer(adapter, build);
  }
};

NotApplicable physical_paging(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.has_virtual_addresses() ? "GPU virtual addresses: there is no such operation"
                                          : nullptr;
}

const Rule kRule{
    .id = "PAGE-018",
    .title = "ReadPhysical and WritePhysical access the place that they are given",
    .level = Level::Should,
    .evidence = Evidence::Memory,
    .rule =
        "Each queues an access of the GPU to one to eight bytes at PhysicalAddress in SegmentId, "
        "and is not left out, since it puts accesses of GPU and CPU in order. A read changes "
        "nothing, a write nothing but these bytes.",
    .sources = "nc-d3dkmddi-dxgkddi_buildpagingbuffer.md # Read physical, Write physical",
    .note =
        "The page requests a command in every case, and calls it critical where the CPU reads AGP "
        "memory that the GPU has written. It does not say that it may be left out elsewhere, nor "
        "what is lost then: read as advice. A write may store anything, so what the allocation "
        "holds is not judged after it. That the access reaches its place is seen where it does "
        "not: memory beside it, and NT findings.",
    .applies = physical_paging,
    .check = check,
    .scenario = R"(
about: places in a memory segment and in an aperture, at the ends of what lies there
ops:
- create_allocation: {allocation: 0, pages: 2, place: local}
- create_allocation: {allocation: 1, pages: 2, place: aperture}
- create_allocation: {allocation: 2, pages: 1, place: local}
- make_resident: {allocation: 0}
- make_resident: {allocation: 1}
- make_resident: {allocation: 2}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- fill_memory: {allocation: 2, pattern: 0x55667788}
- cpu_write: {allocation: 1, offset: 4096}
- touch_memory: {allocation: 0, offset: 0}
- touch_memory: {allocation: 0, offset: 8184}
- touch_memory: {allocation: 1, offset: 4096}
- idle
- touch_memory: {allocation: 1, write: true, offset: 0}
- touch_memory: {allocation: 1, write: true, offset: 8184}
- touch_memory: {allocation: 0, write: true, offset: 8184}
- idle
- paging_buffer: {measure: needed_minus, bytes: 4, packed: true}
- touch_memory: {allocation: 2, offset: 16}
- touch_memory: {allocation: 2, write: true, offset: 0}
- idle
)",
    .control = R"(
about: one of each, in a buffer of the size asked for
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- fill_memory: {allocation: 0, pattern: 0x11223344}
- touch_memory: {allocation: 0, offset: 16}
- idle
- touch_memory: {allocation: 0, write: true, offset: 16}
- idle
)",
    .fault = {.about = "both succeed and do nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new LeavesThemOut); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::page_018
