// Page tables in the address space of the paging process, for updates by GPU virtual address.
//
// Tables of the paging process itself have a place each, from its start on. Those of all others
// come to one of a few places, one behind the other: what is mapped there is remembered, and a
// place is used again when it is that table's turn. Updates, flushes and copies are executed in the
// order in which they are queued, so nothing waits for a place. A root of two levels may be larger
// than these places; there may be one for such roots.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "conformance/host/gpuva/tables/paging_layout.h"
#include "conformance/host/gpuva/tables/table_places.h"
#include "reference/gpummu/geometry.h"

namespace wddm::host {

class ShownTables {
 public:
  struct Place {
    gpummu::GpuVirtualAddress at{};
    bool is_new = false;  ///< the table must be mapped there first
  };

  void begin(const std::optional<gpummu::VaRange>& large_root) {
    *this = {};
    large_root_ = large_root;
  }
  /// Tables are updated by GPU virtual address, once the paging process has started.
  [[nodiscard]] static bool are_needed(const gpummu::Geometry& geometry) {
    return geometry.caps().page_table_update_mode == gpummu::PageTableUpdateMode::GpuVirtual;
  }
  /// All tables have room in a place. Roots of two levels have other sizes.
  [[nodiscard]] static bool fit(const gpummu::Geometry& geometry);
  /// Tables of the paging process that are larger have no place.
  [[nodiscard]] static bool fits(std::uint64_t bytes) { return bytes <= kTableBytes; }
  /// The same of tables of others.
  [[nodiscard]] std::uint64_t most_bytes() const {
    return large_root_ ? large_root_->bytes : kTableBytes;
  }
  /// Where the n-th table of the paging process is.
  [[nodiscard]] static gpummu::GpuVirtualAddress own(std::uint32_t n) {
    return {kOwnTablePlaces.first.value + n * kTableBytes};
  }
  /// Where a table of another process is shown from now on.
  [[nodiscard]] Place of(const TablePlace& table) {
    const Shown wanted{table.address, table.pages};
    if (!fits(table.pages * kPageSize)) {
      const bool is_new = std::exchange(shown_root_, wanted) != wanted;
      return {large_root_->first, is_new};
    }
    const auto shown = std::find(shown_.begin(), shown_.end(), wanted);
    if (shown != shown_.end())
      return {at(static_cast<std::uint32_t>(shown - shown_.begin())), false};
    const std::uint32_t turn = next_++ % kShownTables;
    shown_[turn] = wanted;
    return {at(turn), true};
  }

 private:
  struct Shown {
    gpummu::PhysicalAddress address;
    std::uint32_t pages = 0;
    bool operator==(const Shown&) const = default;
  };
  [[nodiscard]] static gpummu::GpuVirtualAddress at(std::uint32_t n) {
    return {kShownTablePlaces.first.value + n * kTableBytes};
  }

  std::array<std::optional<Shown>, kShownTables> shown_;
  std::uint32_t next_ = 0;
  std::optional<gpummu::VaRange> large_root_;
  std::optional<Shown> shown_root_;
};

inline bool ShownTables::fit(const gpummu::Geometry& geometry) {
  for (std::uint32_t level = 0; level < geometry.levels(); ++level) {
    const bool resizable = geometry.root_is_resizable() && level == geometry.root_level();
    if (!resizable && !fits(geometry.level(level).page_table_size_in_bytes)) return false;
  }
  return fits(geometry.caps().leaf_page_table_size_for_64kb_pages_in_bytes);
}

}  // namespace wddm::host
