#include "conformance/host/vidmm/raw_mappings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::host {

void RawMappings::begin() {
  for (const Mapping& mapping : mappings_) memory::frames_free(mapping.frames);
  mappings_.clear();
}

const RawMappings::Mapping* RawMappings::add(PlaceInSegment first, std::uint32_t pages,
                                             std::uint32_t frames, bool contiguous) {
  const auto [segment, page] = first;
  if (!residency_.vidmm().set_aside(segment, page, pages)) return nullptr;
  std::vector<memory::Frame> taken(frames);
  if (!contiguous) {
    memory::frames_allocate(taken, memory::FrameOwner::Allocation);
  } else if (const memory::Frame lowest = memory::frames_allocate_contiguous(
                 frames, memory::FrameOwner::Allocation, UINT64_MAX)) {
    std::iota(taken.begin(), taken.end(), lowest);
  } else {
    residency_.vidmm().give_back(segment, page);
    return nullptr;
  }
  return &mappings_.emplace_back(segment, page, pages, std::move(taken));
}

const RawMappings::Mapping* RawMappings::at(std::uint32_t page) const {
  const auto found = std::find_if(mappings_.rbegin(), mappings_.rend(),
                                  [&](const Mapping& mapping) { return mapping.page == page; });
  return found == mappings_.rend() ? nullptr : &*found;
}

RawMappings::Mapping RawMappings::take(std::uint32_t page) {
  const Mapping* const found = at(page);
  HARNESS_ASSERT(found != nullptr);
  const auto place = mappings_.begin() + (found - mappings_.data());
  Mapping taken = std::move(*place);
  mappings_.erase(place);
  residency_.vidmm().give_back(taken.segment, page);
  return taken;
}

}  // namespace wddm::host
