// What happens to the device itself: it loses power, is pulled out, or isolated for a machine.
#pragma once

#include "conformance/host/run/scenario_run.h"

namespace wddm::host {

/// Everything leaves memory, power goes and comes back, and what was pinned is written anew. The
/// driver has SetPowerState.
void power_cycle(ScenarioRun& run, const Op& op);
/// The driver is told that the device is gone, which then ends with all that was made on it.
void surprise_remove(ScenarioRun& run, const Op& op);
/// The device is quiet for a time in which its IOMMU domain could change. False if the driver
/// refuses one of both calls, or there is nothing to call any more.
[[nodiscard]] bool exclusive_access(ScenarioRun& run, std::uint32_t milliseconds);
/// A secure virtual machine is to have the device. The driver has SetVirtualMachineData, and, where
/// it can be isolated, what that takes.
void secure_machine(ScenarioRun& run);

}  // namespace wddm::host
