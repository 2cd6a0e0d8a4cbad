// What the entries of addresses come to: turns of repeated pages, pieces of which each GPU of a link
// has its own, and how the pages that they lead to may be reached.
//
// Carries out what was decided (allocation_addresses.h) in a space that is there. Left out: when
// that may be, and who waits for it (virtual_memory.h).
#pragma once

#include <span>

#include "conformance/host/gpuva/companion_updates.h"
#include "conformance/host/gpuva/entry_pages.h"
#include "conformance/host/gpuva/process_ranges.h"
#include "conformance/host/gpuva/tables/address_spaces.h"
#include "conformance/host/gpuva/tables/table_requests.h"

namespace wddm::host {

class AllocationEntries {
 public:
  AllocationEntries(const Adapter& adapter, const PagingScene& scene, AddressSpaces& spaces,
                    TableRequests& tables, CompanionUpdates& updates)
      : adapter_(adapter), scene_(scene), spaces_(spaces), tables_(tables), updates_(updates) {}

  // ---- Each is null, or why entries were left: the space takes no step any more then. `pages`:
  // all of the allocation's.
  /// As decided; what is not resident is nowhere.
  const char* write(const AddressPart& part, const PageRuns& pages);
  /// Whether the process must have a space for that.
  [[nodiscard]] static bool need_space(const AddressPart& part, const PageRuns& pages);
  const char* map(const AddressPart& part, const PageRuns& pages);
  /// The part as it was: updates of what led to pages that follow each other say which they were.
  [[nodiscard]] const char* unmap(const AddressPart& part);

 private:
  const char* map_zero(const AddressPart& part);
  const char* written(const AddressPart& part, const char* why_not);
  /// `pages`: those of the turns, which follow each other.
  [[nodiscard]] bool step(const AddressPart& part, std::span<const Turn> turns,
                          const PageRuns& pages, gpummu::AdapterSet adapters);

  const Adapter& adapter_;
  const PagingScene& scene_;
  AddressSpaces& spaces_;
  TableRequests& tables_;
  CompanionUpdates& updates_;
};

}  // namespace wddm::host
