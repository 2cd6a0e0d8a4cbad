// Faults of our own host about GPU virtual addresses: of the clauses VA, PGSZ and VPAGE.
#pragma once

#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

/// Null if the fault is about something else.
[[nodiscard]] std::unique_ptr<DecisionSeat> address_fault(OracleFault fault);

}  // namespace wddm::host
