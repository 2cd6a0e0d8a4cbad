// The paging operations of context allocations, carried out, and what they changed in memory:
// InitContextResource, UpdateContextAllocation, NotifyResidency.
//
// An update is built and run twice. The first time the private data are overwritten as soon as
// BuildPagingBuffer has returned, the second time they stay where they are until the buffer has
// ended; in between memory is put back. So whoever reads them too late shows.
//
// Sources: DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION, DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/gpuva/contexts/context_allocation.h"
#include "conformance/host/gpuva/tables/address_spaces.h"

namespace wddm::host {

/// ContextAllocationWritten::passed and ContextAllocationUpdated::given. No digest: private data
/// are the driver's own structures, with whatever its stack left between their members.
inline constexpr std::uint64_t kAsGiven = 1;

class ContextOperations {
 public:
  ContextOperations(const Adapter& adapter, AddressSpaces& spaces, TablePlaces& places,
                    PagingQueue& queue, JobWaits& waits)
      : adapter_(adapter), spaces_(spaces), places_(places), queue_(queue), waits_(waits) {}

  using Bytes = std::vector<std::uint8_t>;

  /// Before the next update: its private data.
  void give(const Bytes& data);

  // ---- On the VidMm worker or the thread of updates, of an allocation that has a place.
  /// InitContextResource; who wants to be told of it is. Null, or why it is not initialized.
  [[nodiscard]] const char* initialize(const ContextAllocation& allocation);
  /// UpdateContextAllocation with what was given; the driver's answer.
  [[nodiscard]] NTSTATUS update(const ContextAllocation& allocation);
  /// NotifyResidency, executed; the driver's answer.
  [[nodiscard]] NTSTATUS tell(const ContextAllocation& allocation, bool resident);
  /// All pages of its place; empty if neither the CPU sees them nor memory_read.
  [[nodiscard]] Bytes contents(const ContextAllocation& allocation) const;

 private:
  // One call of BuildPagingBuffer, and what came of it.
  struct Execution {
    NTSTATUS status = STATUS_UNSUCCESSFUL;
    std::uint64_t passed = 0;  // kAsGiven, or 0: other private data
    Bytes before;              // all pages of the place
    Bytes after;
    std::uint32_t astray = 0;  // bytes written where no allocation is
  };

  /// The same; empty if the CPU does not see them.
  [[nodiscard]] Bytes contents_for_cpu(const ContextAllocation& allocation) const;
  [[nodiscard]] PagingOperationPtr initialization_of(const ContextAllocation& allocation) const;
  /// What it is to be carried out on is mapped. `poison`: the private data go at once.
  void carry_out(const ContextAllocation& allocation, const PagingOperationPtr& operation,
                 bool poison, Execution& execution);
  void report(const ContextAllocation& allocation, DXGK_BUILDPAGINGBUFFER_OPERATION operation,
              const Execution& execution, const Execution* before) const;

  const Adapter& adapter_;
  AddressSpaces& spaces_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  Bytes given_;
  memory::GuardedBuffer private_data_;  // what the driver is shown of it
};

}  // namespace wddm::host
