// Faults of our own host about linked adapters: of the clauses LDA.
#pragma once

#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

/// Null if the fault is about something else.
[[nodiscard]] std::unique_ptr<DecisionSeat> link_fault(OracleFault fault);

}  // namespace wddm::host
