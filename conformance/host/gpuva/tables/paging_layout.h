// What lies where in the address space of the paging process.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "conformance/host/boundary/decision_seat.h"
#include "reference/gpummu/geometry.h"
#include "reference/types.h"

namespace wddm::host {

/// Pages of a window, through which contents are filled and moved part by part.
inline constexpr std::uint32_t kWindow = 64;
inline constexpr std::uint64_t kWindowBytes = kWindow * kPageSize;
// The first 4 KB are invalid (VPAGE-010), and so is what lies between. Less than 2 MB in all: most
// drivers need one leaf table for it. Nothing lies above 4 GB: by "System paging process" the space
// is laid out beforehand and has 1 GB, so that a driver may keep 32 bits of what it pages by. Only
// one that asks for more (DXGKQAITYPE_PAGINGPROCESSGPUVASIZE, which the host leaves out) may not.
inline constexpr gpummu::GpuVirtualAddress kSource{0x040000};
inline constexpr gpummu::GpuVirtualAddress kDestination{0x0A0000};
inline constexpr gpummu::VaRange kPagingBuffers{{0x100000}, 0x20000};
/// Where page tables are written that are updated by GPU virtual address: tables of others come to
/// one place after the other, those of the paging process itself have one each.
inline constexpr std::uint64_t kTableBytes = 0x10000;
inline constexpr std::uint32_t kShownTables = 4;
inline constexpr std::uint32_t kOwnTables = 8;
inline constexpr gpummu::VaRange kShownTablePlaces{{0x130000}, kShownTables* kTableBytes};
inline constexpr gpummu::VaRange kOwnTablePlaces{{0x180000}, kOwnTables* kTableBytes};
/// Where contents are moved from, and to.
[[nodiscard]] inline gpummu::GpuVirtualAddress paging_source() {
  return decisions().window(kSource);
}
[[nodiscard]] inline gpummu::GpuVirtualAddress paging_destination() {
  return decisions().window(kDestination);
}
/// All of them.
inline constexpr gpummu::VaRange kWindows{kSource, kOwnTablePlaces.end() - kSource.value};
/// Windows for what is mapped in pages of 64 KB, behind all others: a leaf table has pages of one
/// size, unless it is one of a pair (PGSZ-008).
struct LargeWindows {
  gpummu::GpuVirtualAddress source{};
  gpummu::GpuVirtualAddress destination{};
  gpummu::VaRange range{};
};
/// Nothing where there is no memory of such pages, or the address space ends before.
[[nodiscard]] inline std::optional<LargeWindows> large_windows_of(
    const gpummu::Geometry& geometry) {
  const std::uint64_t leaf = geometry.table_bytes(0);
  const std::uint64_t first = (kWindows.end() + leaf - 1) / leaf * leaf;
  const LargeWindows windows{{first}, {first + kWindowBytes}, {{first}, 2 * kWindowBytes}};
  const bool there = geometry.maps_64kb_pages() && geometry.contains(windows.range);
  return there ? std::optional(windows) : std::nullopt;
}
/// Windows that lie across the border of two leaf tables, which take the place of the others where
/// a scenario asks for them: a part is shown half before a border, half behind it.
struct CrossedLeaves {
  gpummu::GpuVirtualAddress source{};  ///< a border of leaf tables
  gpummu::GpuVirtualAddress destination{};
  gpummu::VaRange range{};  ///< of three leaf tables, behind all other windows
};
/// Nothing where the address space ends before, or parts lie in several leaf tables anyway.
[[nodiscard]] inline std::optional<CrossedLeaves> crossed_leaves_of(
    const gpummu::Geometry& geometry) {
  const std::uint64_t leaf = geometry.table_bytes(0);
  if (leaf < 2 * kWindowBytes) return std::nullopt;
  const auto large = large_windows_of(geometry);
  const std::uint64_t end = large ? large->range.end() : kWindows.end();
  const std::uint64_t first = (end + leaf - 1) / leaf * leaf;
  const CrossedLeaves crossed{{first + leaf}, {first + 2 * leaf}, {{first}, 3 * leaf}};
  constexpr std::uint64_t kFourGigabytes = std::uint64_t{1} << 32;
  // Below the table that leads to all other windows, too.
  const std::uint64_t most = std::min(geometry.table_bytes(1), kFourGigabytes);
  const bool there = crossed.range.end() <= most && geometry.contains(crossed.range);
  return there ? std::optional(crossed) : std::nullopt;
}
/// Where roots are written that are larger than other tables may be: a driver of two levels says
/// how large they are. Behind all other windows; nothing where the address space ends before.
[[nodiscard]] inline std::optional<gpummu::VaRange> large_root_place_of(
    const gpummu::Geometry& geometry) {
  if (!geometry.root_is_resizable()) return std::nullopt;
  const auto crossed = crossed_leaves_of(geometry);
  const auto large = large_windows_of(geometry);
  const std::uint64_t end = crossed ? crossed->range.end()
                            : large ? large->range.end()
                                    : kWindows.end();
  const std::uint64_t leaf = geometry.table_bytes(0);
  const gpummu::VaRange place{{(end + leaf - 1) / leaf * leaf}, kWindowBytes};
  return geometry.contains(place) ? std::optional(place) : std::nullopt;
}
/// Those that every driver needs.
inline constexpr gpummu::VaRange kFewWindows{kSource, kPagingBuffers.end() - kSource.value};

}  // namespace wddm::host
