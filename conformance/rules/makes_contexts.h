// Drivers whose contexts Dxgkrnl makes: others render on their devices.
#pragma once

#include "reference/platform.h"

namespace wddm {

/// That the entry of CreateContext is filled does not say so. GPU virtual addresses belong to
/// contexts.
[[nodiscard]] inline bool makes_contexts(const Platform& platform) {
  return platform.scheduling.multi_engine_aware() || platform.has_virtual_addresses();
}

}  // namespace wddm
