// Pool that the driver has, when nothing of its own is on the way.
#pragma once

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/memory/memory_services.h"

namespace wddm::host {

/// Threads of a driver may give back what calls have left to them.
[[nodiscard]] inline nt::PoolUsage pool_at_rest() {
  nt::settle();
  return nt::pool_usage();
}

}  // namespace wddm::host
