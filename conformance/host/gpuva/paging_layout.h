// What lies where in the address space of the paging process.
#pragma once

#include <cstdint>

#include "reference/gpummu/address.h"
#include "reference/types.h"

namespace wddm::host {

/// Pages of a window, through which contents are filled and moved part by part.
inline constexpr std::uint32_t kWindow = 16;
inline constexpr std::uint64_t kWindowBytes = kWindow * kPageSize;
// The first 4 KB are invalid (VPAGE-010); windows are apart by more than their size.
inline constexpr gpummu::GpuVirtualAddress kSource{2 * kWindowBytes};
inline constexpr gpummu::GpuVirtualAddress kDestination{4 * kWindowBytes};
inline constexpr gpummu::VaRange kPagingBuffers{{8 * kWindowBytes}, 2 * kWindowBytes};
/// All of them.
inline constexpr gpummu::VaRange kWindows{kSource, kPagingBuffers.end() - kSource.value};

}  // namespace wddm::host
