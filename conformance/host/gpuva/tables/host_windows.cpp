#include "conformance/host/gpuva/tables/host_windows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "conformance/host/adapter/host_aperture.h"
#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

HostAperturePages named(const HostWindow& window) {
  HostAperturePages pages{.segment = window.segment.value,
                          .physical_adapter = window.physical_adapter,
                          .window = std::vector<UINT32>(window.pages)};
  std::iota(pages.window.begin(), pages.window.end(), window.first);
  return pages;
}

}  // namespace

std::optional<HostWindow> HostWindows::map(const gpummu::PhysicalAddress& at, std::uint64_t bytes,
                                           std::uint32_t physical_adapter) {
  if (at.segment.value > adapter_.segments(physical_adapter).size()) return std::nullopt;
  const SegmentDescription& segment = adapter_.segment(at.segment, physical_adapter);
  if (!segment.flags.SupportsCpuHostAperture || !may_call(DdiId::MapCpuHostAperture)) {
    return std::nullopt;
  }
  const std::uint64_t page = host_aperture_page_bytes(segment), first_page = at.offset / page;
  const std::uint64_t count = (at.offset + bytes - 1) / page - first_page + 1;
  std::vector<bool>& used = used_[{physical_adapter, at.segment}];
  used.resize(host_aperture_pages(adapter_, segment, physical_adapter));
  if (count > used.size()) return std::nullopt;
  const auto free =
      std::search_n(used.begin(), used.end(), static_cast<std::ptrdiff_t>(count), false);
  if (free == used.end()) return std::nullopt;
  HostWindow window{.physical_adapter = physical_adapter,
                    .segment = at.segment,
                    .first = static_cast<std::uint32_t>(free - used.begin()),
                    .pages = static_cast<std::uint32_t>(count)};
  window.bus_address = segment.host_aperture + window.first * page + at.offset % page;
  HostAperturePages pages = named(window);
  pages.memory.resize(count);
  std::iota(pages.memory.begin(), pages.memory.end(), first_page);
  if (!NT_SUCCESS(map_host_aperture(adapter_, std::move(pages)))) return std::nullopt;
  std::fill_n(free, count, true);
  return window;
}

void HostWindows::unmap(const HostWindow& window) {
  std::vector<bool>& used = used_[{window.physical_adapter, window.segment}];
  for (std::uint32_t i = 0; i < window.pages && window.first + i < used.size(); ++i) {
    used[window.first + i] = false;
  }
  if (!may_call(DdiId::UnmapCpuHostAperture)) return;
  unmap_host_aperture(adapter_, named(window));
}

}  // namespace wddm::host
