// ALLOC-011: from WDDM 2.0 on allocation lists name allocations that are accessed physically.

#include "conformance/rules/alloc/altered_allocations.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::alloc_011 {
namespace {

// DXGK_ALLOCATIONINFOFLAGS_WDDM2_0, bit 15.
constexpr std::uint32_t kAccessedPhysically = 1u << 15;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> created;  // the latest AllocationCreated of each
  for (const std::uint32_t index : trace.of_any<ev::AllocationCreated, ev::RenderCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AllocationCreated) {
      created[trace.at<ev::AllocationCreated>(index).allocation] = index;
      continue;
    }
    for (const AllocationRecord& entry : trace.blob<AllocationRecord>(event)) {
      const auto found = created.find(entry.allocation);
      if (entry.allocation == kNone || found == created.end()) continue;
      judgement.reached(index);
      if ((trace.at<ev::AllocationCreated>(found->second).flags & kAccessedPhysically) != 0)
        continue;
      judgement.fail(index, "AccessedPhysically on what an allocation list names",
                     "allocation " + std::to_string(entry.allocation) + " was made without it",
                     {found->second});
      return;
    }
  }
}

// A driver that has kept its flags of WDDM 1.
void keep_old_flags(DXGK_ALLOCATIONINFO& info) {
  info.FlagsWddm2.AccessedPhysically = 0;
}

NotApplicable patch_lists_of_wddm_2(const Platform& platform) {
  if (const NotApplicable reason = patch_lists(platform)) return reason;
  return platform.wddm2() ? nullptr : "before WDDM 2.0 allocations have no AccessedPhysically";
}

const Rule kRule{
    .id = "ALLOC-011",
    .title = "Allocation lists name allocations that are accessed physically",
    .rule =
        "From WDDM 2.0 on the driver sets AccessedPhysically on every allocation that engines "
        "reach "
        "by an allocation list: Windows rejects a submission whose list names another.",
    .sources =
        "gpu-segments.md # Accessing allocations by physical address\n"
        "ns-d3dkmddi-_dxgk_allocationinfoflags_wddm2_0.md # AccessedPhysically",
    .note =
        "Whether a driver is of WDDM 2.0 says the interface version that it was built for, which "
        "also says which form of the flags it writes; WDDMVersion of its capabilities is reserved "
        "from the interface of Windows 7 on, whatever it holds. This host submits such a buffer "
        "all the same, so that the other clauses have something to "
        "judge.",
    .applies = patch_lists_of_wddm_2,
    .check = check,
    .played_in = {Configured::PatchLists2},
    .scenario = R"(
about: one draw
ops:
- create_allocation: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0}
- idle
)",
    .control = R"(
about: an allocation that no list names
ops:
- create_allocation: {allocation: 0}
)",
    .fault = {.about = "AccessedPhysically is left out",
              .interposer = alters_allocations<keep_old_flags>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::alloc_011
