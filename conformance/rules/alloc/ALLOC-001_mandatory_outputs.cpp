// ALLOC-001: CreateAllocation fills in what it must.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/rule.h"

namespace wddm::alloc_001 {
namespace {

// Of the allocations of a resource the smallest Size is told; of their handles ALLOC-009.
void check_groups(const Trace& trace, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::AllocationGroup>()) {
    const auto group = trace.at<ev::AllocationGroup>(index);
    if (!NT_SUCCESS(static_cast<NTSTATUS>(group.status))) continue;
    if (group.described != group.count) continue;
    judgement.reached(index);
    if (group.size != 0) continue;
    judgement.fail(index, "Size greater than 0",
                   "0 in one of " + std::to_string(group.count) + " allocations of a resource");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_groups(trace, judgement);
  for (const std::uint32_t index : trace.of<ev::AllocationCreated>()) {
    const auto created = trace.at<ev::AllocationCreated>(index);
    judgement.reached(index);
    if (created.has_handle == 0) judgement.fail(index, "hAllocation is not NULL", "NULL");
    if (created.size == 0) judgement.fail(index, "Size greater than 0", "0");
    if (created.priority == 0) {
      judgement.fail(index, "AllocationPriority is not 0 (D3DDDI_ALLOCATIONPRIORITY_NORMAL)", "0");
    }
    if (created.pitch_size != 0 && created.pitch_size < created.size) {
      judgement.fail(
          index, "PitchAlignedSize is 0 or at least Size",
          std::to_string(created.pitch_size) + " below Size " + std::to_string(created.size));
    }
  }
}

// A driver that leaves AllocationPriority at 0.
void leave_priority_out(DXGK_ALLOCATIONINFO& info) {
  info.AllocationPriority = 0;
}

const Rule kRule{.id = "ALLOC-001",
                 .title = "Mandatory outputs of DxgkDdiCreateAllocation",
                 .rule =
                     "For each allocation that CreateAllocation made, hAllocation is not NULL, "
                     "Size is greater than 0, AllocationPriority is not 0, and PitchAlignedSize "
                     "is 0 or at least Size.",
                 .sources =
                     "ns-d3dkmddi-_dxgk_allocationinfo.md # hAllocation, Size, PitchAlignedSize, "
                     "AllocationPriority",
                 .applies = paging,
                 .check = check,
                 .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
                 .scenario = R"(
about: a texture, a staging surface and one that may live anywhere
ops:
- create_allocation: {allocation: 0, place: local}
- create_allocation: {allocation: 1, place: aperture, cpu_visible: true}
- create_allocation: {allocation: 2}
)",
                 .control = R"(
about: the smallest allocation in a local segment, several at once, and a surface that Dxgkrnl describes
ops:
- create_allocation: {allocation: 0, place: local}
- requery: {allocations: 3}
- requery: {allocations: 1, standard: 3}
# The primary, where there are displays.
- requery: {allocations: 1, standard: 1}
)",
                 .fault = {.about = "AllocationPriority is left 0",
                           .interposer = alters_allocations<leave_priority_out>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_001
