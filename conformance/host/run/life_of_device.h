// What happens to the device itself: it is pulled out, or isolated.
#pragma once

#include "conformance/host/run/scenario_run.h"

namespace wddm::host {

/// The driver is told that the device is gone, which then ends with all that was made on it.
void surprise_remove(ScenarioRun& run, const Op& op);
/// The device is quiet for a time in which its IOMMU domain could change.
void exclusive_access(ScenarioRun& run, std::uint32_t milliseconds);

}  // namespace wddm::host
