// UpdateGpuVirtualAddress on paging companions: decided when it is asked for, written when its turn
// has come.
//
// The companion of a context runs in the privileged space of its process: there lie the paging
// buffers, the pages that were ever mapped so ("tile pools"), and in windows the page tables that
// are written. Entries for pages are copied from those of the pool, which follow the pages, and
// those of a copy from its source, whatever they say; all other entries the companion writes
// itself. Sources: windows-driver-docs "Tile resources", "Per-process GPU virtual address spaces".
// Reading: a copy is made of the entries of its source, unless its ranges overlap, as no page says
// what one range of a CopyPageTableEntries may read of what it writes. Reading: when a table is
// new, or must first be led to, this is other paging and comes before; nothing of it is seen before
// the entries are written. Of a link the page tables of the context's GPU are written, and of no
// other (gpu_of_range.h). Left out: privileged spaces before the first update.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "conformance/host/gpuva/allocation_addresses.h"
#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/gpu_of_range.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/gpuva/tables/table_requests.h"

namespace wddm::host {

class VirtualMemory;

class CompanionUpdates {
 public:
  using Part = AllocationAddresses::Part;
  using Parts = std::vector<Part>;

  CompanionUpdates(VirtualMemory& memory, AddressSpaces& spaces, TableRequests& tables,
                   AllocationAddresses& addresses)
      : memory_(memory), spaces_(spaces), tables_(tables), addresses_(addresses) {}

  /// The adapter runs.
  void begin();

  struct Decided {
    Parts parts;
    const char* refused = nullptr;
    std::vector<AllocationId> displaced{};  ///< what the addresses led to
  };
  /// Runs on the thread of the application. Commands that are built from here on follow.
  /// `gpu`: of a link, that of the context.
  [[nodiscard]] Decided decide(AllocationId allocation, const TileRequest& request,
                               std::optional<std::uint32_t> gpu);
  /// What the client of `map_address` has been answered.
  [[nodiscard]] Decided answered(const AllocationAddresses::Answer& answer);
  /// Writes what was decided first of all that is still to be written. `companion`: what does it;
  /// kNoContext: all other paging. `gpu`: as for decide(). Null, or why it was not done.
  const char* carry_out(const Parts& parts, ContextId companion, std::optional<std::uint32_t> gpu);
  /// Other requests write these entries on each GPU.
  void are_of_all(const Parts& parts);
  /// Whose page tables lead there, as far as has been carried out ...
  [[nodiscard]] std::vector<GpuOfRange::Piece> pieces(ProcessId process,
                                                      const gpummu::VaRange& range) const {
    return gpus_.pieces(process, range);
  }
  /// ... and as far as it has been asked for; nothing: those of each.
  [[nodiscard]] std::optional<std::uint32_t> gpu_at(ProcessId process,
                                                    gpummu::GpuVirtualAddress address) const {
    return asked_gpus_.of(process, address);
  }
  /// Whether an update is still to write some of these entries: then they are its own affair.
  [[nodiscard]] bool is_pending(const Part& part) const;

  /// The privileged space of a process, with the paging buffers in it. Null, or why there is none.
  [[nodiscard]] const char* open(ProcessId space, const PageRuns& paging_buffers);
  /// The entries of a part are about to be written ...
  void at(const Part& part);
  /// ... and of it the pages of these turns, which follow each other, to be mapped.
  void at(std::span<const Turn> turns, AllocationId allocation);
  /// Whether they are copied from entries of the pool, as far as these can be: then all turns at
  /// once.
  [[nodiscard]] bool copies(AllocationId allocation) const;
  void forget(AllocationId allocation);
  void forget(ProcessId space);

 private:
  /// The pages have an address in the privileged space.
  const char* show_pool(AllocationId allocation, ProcessId space);

  VirtualMemory& memory_;
  AddressSpaces& spaces_;
  TableRequests& tables_;
  AllocationAddresses& addresses_;
  std::deque<Parts> decided_;                           // and not carried out
  std::optional<AddressSpaces::Companion> companion_;   // which writes entries now
  std::set<std::pair<ProcessId, AllocationId>> pools_;  // by privileged space
  GpuOfRange gpus_, asked_gpus_;
};

}  // namespace wddm::host
