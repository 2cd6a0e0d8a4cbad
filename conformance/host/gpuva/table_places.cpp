#include "conformance/host/gpuva/table_places.h"

#include <algorithm>
#include <utility>

#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

PlaceInSegment place_in_segment(const TablePlace& place) {
  return {place.address.segment, static_cast<std::uint32_t>(place.address.offset / kPageSize)};
}

}  // namespace

std::optional<TablePlace> TablePlaces::take(SegmentId segment, std::uint64_t bytes,
                                            std::uint32_t alignment) {
  const auto pages = static_cast<std::uint32_t>(pages_of(bytes));
  TablePlace taken;
  taken.pages = pages;
  taken.alignment = alignment;
  taken.address.segment = segment;
  if (segment == kNoSegment) {
    taken.system = memory::GuardedBuffer(pages * kPageSize, true, memory::FrameOwner::Allocation);
    taken.address.offset = taken.system.physical_address();
    return taken;
  }
  if (!residency_.has_segment(segment) || residency_.is_aperture(segment)) return std::nullopt;
  const auto aligned = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, pages_of(alignment)));
  const auto page = residency_.vidmm().placement(segment).find(pages, aligned);
  if (!page || !residency_.vidmm().set_aside(segment, *page, pages)) return std::nullopt;
  taken.address.offset = *page * kPageSize;
  memory_.set_aside({segment, *page}, pages);
  return taken;
}

bool TablePlaces::has_room(SegmentId segment, std::uint64_t bytes, std::uint32_t alignment) const {
  const auto pages = static_cast<std::uint32_t>(pages_of(bytes));
  if (segment == kNoSegment) return memory::frames_available() > pages;
  if (!residency_.has_segment(segment) || residency_.is_aperture(segment)) return false;
  const auto aligned = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, pages_of(alignment)));
  return residency_.vidmm().placement(segment).find(pages, aligned).has_value();
}

void TablePlaces::give_back(const TablePlace& place) {
  if (place.address.segment == kNoSegment) {
    const std::uint64_t words = place.pages * kPageSize / sizeof(std::uint32_t);
    std::fill_n(reinterpret_cast<std::uint32_t*>(place.system.data()), words, memory::kUnusedWord);
    return;
  }
  const PlaceInSegment first = place_in_segment(place);
  residency_.vidmm().give_back(first.segment, first.page);
  memory_.leave(first, place.pages);
}

std::uint8_t* TablePlaces::cpu_address(const TablePlace& place) const {
  if (place.address.segment == kNoSegment) return place.system.data();
  const SegmentDescription& segment = adapter_.segment(place.address.segment);
  if (!segment.flags.CpuVisible) return nullptr;
  return adapter_.bus().memory_at(segment.cpu_address + place.address.offset,
                                  place.pages * kPageSize);
}

}  // namespace wddm::host
