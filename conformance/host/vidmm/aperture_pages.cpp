#include "conformance/host/vidmm/aperture_pages.h"

#include <algorithm>
#include <utility>

namespace wddm::host {

void AperturePages::begin() {
  // Buffers that are still in somebody's hand are left to where nobody looks.
  left_ = std::make_shared<LeftBuffers>();
  behind_.clear();
  for (const SegmentId segment : residency_.segments()) {
    if (!residency_.is_aperture(segment)) continue;
    const std::uint64_t pages = std::min<std::uint64_t>(adapter_.segment(segment).size / kPageSize,
                                                        vidmm::kMaxSegmentPages);
    const std::uint32_t first = residency_.end_of_segment(segment);
    if (pages <= first) continue;
    behind_.push_back(
        {segment, first, vidmm::Placement(static_cast<std::uint32_t>(pages) - first)});
  }
}

std::optional<ApertureWindow> AperturePages::take(std::uint32_t segment_set, std::uint64_t bytes) {
  const auto pages = static_cast<std::uint32_t>(std::max<std::uint64_t>(pages_of(bytes), 1));
  const std::uint32_t apertures = residency_.apertures_in(segment_set);
  for (const bool behind : {true, false}) {
    for (const SegmentId segment : residency_.segments()) {
      if ((apertures & vidmm::segment_bit(segment)) == 0) continue;
      const std::optional<std::uint32_t> page =
          behind ? take_behind(segment, pages) : take_highest(segment, pages);
      if (!page) continue;
      return ApertureWindow{.place = {.segment = segment,
                                      .page = *page,
                                      .pages = pages,
                                      .address = residency_.gpu_address({segment, *page})},
                            .home = left_};
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> AperturePages::take_behind(SegmentId segment, std::uint32_t pages) {
  for (Behind& behind : behind_) {
    if (behind.segment != segment) continue;
    if (const auto page = behind.placed.allocate(pages, 1)) return behind.first + *page;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> AperturePages::take_highest(SegmentId segment, std::uint32_t pages) {
  const std::uint32_t first = residency_.start_of_segment(segment);
  const std::uint32_t end = residency_.end_of_segment(segment);
  if (pages > end - first) return std::nullopt;
  const vidmm::Placement& placed = residency_.vidmm().placement(segment);
  if (placed.free_pages() < pages) return std::nullopt;
  for (std::uint32_t page = end - pages + 1; page-- > first;) {
    if (residency_.vidmm().set_aside(segment, page, pages)) return page;
  }
  return std::nullopt;
}

void AperturePages::give_back(const AperturePlace& place) {
  for (Behind& behind : behind_) {
    if (behind.segment != place.segment || place.page < behind.first) continue;
    behind.placed.free(place.page - behind.first);
    return;
  }
  residency_.vidmm().give_back(place.segment, place.page);
}

LeftBuffers AperturePages::take_left() {
  return std::exchange(*left_, {});
}

}  // namespace wddm::host
