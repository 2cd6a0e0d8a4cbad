// Windows registers a device for power management at run time when it has started, and ends that
// before it stops. The driver hears of both, and what it may ask of power components depends on it.
#pragma once

#include "conformance/host/adapter/adapter.h"

namespace wddm::host {

/// The adapter has started and said what it can. Does nothing to a driver that manages no power.
void begin_power_management(const Adapter& adapter);
/// It is about to stop.
void end_power_management(const Adapter& adapter);

}  // namespace wddm::host
