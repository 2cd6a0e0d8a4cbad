// Context allocations: memory that a driver has Dxgkrnl keep for its contexts, and write.
//
// One gets its memory, and InitContextResource, ahead of the first root of its context; from then
// on it is resident. DxgkCbUpdateContextAllocation is carried out by a thread of its own, since the
// VidMm worker waits in SetRootPageTable: the allocation is mapped into the paging process, and
// UpdateContextAllocation built and run, twice. The first time the private data are overwritten as
// soon as BuildPagingBuffer has returned, the second time they stay where they are until the buffer
// has ended; in between memory is put back. So whoever reads them too late shows.
//
// One that the driver wants to be told of (ExplicitResidencyNotification and AccessedPhysically)
// can be moved: NotifyResidency says that it leaves, a TransferVirtual that names it takes its
// contents to another place, and NotifyResidency says where that is. The memory that it leaves is
// overwritten and kept from others, and looked at later: who still uses it shows. Others stay where
// they are, as nothing would tell the driver.
//
// Sources: "Context allocation", DXGKARGCB_CREATECONTEXTALLOCATION, DXGK_BUILDPAGINGBUFFER_
// UPDATECONTEXTALLOCATION, DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY. Left out: allocations in
// aperture segments, updates outside of SetRootPageTable, eviction to system memory.
// Addresses in the space of the process: context_mappings.h.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/host/gpuva/context_mappings.h"
#include "conformance/host/gpuva/former_place.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/nt/sync/dpc.h"

namespace wddm::host {

class ContextAllocations {
 public:
  ContextAllocations(const Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                     TablePlaces& places, PagingQueue& queue, JobWaits& waits);
  ~ContextAllocations();
  ContextAllocations(const ContextAllocations&) = delete;
  ContextAllocations& operator=(const ContextAllocations&) = delete;

  // ---- Callbacks, in the middle of the driver.
  NTSTATUS create(DXGKARGCB_CREATECONTEXTALLOCATION& request);
  NTSTATUS destroy(HANDLE allocation);
  NTSTATUS update(const DXGKARGCB_UPDATECONTEXTALLOCATION& request);
  NTSTATUS map(const DXGKARGCB_MAPCONTEXTALLOCATION& request, D3DGPU_VIRTUAL_ADDRESS* address);

  /// Who writes the entries of what is mapped.
  void use(ContextMappings& mappings) { mappings_ = &mappings; }

  // ---- On the VidMm worker.
  /// Entries of the process are as drivers have asked for them. Null, or why they are not.
  const char* write_mappings(ProcessId process);
  /// Those of a context that is about to get its first root. Null, or why they cannot be had.
  const char* begin(ContextId context);
  /// Moves those of a context, of which nothing runs. Null, or why none was moved.
  const char* move(ContextId context);
  /// The adapter stops.
  void end();

 private:
  struct Allocation {
    bool live = false;
    HANDLE driver = nullptr;           // hDriverAllocation
    std::optional<ContextId> context;  // nothing: of all contexts of the device
    DeviceId device{};
    ProcessId process{};
    std::uint32_t physical_adapter = 0;  // whose memory it lies in
    std::uint64_t bytes = 0;
    std::uint32_t alignment = 0;
    SegmentId segment{};
    bool notified = false;                  // the driver wants to be told where it lies
    std::optional<TablePlace> place;        // once it is resident
    std::unique_ptr<FormerPlace> former{};  // what it has left, until it is looked at no more
  };
  // One call of BuildPagingBuffer, and what came of it.
  struct Execution {
    NTSTATUS status = STATUS_UNSUCCESSFUL;
    std::uint64_t passed = 0;          // kAsGiven, or 0: other private data
    std::vector<std::uint8_t> before;  // all pages of the place
    std::vector<std::uint8_t> after;
    std::uint32_t astray = 0;  // bytes written where no allocation is
  };
  using Bytes = std::vector<std::uint8_t>;

  [[nodiscard]] Allocation* named_by(HANDLE handle, std::uint32_t* number);
  [[nodiscard]] NTSTATUS take(DXGKARGCB_CREATECONTEXTALLOCATION& request, Allocation& made) const;
  void give_back_ended();
  [[nodiscard]] bool is_of(const Allocation& allocation, ContextId context) const;
  [[nodiscard]] ContextMappings::Named named(std::uint32_t number) const;
  const char* lead_to_place(std::uint32_t number);
  [[nodiscard]] const char* move(std::uint32_t number);
  /// NotifyResidency, executed; the driver's answer.
  [[nodiscard]] NTSTATUS tell(const Allocation& allocation, bool resident);
  void look_at_former(std::uint32_t number, FormerPlace::Occasion occasion) const;
  void give_back_former(std::uint32_t number);
  [[nodiscard]] const char* initialize(std::uint32_t number);
  [[nodiscard]] const char* fill(std::uint32_t number);
  /// What it is to be carried out on is mapped. `poison`: the private data go at once.
  void carry_out(Allocation& allocation, const PagingOperationPtr& operation, bool poison,
                 Execution& execution);
  void report(std::uint32_t number, DXGK_BUILDPAGINGBUFFER_OPERATION operation,
              const Execution& execution, const Execution* before) const;
  [[nodiscard]] Bytes contents(const Allocation& allocation) const;

  static void thread(void* context);
  void work();
  void carry_out_update();

  const Adapter& adapter_;
  PagingScene scene_;
  AddressSpaces& spaces_;
  TablePlaces& places_;
  PagingQueue& queue_;
  JobWaits& waits_;
  ContextMappings* mappings_ = nullptr;
  std::deque<Allocation> allocations_;  // by number; used again when its memory is given back
  // The update in work; the caller of update() owns nothing while it waits.
  std::uint32_t updated_ = 0;
  Bytes given_;
  memory::GuardedBuffer private_data_;  // what the driver is shown of it
  NTSTATUS result_ = STATUS_SUCCESS;
  bool started_ = false;
  bool at_work_ = false;
  nt::HostEvent asked_{true};
  nt::HostEvent done_{true};
};

/// Those of the running session, for callbacks.
[[nodiscard]] ContextAllocations& current_context_allocations();

}  // namespace wddm::host
