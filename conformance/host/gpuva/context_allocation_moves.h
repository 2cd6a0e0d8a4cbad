// Context allocations that move, and what they leave behind.
//
// One whose place the driver is told of: NotifyResidency says that it leaves, a TransferVirtual
// that names it takes its contents to another place, and NotifyResidency says where that is. The
// memory that it leaves is overwritten and kept from others, and looked at later: who still uses it
// shows (former_place.h).
#pragma once

#include "conformance/host/gpuva/context_operations.h"

namespace wddm::host {

class ContextAllocationMoves {
 public:
  ContextAllocationMoves(const PagingScene& scene, AddressSpaces& spaces, TablePlaces& places,
                         PagingQueue& queue, JobWaits& waits, ContextOperations& operations)
      : scene_(scene),
        spaces_(spaces),
        places_(places),
        queue_(queue),
        waits_(waits),
        operations_(operations) {}

  /// Who writes the entries of what is mapped.
  void use(ContextMappings& mappings) { mappings_ = &mappings; }

  /// On the VidMm worker, of one that is resident and that nothing runs with. Null, or why it
  /// stays.
  [[nodiscard]] const char* move(ContextAllocation& allocation);

 private:
  PagingScene scene_;
  AddressSpaces& spaces_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  ContextOperations& operations_;
  ContextMappings* mappings_ = nullptr;
};

}  // namespace wddm::host
