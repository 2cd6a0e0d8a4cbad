// Drivers that are asked to preempt below DISPATCH_LEVEL.
#pragma once

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"

namespace wddm::preempt {

[[nodiscard]] inline bool wants_low_irql(const Platform& platform) {
  DXGK_VIDSCHCAPS caps{};
  caps.Value = platform.scheduling.value;
  return platform.wddm2() && caps.LowIrqlPreemptCommand != 0;
}

}  // namespace wddm::preempt
