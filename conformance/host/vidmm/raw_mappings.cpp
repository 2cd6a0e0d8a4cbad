#include "conformance/host/vidmm/raw_mappings.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::host {

namespace {

bool follow_each_other(const std::vector<memory::Frame>& frames) {
  return std::adjacent_find(frames.begin(), frames.end(),
                            [](auto one, auto next) { return next != one + 1; }) == frames.end();
}

}  // namespace

// Memory outlives a reset of the adapter, and what its driver remembers of an aperture may outlive
// the aperture's entries. That shows where the same pages come to the same place again.
void RawMappings::begin() {
  for (const Mapping& mapping : before_) memory::frames_free(mapping.frames);
  before_ = std::exchange(mappings_, {});
}

std::vector<memory::Frame> RawMappings::lay_there(PlaceInSegment first, std::uint32_t pages,
                                                  std::uint32_t frames, bool contiguous) {
  const auto found = std::find_if(before_.begin(), before_.end(), [&](const Mapping& mapping) {
    return mapping.segment == first.segment && mapping.page == first.page &&
           mapping.pages == pages && mapping.frames.size() == frames &&
           (frames == 1 || follow_each_other(mapping.frames) == contiguous);
  });
  if (found == before_.end()) return {};
  std::vector<memory::Frame> kept = std::move(found->frames);
  before_.erase(found);
  return kept;
}

const RawMappings::Mapping* RawMappings::add(PlaceInSegment first, std::uint32_t pages,
                                             std::uint32_t frames, bool contiguous) {
  const auto [segment, page] = first;
  if (!residency_.vidmm().set_aside(segment, page, pages)) return nullptr;
  std::vector<memory::Frame> taken = lay_there(first, pages, frames, contiguous);
  if (!taken.empty()) return &mappings_.emplace_back(segment, page, pages, std::move(taken));
  taken.resize(frames);
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
