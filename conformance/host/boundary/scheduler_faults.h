// Faults of our own host about packets: when they run, what is said of them,
// and what becomes of those that do not come back.
#pragma once

#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

/// Null if the fault is about something else.
[[nodiscard]] std::unique_ptr<DecisionSeat> scheduler_fault(OracleFault fault);

}  // namespace wddm::host
