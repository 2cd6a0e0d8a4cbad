// Which allocations of scenarios a call of DestroyAllocation ends: its object, and what is listed
// with it, in the slots right behind.
#pragma once

#include <algorithm>
#include <cstdint>

#include "reference/trace/ddi.h"
#include "reference/trace/trace.h"

namespace wddm {

/// Slots from the first up to the end; none of a call for allocations in no slot.
struct DestroyedAllocations {
  std::uint32_t first = kNone, end = kNone;
  [[nodiscard]] bool contains(std::uint32_t allocation) const {
    return allocation >= first && allocation < end;
  }
};

[[nodiscard]] inline bool destroys_allocations(std::uint32_t ddi) {
  return static_cast<DdiId>(ddi) == DdiId::DestroyAllocation;
}

/// `entered`: the DdiEntered of such a call. A lying trace may say any number of them.
[[nodiscard]] inline DestroyedAllocations destroyed_by(const Trace& trace, std::uint32_t entered) {
  constexpr std::uint32_t kMostTogether = 256;
  const std::uint32_t first = trace.at<ev::DdiEntered>(entered).object;
  if (first >= kNone - kMostTogether) return {};
  const auto call = trace.blob<ddi_arguments::DestroyAllocation>(trace.events()[entered]);
  const std::uint32_t count = call.empty() ? 1 : call.front().allocations;
  return {first, first + std::clamp(count, 1u, kMostTogether)};
}

}  // namespace wddm
