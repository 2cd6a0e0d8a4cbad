// Which addresses of an allocation are written anew when it moves: all of them, in whatever process
// (PT-005, PT-028).
#pragma once

#include <vector>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/allocation_addresses.h"

namespace wddm::host {

[[nodiscard]] inline std::vector<AllocationAddresses::Part> moving_parts(
    const AllocationAddresses& addresses, AllocationId allocation) {
  std::vector<AllocationAddresses::Part> parts = addresses.parts_of(allocation);
  if (!decisions().commits(OracleFault::MoveOneAddress)) return parts;
  // Of each process the highest alone.
  std::vector<AllocationAddresses::Part> highest;
  for (const AllocationAddresses::Part& part : parts) {
    if (!highest.empty() && highest.back().process == part.process) highest.pop_back();
    highest.push_back(part);
  }
  return highest;
}

}  // namespace wddm::host
