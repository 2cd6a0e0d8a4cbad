// Power of the whole adapter, as SetPowerState tells a driver of it. That of its parts is
// component_states.h.
#pragma once

#include "conformance/host/interposer.h"

namespace wddm::host {

struct World;

class AdapterPower {
 public:
  explicit AdapterPower(World& world) : world_(world) {}
  /// Power is cut off in D3 alone.
  void down(DEVICE_POWER_STATE state, POWER_ACTION why);
  /// What the reason says then no driver may rely on: it is never the one that power went for.
  void up();

 private:
  void set(DEVICE_POWER_STATE state, POWER_ACTION why);

  World& world_;
  POWER_ACTION went_for_ = PowerActionNone;
};

}  // namespace wddm::host
