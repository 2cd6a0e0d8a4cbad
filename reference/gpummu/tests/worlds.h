// Geometries for tests, and short ways to say what is mapped.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/gpummu/address_space.h"
#include "reference/gpummu/geometry.h"
#include "reference/gpummu/table_input.h"

namespace wddm::gpummu::testing {

/// Segment 1: memory of 4 KB pages, 2: memory of 64 KB pages, 3: an aperture.
[[nodiscard]] std::vector<ReportedSegment> segments();

/// Caps with all optional features off, but zero, read-only and no-execute entries.
struct Report {
  GpuMmuCaps caps;
  std::vector<PageTableLevelDesc> levels;

  [[nodiscard]] CheckedGeometry check() const;
  /// There must be one.
  [[nodiscard]] Geometry geometry() const;

  Report& leaves_64kb();
  Report& dual_pte();
  Report& large_pages();
};

/// `index_bits` from the leaf up, and tables in segment 1. With two, the last is the root's, of
/// which desc says nothing.
[[nodiscard]] Report report(const std::vector<std::uint32_t>& index_bits);

/// As most GPUs have it: 48 bits, four levels of 9 bits.
[[nodiscard]] Report four_levels();

[[nodiscard]] constexpr VaRange pages(std::uint64_t first, std::uint64_t count) {
  return {{first * kPageSize}, count * kPageSize};
}
[[nodiscard]] constexpr GpuVirtualAddress page(std::uint64_t number) {
  return {number * kPageSize};
}
/// A page of a segment.
[[nodiscard]] constexpr PhysicalAddress at(std::uint64_t page, std::uint32_t segment = 1) {
  return {page * kPageSize, SegmentId{segment}, {}};
}

}  // namespace wddm::gpummu::testing
