// What the driver manages the power of: both engines and local video memory. The hardware has no
// gates, so that a state is only what was asked for last.
#pragma once

#include "kmd_driver.h"

namespace reference_kmd {

class Dxgkrnl;

class PowerComponents {
 public:
  static constexpr UINT kMost = HW_NODE_COUNT + 1;

  /// The first `count` of them, all in F0.
  void configure(UINT count);
  UINT count() const { return count_; }
  NTSTATUS describe(UINT component, DXGK_POWER_RUNTIME_COMPONENT* description) const;
  /// Some say themselves when they have come to the state: at once.
  NTSTATUS set_state(Dxgkrnl& dxgkrnl, UINT component, UINT state);

 private:
  UINT count_ = 0;
  UINT states_[kMost] = {};
};

}  // namespace reference_kmd
