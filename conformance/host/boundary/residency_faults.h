// Faults of our own host about what devices require and what stays in memory for them: of the
// clauses RES.
#pragma once

#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

/// Null if the fault is about something else.
[[nodiscard]] std::unique_ptr<DecisionSeat> residency_fault(OracleFault fault);

}  // namespace wddm::host
