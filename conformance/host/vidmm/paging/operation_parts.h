// What those that make paging operations share.
#pragma once

#include "conformance/host/vidmm/paging/paging_operations.h"

namespace wddm::host {
namespace operation_parts {

inline PagingOperationPtr start(DXGK_BUILDPAGINGBUFFER_OPERATION operation, AllocationId id) {
  auto made = std::make_shared<PagingOperation>();
  made->args.Operation = operation;
  made->allocation = id;
  made->blame = {.cause = MemoryCause::Paging,
                 .operation = static_cast<std::uint32_t>(operation),
                 .allocation = id};
  return made;
}

/// The segment side of an operation; returns the address.
template <class Side>
std::uint64_t give_segment(const PagingScene& scene, Side& side, PlaceInSegment place) {
  const std::uint64_t address = scene.residency.gpu_address(place);
  side.SegmentId = place.segment.value;
  side.SegmentAddress.QuadPart = static_cast<LONGLONG>(address);
  return address;
}

inline PlaceInSegment place_of(const vidmm::PagingStep& step) {
  return {step.segment, step.page};
}

inline void write_only_where(PagingOperation& made, PlaceInSegment place, std::uint32_t pages) {
  made.blame.segment = place.segment;
  made.blame.page = place.page;
  made.blame.pages = pages;
}

}  // namespace operation_parts

/// Pages of a step of an allocation that left its segment while it was locked by an alternate
/// address.
[[nodiscard]] PagingOperationPtr special_lock_part(const PagingScene& scene,
                                                   const vidmm::PagingStep& step,
                                                   std::uint32_t first, std::uint32_t pages);

}  // namespace wddm::host
