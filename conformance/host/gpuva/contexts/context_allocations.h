// Context allocations: memory that a driver has Dxgkrnl keep for its contexts, and write.
//
// One gets its memory, and InitContextResource, ahead of its first update and of the first root of
// its context; from then on it is resident. Updates: context_updates.h.
//
// It lies in the segment that the driver prefers, else in a memory segment, else in an aperture
// (context_apertures.h). One that the driver wants to be told of (ExplicitResidencyNotification and
// AccessedPhysically; in an aperture the latter alone) can be moved, and evicted while no engine is
// in its context (context_allocation_moves.h). So can one that is not AccessedPhysically and has
// GPU virtual addresses: its entries lead to wherever it is. Others stay where they are, as nothing
// would tell the driver. One that is evicted is updated where it is: the paging process sees system
// memory as well.
//
// Sources: "Context allocation", DXGKARGCB_CREATECONTEXTALLOCATION, DXGKCB_CREATECONTEXTALLOCATION
// # Remarks. Left out: EvictionSegmentSet.
// Addresses in the space of the process: context_mappings.h.
#pragma once

#include <cstdint>
#include <deque>

#include "conformance/host/gpuva/contexts/context_allocation.h"
#include "conformance/host/gpuva/contexts/context_allocation_moves.h"
#include "conformance/host/gpuva/contexts/context_operations.h"
#include "conformance/host/gpuva/contexts/context_updates.h"

namespace wddm::host {

class ContextAllocations {
 public:
  ContextAllocations(const Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                     TablePlaces& places, PagingQueue& queue, JobWaits& waits, Residency& residency,
                     const PredictedMemory& memory);
  ~ContextAllocations();
  ContextAllocations(const ContextAllocations&) = delete;
  ContextAllocations& operator=(const ContextAllocations&) = delete;

  // ---- Callbacks, in the middle of the driver.
  NTSTATUS create(DXGKARGCB_CREATECONTEXTALLOCATION& request);
  NTSTATUS destroy(HANDLE allocation);
  NTSTATUS update(const DXGKARGCB_UPDATECONTEXTALLOCATION& request);
  NTSTATUS map(const DXGKARGCB_MAPCONTEXTALLOCATION& request, D3DGPU_VIRTUAL_ADDRESS* address);
  [[nodiscard]] ContextUpdates& updates() { return updates_; }

  /// Who writes the entries of what is mapped.
  void use(ContextMappings& mappings) {
    mappings_ = &mappings;
    moves_.use(mappings);
  }

  // ---- On the VidMm worker.
  /// It has its memory. Null, or why not.
  const char* provide(ContextAllocation& allocation);
  /// Entries of the process are as drivers have asked for them. Null, or why they are not.
  const char* write_mappings(ProcessId process);
  /// Those of a context that is about to get its first root. Null, or why they cannot be had.
  const char* begin(ContextId context);
  /// Moves those of a context when nothing of it runs any more. Null, or why none was moved.
  const char* move(ContextId context) { return take_elsewhere(context, Elsewhere::InSegment); }
  /// Evicts them to system memory.
  const char* evict(ContextId context);
  /// Before a packet of it: those that were evicted are resident again. Null, or why not all are.
  const char* bring_back(ContextId context);
  /// Before power goes: what would be lost is in system memory.
  void evict_all();
  /// It is back: so is what packets need that nothing is brought back for.
  void restore();
  /// The adapter stops.
  void end();

 private:
  [[nodiscard]] ContextAllocation* named_by(HANDLE handle);
  [[nodiscard]] NTSTATUS take(DXGKARGCB_CREATECONTEXTALLOCATION& request,
                              ContextAllocation& made) const;
  void give_back_ended();
  [[nodiscard]] bool is_of(const ContextAllocation& allocation, ContextId context) const;
  [[nodiscard]] const char* initialize(ContextAllocation& allocation);
  /// No engine is in a context of the device, if the driver lets it leave.
  [[nodiscard]] const char* leave(DeviceId device);
  enum class Elsewhere : std::uint8_t { InSegment, InSystem };
  /// Those that are resident and can be moved. Null, or why none of them goes.
  const char* take_elsewhere(ContextId context, Elsewhere where);

  const Adapter& adapter_;
  PagingScene scene_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  ContextOperations operations_;
  ContextApertures apertures_;
  ContextAllocationMoves moves_;
  ContextMappings* mappings_ = nullptr;
  // By number; used again when its memory is given back.
  std::deque<ContextAllocation> allocations_;
  ContextUpdates updates_;
};

/// Those of the running session, for callbacks.
[[nodiscard]] ContextAllocations& current_context_allocations();

}  // namespace wddm::host
