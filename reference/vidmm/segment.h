// What the driver reports about a memory segment, as far as VidMm decides by it.
//
// Source: DXGK_SEGMENTDESCRIPTOR, DXGK_SEGMENTFLAGS (wdk-ddi-src d3dkmddi); clauses SEG-001..003.
// Leaves out: banks, commit limits, video protected regions, invalid ranges.
#pragma once

#include <cstdint>

#include "reference/types.h"

namespace wddm::vidmm {

/// `SegmentId` is 5 bits wide in DXGK_ALLOCATIONLIST, and 0 means "none".
inline constexpr std::uint32_t kMaxSegments = 31;

enum class SegmentKind : std::uint8_t {
  Memory,    ///< has pages of its own: content is copied in and out
  Aperture,  ///< a window: system pages are mapped in and out
};

struct SegmentTraits {
  SegmentKind kind = SegmentKind::Memory;
  std::uint64_t base_address = 0;  ///< GPU address of the first byte, a multiple of kPageSize
  std::uint64_t size_bytes = 0;    ///< a non-zero multiple of kPageSize
  bool cpu_visible = false;
  bool cache_coherent = false;
  /// Its addresses are others than those of segments of the other kind: from WDDM 2.0 on a place is
  /// a segment and an offset, and an aperture a page table of its own.
  bool addresses_of_kind = false;
};

/// Why a segment was not added.
enum class SegmentRefusal : std::uint8_t {
  None,
  TooMany,         ///< more than kMaxSegments
  EmptySize,       ///< size 0
  NotWholePages,   ///< size or base address is not a multiple of kPageSize
  TooLarge,        ///< more pages than a Placement manages, or past the end of the address space
  OverlapsAnother  ///< shares GPU addresses with an earlier segment
};

/// Bit of a segment in SupportedWriteSegmentSet and EvictionSegmentSet: bit n is segment n + 1.
constexpr std::uint32_t segment_bit(SegmentId segment) {
  return 1u << (segment.value - 1);
}

}  // namespace wddm::vidmm
