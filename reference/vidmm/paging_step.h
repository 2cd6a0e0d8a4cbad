// One thing VidMm does to memory before work may run.
//
// Source: DXGK_BUILDPAGINGBUFFER_OPERATION (wdk-ddi-src d3dkmddi) in the terms of the model.
// Leaves out: how a step becomes calls of BuildPagingBuffer, which whoever carries it out decides.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/types.h"
#include "reference/vidmm/allocation.h"

namespace wddm::vidmm {

enum class StepKind : std::uint8_t {
  Fill,            ///< zeros into a memory segment
  TransferIn,      ///< system pages -> memory segment
  TransferOut,     ///< memory segment -> system pages
  MapAperture,     ///< aperture pages -> system pages
  UnmapAperture,   ///< aperture pages -> dummy page
  Discard,         ///< leaves a memory segment unsaved
  TransferWithin,  ///< memory segment -> elsewhere in it
};

/// Something of an allocation comes into a memory segment, or elsewhere in it.
[[nodiscard]] constexpr bool brings_into_memory(StepKind kind) {
  return kind == StepKind::Fill || kind == StepKind::TransferIn || kind == StepKind::TransferWithin;
}

/// Steps are carried out in list order. A step concerns the whole allocation: bytes
/// [0, pages * kPageSize) of it at pages [page, page + pages) of the segment.
struct PagingStep {
  StepKind kind = StepKind::Fill;
  AllocationId allocation = kNoAllocation;
  SegmentId segment = kNoSegment;
  std::uint32_t page = 0;
  std::uint32_t pages = 0;
  /// TransferOut: the aperture segment that shows the system pages during the transfer, and the
  /// page there; kNoSegment: the system pages are named by an MDL. TransferWithin: where it comes
  /// from.
  SegmentId through = kNoSegment;
  std::uint32_t through_page = 0;

  friend bool operator==(const PagingStep&, const PagingStep&) = default;
};

/// What leaves its old place with a TransferWithin.
[[nodiscard]] constexpr PagingStep origin_of(PagingStep step) {
  step.segment = step.through;
  step.page = step.through_page;
  return step;
}

using PagingSteps = std::vector<PagingStep>;

}  // namespace wddm::vidmm
