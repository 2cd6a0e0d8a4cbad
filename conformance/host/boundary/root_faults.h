// Seeded faults of what the host tells contexts of their roots, and of what a root of another size
// begins with.
#pragma once

#include <memory>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

/// Null if it is none of them.
[[nodiscard]] std::unique_ptr<DecisionSeat> root_fault(OracleFault fault);

}  // namespace wddm::host
