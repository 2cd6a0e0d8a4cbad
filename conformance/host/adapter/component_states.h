// Power components of the adapter, as Dxgkrnl knows them: how often each is in use, and what became
// of its last change of state. Whoever changes states waits for those that the driver completes.
#pragma once

#include "conformance/host/adapter/adapter.h"
#include "reference/trace/ddi.h"

namespace wddm::host {

/// DXGKQAITYPE_NUMPOWERCOMPONENTS; 0 where it is refused, and no more than there may be.
[[nodiscard]] UINT power_component_count(const Adapter& adapter);

/// The adapter is about to start: all components are idle and in F0.
void begin_power_components();
/// DxgkCbSetPowerComponentActive, SetPowerComponentIdle or CompleteFStateTransition.
void power_component_called(CallbackId callback, UINT component);

struct ComponentChanges {
  std::uint32_t times = 1;
  bool together = false;
  bool invalid = false;
  bool rest = false;  ///< until the next start let_components_rest() does something
};
/// Null, or why there is nothing to change. The GPU is idle.
[[nodiscard]] const char* change_component_states(const Adapter& adapter,
                                                  const ComponentChanges& changes);

/// The adapter is about to be stopped or to lose power, and the GPU has nothing to do. Each
/// component goes to its deepest state, if the driver leaves that to Windows: one that has called
/// SetPowerComponentActive may do so again at any time, and count on F0 then.
void let_components_rest(const Adapter& adapter);
/// Power has come back: they go to F0.
void wake_components(const Adapter& adapter);

}  // namespace wddm::host
