// Ids, addresses and counts shared by all oracles.
//
// Each is a type of its own, so that a slot cannot be passed where a segment is meant. Values are
// the documents' own: segment ids count from 1 (0 is "none" or an MDL), nodes and slots from 0.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace wddm {

/// A value that only compares with values of the same meaning.
template <class Tag, class Rep = std::uint32_t>
struct Strong {
  Rep value{};
  friend constexpr auto operator<=>(const Strong&, const Strong&) = default;
};

/// An allocation as the scenario names it: the slot 0..255 of the op that created it.
using AllocationId = Strong<struct AllocationTag>;
/// The NULL handle of an allocation-list entry, and the content of an empty slot.
inline constexpr AllocationId kNoAllocation{~std::uint32_t{0}};
/// `SegmentId` of the DDI: 1-based position in the driver's segment list, 0 = none / system memory.
using SegmentId = Strong<struct SegmentTag>;
/// No segment: not resident.
inline constexpr SegmentId kNoSegment{0};
/// `D3DDDI_PATCHLOCATIONLIST::SlotId`: a row of the slot table.
using SlotId = Strong<struct SlotTag>;
/// A D3D device as the scenario names it, the unit that goes into the error state.
using DeviceId = Strong<struct DeviceTag>;
/// A process that uses the GPU, as the scenario names it. Only drivers with GPU virtual addresses
/// are told of processes.
using ProcessId = Strong<struct ProcessTag>;
/// A GPU context as the scenario names it.
using ContextId = Strong<struct ContextTag>;
/// The context of paging, which has none.
inline constexpr ContextId kNoContext{~std::uint32_t{0}};
/// A packet as traces name it: they count from 0, over starts and resets of the adapter.
using PacketOrdinal = Strong<struct PacketOrdinalTag>;
inline constexpr PacketOrdinal kNoPacket{~std::uint32_t{0}};
/// `SubmissionFenceId` / `PreemptionFenceId`: 32 bits, one sequence per engine.
using FenceId = Strong<struct FenceTag>;
/// `NodeOrdinal` of the DDI.
using NodeId = Strong<struct NodeTag>;

/// One engine: a node of one physical adapter of the link. Source: tdr-changes-in-windows-8,
/// "Engines" and "Engine ordinal value at context creation".
struct EngineId {
  NodeId node{};                       ///< NodeOrdinal.
  std::uint32_t physical_adapter = 0;  ///< EngineOrdinal: 0 on adapters that aren't linked.

  /// EngineAffinity: the one bit of its EngineOrdinal.
  [[nodiscard]] constexpr std::uint32_t affinity() const { return 1u << physical_adapter; }
  friend constexpr auto operator<=>(const EngineId&, const EngineId&) = default;
};

/// The host page, and the unit of segments: 4 KiB (`PAGE_SIZE`).
inline constexpr std::uint64_t kPageSize = 4096;

/// Pages needed for `bytes`, rounded up.
constexpr std::uint64_t pages_of(std::uint64_t bytes) {
  return bytes / kPageSize + (bytes % kPageSize != 0);
}

}  // namespace wddm

template <class Tag, class Rep>
struct std::hash<wddm::Strong<Tag, Rep>> {
  std::size_t operator()(const wddm::Strong<Tag, Rep>& id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
