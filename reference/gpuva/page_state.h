// What the leaf entries of a stretch of GPU virtual address space say.
//
// A stretch of any length takes one value, also one that maps the same allocation range again and
// again (D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION, Map.AllocationSizeInBytes).
// Sources: DXGK_PTE, D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE; clauses VA-003, VA-005.
// Leaves out: where the allocation lies, and with it segment and page size of an entry.
#pragma once

#include <cstdint>

#include "reference/types.h"

namespace wddm::gpuva {

enum class PageKind : std::uint8_t {
  Invalid,  ///< NoAccess: an access faults
  Zero,     ///< reads give zeros, writes are lost
  Mapped,   ///< a page of an allocation
};

/// The entries of a stretch. Members behind `kind` count for Mapped only, but for the last.
struct PageState {
  PageKind kind = PageKind::Invalid;
  bool write = false;
  bool execute = false;
  AllocationId allocation{};
  std::uint64_t first_page = 0;  ///< of the allocation range
  std::uint64_t phase = 0;       ///< page of that range behind the first page of the stretch
  std::uint64_t period = 0;      ///< pages after which the range starts again; 0: never
  std::uint64_t driver_protection = 0;

  /// The page of the allocation behind page `i` of the stretch.
  [[nodiscard]] constexpr std::uint64_t allocation_page(std::uint64_t i) const {
    return period == 0 ? first_page + i : first_page + (phase + i) % period;
  }
  /// The state of what is left of the stretch behind its first `pages` pages.
  [[nodiscard]] constexpr PageState behind(std::uint64_t pages) const {
    PageState rest = *this;
    if (kind != PageKind::Mapped) return rest;
    if (period == 0) {
      rest.first_page += pages;
    } else {
      rest.phase = (phase + pages) % period;
    }
    return rest;
  }
  friend bool operator==(const PageState&, const PageState&) = default;
};

}  // namespace wddm::gpuva
