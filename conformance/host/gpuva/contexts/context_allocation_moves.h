// Context allocations that move, and what they leave behind.
//
// One whose place the driver is told of: NotifyResidency says that it leaves, a TransferVirtual
// that names it takes its contents to another place, and NotifyResidency says where that is. One
// that is not AccessedPhysically and has addresses is found by them, and nobody is told. The
// memory that it leaves is overwritten and kept from others, and looked at later: who still uses it
// shows (former_place.h). Of one that is evicted the driver is told nothing but that it leaves:
// system memory is no place where engines use it. Those of aperture segments are shown elsewhere
// (context_apertures.h).
#pragma once

#include "conformance/host/gpuva/contexts/context_apertures.h"
#include "conformance/host/gpuva/contexts/context_operations.h"
#include "conformance/host/gpuva/tables/page_table_operations.h"

namespace wddm::host {

class ContextAllocationMoves {
 public:
  ContextAllocationMoves(const PagingScene& scene, AddressSpaces& spaces, TablePlaces& places,
                         PagingQueue& queue, JobWaits& waits, ContextOperations& operations,
                         ContextApertures& apertures)
      : scene_(scene),
        spaces_(spaces),
        places_(places),
        queue_(queue),
        waits_(waits),
        operations_(operations),
        apertures_(apertures) {}

  /// Who writes the entries of what is mapped.
  void use(ContextMappings& mappings) { mappings_ = &mappings; }

  // ---- On the VidMm worker, of one that nothing runs with. Null, or why it stays.
  /// One that is resident goes to another place of its segment.
  [[nodiscard]] const char* move(ContextAllocation& allocation);
  /// ... or to system memory.
  [[nodiscard]] const char* evict(ContextAllocation& allocation);
  /// One that was evicted, to another place than before if there is one: who goes on with that
  /// shows.
  [[nodiscard]] const char* bring_back(ContextAllocation& allocation);

 private:
  /// If it wants to be told.
  NTSTATUS tell(const ContextAllocation& allocation, bool resident);
  /// Takes its contents there, and tells the driver of what leaves a segment and comes to one.
  [[nodiscard]] const char* carry(ContextAllocation& allocation, TablePlace to,
                                  Direction direction);

  PagingScene scene_;
  AddressSpaces& spaces_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  ContextOperations& operations_;
  ContextApertures& apertures_;
  ContextMappings* mappings_ = nullptr;
};

}  // namespace wddm::host
