// How far system memory reaches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "conformance/host/memory/layout.h"

namespace wddm::memory {

/// The address of the last byte of system memory.
[[nodiscard]] inline std::uint64_t highest_physical_address() {
  using namespace internal;
  Frame end = 0;
  for (const Zone* zone : kZones) {
    if (zone != &kBar) end = std::max(end, zone->first_frame + zone->pages);
  }
  return (end << kPageShift) - 1;
}

}  // namespace wddm::memory
