// Clocks of the GPU: how precise time stamps are, what CalibrateGpuClock says at two moments, and a
// history buffer without time stamps that is formatted.
#pragma once

#include "conformance/host/adapter/objects/objects.h"

namespace wddm::host {

/// The adapter runs. What the driver does not offer is left out.
void ask_clocks(const Adapter& adapter, const Objects& objects);

}  // namespace wddm::host
