// The addresses that a driver names for what the OS has of its own in every process:
// InternalGpuVirtualAddressRangeStart and InternalGpuVirtualAddressRangeEnd of DXGK_DRIVERCAPS.
//
// Source: mcdm-implementation-guidelines.md # Driver capability requirements; clause MCDM-019.
// Whether the end belongs to the range is not said: it is left out. Leaves out: what lies there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "reference/gpummu/address.h"

namespace wddm::gpuva {

/// A smaller range has no room for command buffers: it is taken for none.
inline constexpr std::uint64_t kLeastInternalRange = std::uint64_t{2} << 20;

/// What can be used of it, in whole units of 64 KiB; page 0 never can. Nothing: the OS may use what
/// it likes.
[[nodiscard]] constexpr std::optional<gpummu::VaRange> internal_range(std::uint64_t start,
                                                                      std::uint64_t end,
                                                                      std::uint64_t space_bytes) {
  constexpr std::uint64_t kUnit = gpummu::kPageSize64K;
  end = std::min(end, space_bytes) / kUnit * kUnit;
  if (start >= end) return std::nullopt;
  const std::uint64_t first = std::max(kUnit, (start + kUnit - 1) / kUnit * kUnit);
  if (first >= end || end - first < kLeastInternalRange) return std::nullopt;
  return gpummu::VaRange{{first}, end - first};
}

}  // namespace wddm::gpuva
