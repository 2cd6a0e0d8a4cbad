// A table of faults and the seats that commit them: what each file of faults has.
#pragma once

#include <memory>
#include <span>

#include "conformance/host/boundary/decision_seat.h"

namespace wddm::host {

template <class Seat>
std::unique_ptr<DecisionSeat> make_seat() {
  return std::make_unique<Seat>();
}

struct FaultSeat {
  OracleFault fault;
  std::unique_ptr<DecisionSeat> (*make)();
};

/// Null if the table has no such fault.
[[nodiscard]] inline std::unique_ptr<DecisionSeat> seat_among(std::span<const FaultSeat> seats,
                                                              OracleFault fault) {
  for (const FaultSeat& seat : seats) {
    if (seat.fault == fault) return seat.make();
  }
  return nullptr;
}

}  // namespace wddm::host
