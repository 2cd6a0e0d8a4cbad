// An allocation as VidMm sees it: what the driver declared, and where its content is now.
//
// Source: DXGK_ALLOCATIONINFO, DXGK_SEGMENTPREFERENCE, DXGK_ALLOCATIONINFOFLAGS (wdk-ddi-src
// d3dkmddi); clauses ALLOC-001..006.
// Leaves out: the Direction bits of a preference (placement from the end of a segment), banks,
// renaming, linked adapters.
#pragma once

#include <array>
#include <cstdint>

#include "reference/types.h"

namespace wddm::vidmm {

/// Allocation ids index arrays; they stay below this.
inline constexpr std::uint32_t kMaxAllocations = 1u << 20;

struct AllocationTraits {
  std::uint64_t size_bytes = 0;          ///< at least 1; rounded up to pages
  std::uint32_t alignment_bytes = 0;     ///< of the offset in the segment; 0: one page
  std::uint32_t supported_segments = 0;  ///< SupportedWriteSegmentSet: bit n is segment n + 1
  std::array<SegmentId, 5> preferred{};  ///< PreferredSegment, best first; kNoSegment: unused
  std::uint32_t eviction_segments = 0;   ///< EvictionSegmentSet; 0: straight to system memory
  bool permanent_system_memory = false;  ///< PermanentSysMem: the backing survives a page-in
};

/// Why an allocation was not created.
enum class AllocationRefusal : std::uint8_t {
  None,
  IdInUse,
  EmptySize,
  TooLarge,               ///< does not fit any supported segment even when that is empty
  NoSegment,              ///< supported_segments is 0
  UnknownSegment,         ///< a set or preference names a segment that was not reported
  PreferenceUnsupported,  ///< a preferred segment is not in supported_segments (ALLOC-002)
  EvictionNotAperture,    ///< eviction_segments names a memory segment (ALLOC-003)
};

/// Where the bytes are.
enum class Content : std::uint8_t {
  None,     ///< nothing worth keeping: the next place in a memory segment is filled with zeros
  System,   ///< in the system pages only (for an aperture: also while mapped)
  Segment,  ///< in the segment only
  Both,     ///< clean copy in the segment; needs permanent_system_memory
};

/// The state of one allocation. Resident means `segment != kNoSegment`.
struct Allocation {
  std::uint32_t pages = 0;
  std::uint32_t alignment_pages = 1;
  std::uint32_t supported_segments = 0;
  std::uint32_t eviction_segments = 0;
  bool permanent_system_memory = false;

  SegmentId segment = kNoSegment;
  std::uint32_t page = 0;  ///< first page in `segment`
  Content content = Content::None;
  bool discardable = false;  ///< its owner no longer needs the content
  std::uint32_t pins = 0;    ///< while not 0 it stays where it is

  [[nodiscard]] bool resident() const { return segment != kNoSegment; }
};

}  // namespace wddm::vidmm
