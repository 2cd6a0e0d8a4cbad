#include "conformance/host/vidmm/raw_mappings.h"

#include <algorithm>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::host {

void RawMappings::begin() {
  for (const Mapping& mapping : mappings_) memory::frames_free(mapping.frames);
  mappings_.clear();
}

const RawMappings::Mapping* RawMappings::add(std::uint32_t page, std::uint32_t pages,
                                             std::uint32_t frames) {
  if (!residency_.vidmm().set_aside(residency_.aperture_segment(), page, pages)) return nullptr;
  Mapping& made = mappings_.emplace_back(page, pages, std::vector<memory::Frame>(frames));
  memory::frames_allocate(made.frames, memory::FrameOwner::Allocation);
  return &made;
}

const RawMappings::Mapping* RawMappings::at(std::uint32_t page) const {
  const auto found = std::find_if(mappings_.begin(), mappings_.end(),
                                  [&](const Mapping& mapping) { return mapping.page == page; });
  return found == mappings_.end() ? nullptr : &*found;
}

RawMappings::Mapping RawMappings::take(std::uint32_t page) {
  const Mapping* const found = at(page);
  HARNESS_ASSERT(found != nullptr);
  const auto place = mappings_.begin() + (found - mappings_.data());
  Mapping taken = std::move(*place);
  mappings_.erase(place);
  residency_.vidmm().give_back(residency_.aperture_segment(), page);
  return taken;
}

}  // namespace wddm::host
