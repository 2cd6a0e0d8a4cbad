// DXGK_SEGMENTPREFERENCE: the segments in which a driver would like an allocation to lie.
#pragma once

#include <cstdint>
#include <optional>

#include "conformance/rules/seg/segments_of_gpu.h"

namespace wddm {

struct PreferredSegment {
  unsigned member;  ///< n of SegmentId<n>
  std::uint32_t segment;
};

/// The first that the set does not have. SegmentId 0 prefers nothing.
[[nodiscard]] inline std::optional<PreferredSegment> preferred_outside(std::uint32_t preferred,
                                                                       std::uint32_t set) {
  // Five times SegmentId (5 bits) and Direction (1 bit).
  constexpr unsigned kPreferences = 5, kPreferenceBits = 6;
  for (unsigned i = 0; i < kPreferences; ++i) {
    const std::uint32_t segment = preferred >> (i * kPreferenceBits) & 31;
    if (segment != 0 && (set & seg::bit_of(segment)) == 0) return PreferredSegment{i, segment};
  }
  return std::nullopt;
}

}  // namespace wddm
