#include "conformance/host/gpuva/tables/table_places.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "conformance/host/adapter/segment_memory.h"
#include "reference/harness_assert.h"

namespace wddm::host {
namespace {

PlaceInSegment place_in_segment(const TablePlace& place) {
  return {place.address.segment, static_cast<std::uint32_t>(place.address.offset / kPageSize)};
}

// What free memory holds, so that who leaves a table unwritten reads the same in every run.
void fill_unused(const TablePlace& place) {
  const std::uint64_t words =
      place.pages * std::uint64_t{place.instances} * kPageSize / sizeof(std::uint32_t);
  std::fill_n(reinterpret_cast<std::uint32_t*>(place.system.data()), words, memory::kUnusedWord);
}

}  // namespace

std::optional<std::uint32_t> TablePlaces::find(const TableShape& shape) const {
  if (!residency_.has_segment(shape.segment) || residency_.is_aperture(shape.segment)) {
    return std::nullopt;
  }
  const std::uint64_t aligned = std::max<std::uint64_t>(1, pages_of(shape.alignment));
  return residency_.vidmm()
      .placement(shape.segment)
      .find(shape.pages, static_cast<std::uint32_t>(aligned));
}

std::optional<TablePlace> TablePlaces::take(const TableShape& shape,
                                            const std::optional<gpummu::PhysicalAddress>& wanted) {
  TablePlace taken{shape, {.segment = shape.segment}, {}, {}};
  if (shape.segment == kNoSegment) {
    taken.system = memory::GuardedBuffer(shape.pages * std::uint64_t{shape.instances} * kPageSize,
                                         true, memory::FrameOwner::Allocation);
    taken.address.offset = taken.system.physical_address();
    fill_unused(taken);
    return taken;
  }
  std::optional<std::uint32_t> page;
  if (wanted && wanted->segment == shape.segment) {
    page = static_cast<std::uint32_t>(wanted->offset / kPageSize);
  }
  if (!page || !residency_.vidmm().set_aside(shape.segment, *page, shape.pages)) {
    page = find(shape);
    if (!page || !residency_.vidmm().set_aside(shape.segment, *page, shape.pages)) {
      return std::nullopt;
    }
  }
  taken.address.offset = *page * kPageSize;
  memory_.set_aside({shape.segment, *page}, shape.pages);
  for (std::uint32_t gpu = 0; gpu < adapter_.physical_adapters(); ++gpu) {
    auto window = windows_.map(taken.address, shape.pages * kPageSize, gpu);
    if (window) taken.windows.push_back(*window);
  }
  return taken;
}

bool TablePlaces::has_room(const TableShape& shape) const {
  if (shape.segment == kNoSegment) {
    return memory::frames_available() > shape.pages * shape.instances;
  }
  return find(shape).has_value();
}

void TablePlaces::give_back(const TablePlace& place) {
  if (place.address.segment == kNoSegment) {
    return fill_unused(place);
  }
  for (const HostWindow& window : place.windows) windows_.unmap(window);
  const PlaceInSegment first = place_in_segment(place);
  residency_.vidmm().give_back(first.segment, first.page);
  memory_.leave(first, place.pages);
  for (std::uint32_t other = 1; other < adapter_.physical_adapters(); ++other) {
    std::uint8_t* const bytes = cpu_address(place, other);
    if (bytes != nullptr) std::memset(bytes, 0xFF, place.pages * kPageSize);
  }
}

bool TablePlaces::reaches(SegmentId segment) const {
  if (segment == kNoSegment) return true;
  if (!residency_.has_segment(segment)) return false;
  for (std::uint32_t gpu = 0; gpu < adapter_.physical_adapters(); ++gpu) {
    if (segment.value > adapter_.segments(gpu).size()) return false;
    const SegmentDescription& there = adapter_.segment(segment, gpu);
    const bool windows = there.flags.SupportsCpuHostAperture && there.host_aperture_pages != 0;
    if (!there.flags.CpuVisible && !windows) return false;
  }
  return true;
}

std::shared_ptr<TableView> TablePlaces::view(const TablePlace& place,
                                             std::uint32_t physical_adapter) const {
  const std::uint64_t bytes = place.pages * kPageSize;
  std::uint8_t* const seen = cpu_address(place, physical_adapter);
  if (seen != nullptr) return std::make_shared<DirectView>(std::span(seen, bytes));
  const SegmentId segment = place.address.segment;
  if (segment.value > adapter_.segments(physical_adapter).size()) {
    return std::make_shared<DirectView>(std::span<std::uint8_t>{});
  }
  Bus& bus = adapter_.bus().of(physical_adapter);
  const auto window = std::find_if(place.windows.begin(), place.windows.end(),
                                   [physical_adapter](const HostWindow& one) {
                                     return one.physical_adapter == physical_adapter;
                                   });
  if (window != place.windows.end()) {
    return std::make_shared<WindowView>(bus, window->bus_address, bytes);
  }
  const std::uint64_t base = adapter_.segment(segment, physical_adapter).base;
  return std::make_shared<DeviceView>(bus, base + place.address.offset, bytes);
}

std::uint8_t* TablePlaces::cpu_address(const TablePlace& place,
                                       std::uint32_t physical_adapter) const {
  if (place.address.segment == kNoSegment) {
    return place.system.data() + place.offset_of(physical_adapter);
  }
  // GPUs of a link may have different segments.
  if (place.address.segment.value > adapter_.segments(physical_adapter).size()) return nullptr;
  const SegmentDescription& segment = adapter_.segment(place.address.segment, physical_adapter);
  if (!segment.flags.CpuVisible) return nullptr;
  return segment_memory_at(adapter_.bus(), segment.cpu_address + place.address.offset,
                           place.pages * kPageSize);
}

}  // namespace wddm::host
