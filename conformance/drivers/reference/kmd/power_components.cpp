#include "power_components.h"

#include "dxgkrnl.h"
#include "segment_layout.h"

namespace reference_kmd {

namespace {

constexpr UINT kStates = 3;
// Latency and residency in 100 ns, power in microwatts.
constexpr DXGK_POWER_RUNTIME_STATE kFStates[kStates] = {
    {0, 0, 900000}, {1000, 20000, 200000}, {50000, 1000000, 1000}};
constexpr char kNames[PowerComponents::kMost][8] = {"render", "copy", "memory"};
static_assert(HW_NODE_COUNT == 2, "a name for each engine");

// Of the engines the last, so that there are both kinds.
bool completes_itself(UINT component) {
  return component == HW_NODE_COUNT - 1;
}

// A GPU without memory of its own has its aperture.
UINT memory_segment() {
  const UINT local = segment_id(UMD_SEGMENT_LOCAL);
  return local != 0 ? local : segment_id(UMD_SEGMENT_APERTURE);
}

}  // namespace

void PowerComponents::configure(UINT count) {
  count_ = min(count, kMost);
  for (UINT& state : states_) state = 0;
}

NTSTATUS PowerComponents::describe(UINT component,
                                   DXGK_POWER_RUNTIME_COMPONENT* description) const {
  if (component >= count_) return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(description, sizeof *description);
  description->StateCount = kStates;
  for (UINT state = 0; state < kStates; ++state) description->States[state] = kFStates[state];
  if (component < HW_NODE_COUNT) {
    description->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_ENGINE;
    description->ComponentMapping.EngineDesc.NodeIndex = component;
  } else {
    description->ComponentMapping.ComponentType = DXGK_POWER_COMPONENT_MEMORY;
    description->ComponentMapping.MemoryDesc.SegmentID = memory_segment();
  }
  description->Flags.DriverCompletesFStateTransition = completes_itself(component);
  // Numbers of this driver's own, one for each component.
  description->ComponentGuid.Data1 = 0x7265664b;
  description->ComponentGuid.Data2 = static_cast<USHORT>(component);
  RtlCopyMemory(description->ComponentName, kNames[component], sizeof kNames[component]);
  return STATUS_SUCCESS;
}

NTSTATUS PowerComponents::set_state(Dxgkrnl& dxgkrnl, UINT component, UINT state) {
  if (component >= count_ || state >= kStates) return STATUS_INVALID_PARAMETER;
  states_[component] = state;
  if (completes_itself(component)) dxgkrnl.complete_f_state(component);
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
