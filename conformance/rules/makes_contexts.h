// Drivers whose contexts Dxgkrnl makes: others render on their devices.
#pragma once

#include "reference/platform.h"

namespace wddm {

/// That the entry of CreateContext is filled does not say so. GPU virtual addresses belong to
/// contexts. Of a driver that did not tell its capabilities it is not known; contexts are asked of
/// it, as the host does.
[[nodiscard]] inline bool makes_contexts(const Platform& platform) {
  return !platform.has_caps || platform.scheduling.multi_engine_aware() ||
         platform.has_virtual_addresses();
}

}  // namespace wddm
