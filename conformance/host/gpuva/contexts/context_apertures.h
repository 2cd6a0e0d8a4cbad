// Context allocations in aperture segments: system pages, which the aperture shows where the driver
// has asked for AccessedPhysically.
//
// The driver hears where by MapApertureSegment, whose hAllocation is hDriverAllocation. One that is
// evicted is shown nowhere, and keeps its pages and its contents. Moved and brought back it is
// shown elsewhere, as long as there is room: who goes on with the former place finds a page that
// nobody has written. Without AccessedPhysically it has addresses alone, and stays as it is. One
// with ExplicitResidencyNotification stays too: its driver may wait for a notice, and no document
// has any for an aperture.
//
// Sources: "Context allocation" # AccessedPhysically, DXGKARG_BUILDPAGINGBUFFER #
// MapApertureSegment.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/host/gpuva/contexts/context_allocation.h"
#include "conformance/host/vidmm/job_waits.h"
#include "conformance/host/vidmm/paging/paging_queue.h"

namespace wddm::host {

class ContextApertures {
 public:
  ContextApertures(const PagingScene& scene, Residency& residency, const PredictedMemory& memory,
                   PagingQueue& queue, JobWaits& waits)
      : scene_(scene), residency_(residency), memory_(memory), queue_(queue), waits_(waits) {}

  // ---- On the VidMm worker. Null, or why not.
  /// Shows one that has its pages.
  [[nodiscard]] const char* show(ContextAllocation& allocation);
  /// To another place, of one that nothing runs with.
  [[nodiscard]] const char* move(ContextAllocation& allocation);
  [[nodiscard]] const char* evict(ContextAllocation& allocation);
  [[nodiscard]] const char* bring_back(ContextAllocation& allocation);
  /// It ends: its pages are about to be others'.
  void hide(ContextAllocation& allocation);
  /// The adapter has stopped: there is nothing to be told any more.
  void forget(ContextAllocation& allocation);

 private:
  [[nodiscard]] std::optional<std::uint32_t> take(const ContextAllocation& allocation);
  void give_back(const ContextAllocation& allocation, std::uint32_t page);
  // The driver's answer; all paging has ended then.
  NTSTATUS map(const ContextAllocation& allocation);
  NTSTATUS unmap(const ContextAllocation& allocation);
  NTSTATUS carry_out(const ContextAllocation& allocation, const PagingOperationPtr& operation,
                     bool shown);
  void report(const ContextAllocation& allocation, std::uint32_t from, NTSTATUS gone,
              NTSTATUS come) const;
  [[nodiscard]] HANDLE device_of(const ContextAllocation& allocation) const;

  PagingScene scene_;
  Residency& residency_;
  const PredictedMemory& memory_;
  PagingQueue& queue_;
  JobWaits& waits_;
};

}  // namespace wddm::host
