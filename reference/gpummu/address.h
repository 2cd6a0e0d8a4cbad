// GPU virtual addresses, physical places, and the page sizes of the GPU MMU.
//
// Sources: gpu-virtual-address.md (4 KB and 64 KB pages, bits 0-11 are the offset),
// D3DGPU_PHYSICAL_ADDRESS, DXGK_PTE (Segment, PhysicalAdapterIndex).
#pragma once

#include <cstdint>

#include "reference/types.h"

namespace wddm::gpummu {

/// D3DGPU_VIRTUAL_ADDRESS, in bytes.
using GpuVirtualAddress = Strong<struct GpuVirtualAddressTag, std::uint64_t>;
/// `PhysicalAdapterIndex` of the DDI: a GPU of the link, from 0. DXGK_PTE has six bits for it.
using PhysicalAdapterIndex = Strong<struct PhysicalAdapterTag, std::uint16_t>;

inline constexpr std::uint16_t kMaxPhysicalAdapters = 64;

/// 64 KB pages; 4 KB pages are kPageSize (PGSZ-002).
inline constexpr std::uint64_t kPageSize64K = 65536;
/// Sixteen entries of a 4 KB table make a 64 KB page (PGSZ-005).
inline constexpr std::uint32_t kPagesPer64K = 16;

/// DXGK_PTE_PAGE_TABLE_PAGE_SIZE: the pages that a leaf table is made for.
enum class PageTablePageSize : std::uint8_t { Page4K = 0, Page64K = 1 };

/// A place in memory: bytes into a segment, or the address itself in system memory (segment 0,
/// PTE-006). Segments above 0 are those of GPU `adapter` (LDA-006).
struct PhysicalAddress {
  std::uint64_t offset = 0;
  SegmentId segment{};
  PhysicalAdapterIndex adapter{};
  friend constexpr auto operator<=>(const PhysicalAddress&, const PhysicalAddress&) = default;
};

/// Addresses [first, first + bytes); never wraps around.
struct VaRange {
  GpuVirtualAddress first{};
  std::uint64_t bytes = 0;
  [[nodiscard]] constexpr std::uint64_t end() const { return first.value + bytes; }
  [[nodiscard]] constexpr bool contains(GpuVirtualAddress va) const {
    return va.value - first.value < bytes && va >= first;
  }
  friend constexpr bool operator==(const VaRange&, const VaRange&) = default;
};

}  // namespace wddm::gpummu
