// Pages of CPU host apertures that show page tables: a table that no BAR shows keeps its window as
// long as it lies there.
//
// Source: "CPU host aperture": the tables of the paging process are reached through it from the
// start. Its pages are as large as those of the segment. Each GPU of a link has its own: the driver
// of the link is told which. Left out: allocations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "reference/gpummu/address.h"

namespace wddm::host {

/// Pages of an aperture of one GPU, one behind the other.
struct HostWindow {
  std::uint32_t physical_adapter = 0;
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
                                              std::uint64_t bytes, std::uint32_t physical_adapter);
  void unmap(const HostWindow& window);

 private:
  const Adapter& adapter_;
  // Pages of the aperture of a segment of a GPU.
  std::map<std::pair<std::uint32_t, SegmentId>, std::vector<bool>> used_;
};

}  // namespace wddm::host
