// GPU virtual addresses of context allocations: what drivers map by DxgkCbMapContextAllocation.
//
// The addresses are of the process whose context it is, and are given while the driver waits; the
// entries are written by the VidMm worker before any work of the process runs that may use them:
// when the allocation gets its memory, with the next command buffer if it has it already, and again
// when it moves. Who may have which addresses the oracle decides, as for user mode, which cannot
// change these. On a link every GPU has the entries, as it has those of all else (LDA-004).
// Sources: DXGKARGCB_MAPCONTEXTALLOCATION, pfnMapGpuVirtualAddressCb. Reading: hAllocation of
// UpdatePageTable is NULL, as for all that no client has made.
#pragma once

#include <cstdint>
#include <vector>

#include "conformance/host/gpuva/allocation_addresses.h"
#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/gpuva/tables/table_requests.h"

namespace wddm::host {

class ContextMappings {
 public:
  ContextMappings(const Adapter& adapter, AllocationAddresses& addresses, AddressSpaces& spaces,
                  TableRequests& tables)
      : adapter_(adapter), addresses_(addresses), spaces_(spaces), tables_(tables) {}

  /// A context allocation by its number, and whose it is.
  struct Named {
    std::uint32_t number = 0;
    ProcessId process{};
    std::uint64_t pages = 0;
    bool pages_64k = false;  ///< its segment has them
    bool cached = false;     ///< in system memory: entries see what the CPU has in its caches
  };

  /// In the middle of the driver: the address, or why there is none.
  NTSTATUS ask(const Named& allocation, const DXGKARGCB_MAPCONTEXTALLOCATION& request,
               D3DGPU_VIRTUAL_ADDRESS* address);
  /// The same: it goes, and never had memory that entries could have led to.
  void give_up(const Named& allocation);

  // ---- On the VidMm worker.
  /// The adapter runs.
  void begin() { unwritten_.clear(); }
  /// Numbers of those of which addresses were asked for since entries were last written.
  [[nodiscard]] const std::vector<std::uint32_t>& unwritten() const { return unwritten_; }
  /// All its addresses lead to its pages. Null, or why they do not.
  const char* lead_to(const Named& allocation, const PageRuns& pages);
  /// They lead nowhere: it is about to move.
  void lead_nowhere(const Named& allocation);
  /// It goes, and so do they.
  void forget(const Named& allocation);

 private:
  const Adapter& adapter_;
  AllocationAddresses& addresses_;
  AddressSpaces& spaces_;
  TableRequests& tables_;
  std::vector<std::uint32_t> unwritten_;
};

}  // namespace wddm::host
