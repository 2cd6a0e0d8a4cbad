// The slots that devices, contexts and allocations lie in: those that a scenario names, and behind
// them those that the host fills itself.
#pragma once

#include <cstdint>

#include "reference/per_id.h"
#include "reference/types.h"

namespace wddm::host {

/// Scenario slots, plus one for the marker allocation that the host itself makes.
inline constexpr std::uint32_t kSlots = 256;
inline constexpr AllocationId kMarkerAllocation{kSlots};
/// Its words of 32 bits, one for each render; after the last comes the first again.
inline constexpr std::uint32_t kMarkerWords = static_cast<std::uint32_t>(kPageSize / 4);

/// Nodes that an op can name.
inline constexpr std::uint32_t kMostNodes = 64;

/// A `Value` for each allocation that there may be, that one included.
template <class Value>
using PerAllocation = PerId<AllocationId, Value, kSlots + 1>;
/// Those of scenarios, a system context for each node, and a paging companion for each of the
/// first.
template <class Value>
using PerContext = PerId<ContextId, Value, 2 * kSlots + kMostNodes>;
/// Those of scenarios, and the system device.
template <class Value>
using PerDevice = PerId<DeviceId, Value, kSlots + 1>;
inline constexpr IdRange<AllocationId> kAllAllocations{0, kSlots + 1};
inline constexpr IdRange<AllocationId> kScenarioAllocations{0, kSlots};
inline constexpr IdRange<ContextId> kAllContexts{0, 2 * kSlots + kMostNodes};
inline constexpr IdRange<ContextId> kSystemContexts{kSlots, kSlots + kMostNodes};
inline constexpr IdRange<DeviceId> kAllDevices{0, kSlots + 1};
/// The paging companion of a context of scenarios, once there is one.
[[nodiscard]] constexpr ContextId companion_of(ContextId context) {
  return ContextId{kSlots + kMostNodes + context.value};
}
[[nodiscard]] constexpr bool is_companion(ContextId context) {
  return context.value >= kSlots + kMostNodes && context != kNoContext;
}
/// With GPU virtual addresses: whose contexts paging runs in.
inline constexpr DeviceId kSystemDevice{kSlots};

/// The one that is there from the start of the adapter on; it owns every allocation.
inline constexpr DeviceId kFirstDevice{0};

}  // namespace wddm::host
