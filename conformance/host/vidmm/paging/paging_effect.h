// What a paging operation does to memory once its last packet has ended, as data.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::host {

/// A step that VidMm decided on.
struct StepEffect {
  vidmm::PagingStep step;
  bool converts = false;  ///< by a Transfer with Swizzle or Unswizzle
};
/// The same by SpecialLockTransfer, from or to what lies behind an alternate address.
struct SpecialLockEffect {
  vidmm::PagingStep step;
  std::vector<std::uint8_t> seen;  ///< what the CPU saw of it; empty: the segment's own bytes
};
/// A part of a Fill or of a transfer, of `pages` pages from page `first` of the allocation on.
struct PartEffect {
  vidmm::PagingStep step;
  std::uint32_t first = 0, pages = 0;
  bool converts = false;  ///< with Swizzle or Unswizzle: where its bytes go the driver knows
};
/// A Fill of an allocation where it lies, of `pages` pages from page `first` of it on.
struct FillEffect {
  AllocationId allocation = kNoAllocation;
  std::uint32_t pattern = 0;
  std::uint32_t first = 0, pages = 0;
};
/// The same of any bytes of it.
struct FillBytesEffect {
  AllocationId allocation = kNoAllocation;
  std::uint64_t offset = 0, size = 0;
  std::uint32_t pattern = 0;
};
/// A transfer of any bytes from one allocation to another, or elsewhere in the same.
struct TransferBytesEffect {
  AllocationId to = kNoAllocation;
  std::uint64_t to_offset = 0;
  AllocationId from = kNoAllocation;
  std::uint64_t from_offset = 0, size = 0;
};
/// A Transfer between places, with no allocation.
struct TransferEffect {
  SegmentId from_segment = kNoSegment;
  std::uint32_t from_page = 0;
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0, pages = 0;
};
/// An aperture shows these system pages, with no allocation.
struct MapEffect {
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0;
  std::vector<memory::Frame> frames;
};
/// It shows the dummy page again; `unused` are free for others.
struct UnmapEffect {
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0, pages = 0;
  std::vector<memory::Frame> unused;
};
/// It shows a buffer of commands, which is not followed; or the dummy page again.
struct BufferEffect {
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0, pages = 0;
  bool shown = false;
};
/// An allocation's contents are anything.
struct DiscardEffect {
  AllocationId allocation = kNoAllocation;
};

/// None: memory that is followed stays as it is.
struct NoEffect {};

using PagingEffect = std::variant<StepEffect, SpecialLockEffect, PartEffect, FillEffect,
                                  FillBytesEffect, TransferBytesEffect, TransferEffect, MapEffect,
                                  UnmapEffect, DiscardEffect, NoEffect, BufferEffect>;

}  // namespace wddm::host
