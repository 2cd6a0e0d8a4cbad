// The paging operations: for a step of VidMm's, and for ops of a scenario that name one.
//
// Their arguments follow the rules of DXGKARG_BUILDPAGINGBUFFER: segment addresses include
// BaseAddress, TransferOffset applies to the segment side, MdlOffset counts pages.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conformance/host/vidmm/paging/paging_buffer.h"
#include "conformance/host/vidmm/residency_in_effect.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::host {

/// What operations are made from.
struct PagingScene {
  Objects& objects;
  const Residency& residency;
};

using PagingOperationPtr = std::shared_ptr<PagingOperation>;

/// What a step comes to; transfers in chunks of so many pages, 0: whole. Aperture pages that are
/// unmapped show the dummy page.
[[nodiscard]] std::vector<PagingOperationPtr> operations_for(const PagingScene& scene,
                                                             const vidmm::PagingStep& step,
                                                             std::uint32_t chunk_pages,
                                                             memory::Frame dummy);
/// An allocation where it lies.
[[nodiscard]] PagingOperationPtr fill_of(const PagingScene& scene, AllocationId id,
                                         std::uint32_t pattern);
[[nodiscard]] PagingOperationPtr discard_of(const PagingScene& scene, AllocationId id);
/// ReadPhysical or WritePhysical at a byte of it.
[[nodiscard]] PagingOperationPtr touch_of(const PagingScene& scene, AllocationId id,
                                          std::uint64_t offset, bool write);
/// Places of segments, with no allocation, in sub-transfers of `chunk_pages` (0: whole).
[[nodiscard]] std::vector<PagingOperationPtr> transfers_of(const PagingScene& scene,
                                                           PlaceInSegment from, PlaceInSegment to,
                                                           std::uint32_t pages,
                                                           std::uint32_t chunk_pages);
/// The frames from `mdl_offset` on, at a page of an aperture segment.
[[nodiscard]] PagingOperationPtr map_of(const PagingScene& scene, PlaceInSegment place,
                                        std::span<const memory::Frame> frames,
                                        std::uint32_t mdl_offset);
/// The same anywhere, of frames whose contents are nobody's business.
[[nodiscard]] PagingOperationPtr map_at(const PagingScene& scene, PlaceInSegment place,
                                        std::span<const memory::Frame> frames,
                                        std::uint32_t mdl_offset);
[[nodiscard]] PagingOperationPtr unmap_at(PlaceInSegment place, std::uint32_t pages,
                                          memory::Frame dummy);
/// `frames` are free for others when it is done.
[[nodiscard]] PagingOperationPtr unmap_of(PlaceInSegment place, std::uint32_t pages,
                                          std::vector<memory::Frame> frames, memory::Frame dummy);

}  // namespace wddm::host
