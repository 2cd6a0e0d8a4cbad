// Pages of CPU host apertures that show page tables: a table that no BAR shows keeps its window as
// long as it lies there.
//
// Source: "CPU host aperture": the tables of the paging process are reached through it from the
// start. Its pages are as large as those of the segment. Left out: allocations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "reference/gpummu/address.h"

namespace wddm::host {

/// Pages of an aperture, one behind the other.
struct HostWindow {
  SegmentId segment = kNoSegment;
  std::uint32_t first = 0, pages = 0;
  std::uint64_t bus_address = 0;  ///< of the first byte that was asked for
};

class HostWindows {
 public:
  explicit HostWindows(const Adapter& adapter) : adapter_(adapter) {}

  /// The adapter has started: nothing is mapped.
  void begin() { used_.clear(); }

  /// Nothing where the segment has no aperture, it is full, or the driver refuses.
  [[nodiscard]] std::optional<HostWindow> map(const gpummu::PhysicalAddress& at,
                                              std::uint64_t bytes);
  void unmap(const HostWindow& window);

 private:
  const Adapter& adapter_;
  std::map<SegmentId, std::vector<bool>> used_;  // pages of its aperture
};

}  // namespace wddm::host
