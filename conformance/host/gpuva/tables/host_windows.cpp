#include "conformance/host/gpuva/tables/host_windows.h"

#include <algorithm>
#include <numeric>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

std::uint64_t page_bytes(const SegmentDescription& segment) {
  return segment.flags.Use64KBPages != 0 ? gpummu::kPageSize64K : kPageSize;
}

}  // namespace

std::optional<HostWindow> HostWindows::map(const gpummu::PhysicalAddress& at, std::uint64_t bytes,
                                           std::uint32_t physical_adapter) {
  if (at.segment.value > adapter_.segments(physical_adapter).size()) return std::nullopt;
  const SegmentDescription& segment = adapter_.segment(at.segment, physical_adapter);
  if (!segment.flags.SupportsCpuHostAperture || !may_call(DdiId::MapCpuHostAperture)) {
    return std::nullopt;
  }
  const std::uint64_t page = page_bytes(segment), first_page = at.offset / page;
  const std::uint64_t count = (at.offset + bytes - 1) / page - first_page + 1;
  std::vector<bool>& used = used_[{physical_adapter, at.segment}];
  used.resize(segment.host_aperture_pages);
  if (count > used.size()) return std::nullopt;
  const auto free =
      std::search_n(used.begin(), used.end(), static_cast<std::ptrdiff_t>(count), false);
  if (free == used.end()) return std::nullopt;
  HostWindow window{.physical_adapter = physical_adapter,
                    .segment = at.segment,
                    .first = static_cast<std::uint32_t>(free - used.begin()),
                    .pages = static_cast<std::uint32_t>(count)};
  window.bus_address = segment.host_aperture + window.first * page + at.offset % page;
  std::vector<UINT32> aperture(count);
  std::vector<UINT64> memory(count);
  std::iota(aperture.begin(), aperture.end(), window.first);
  std::iota(memory.begin(), memory.end(), first_page);
  DXGKARG_MAPCPUHOSTAPERTURE args{};
  args.SegmentId = static_cast<WORD>(at.segment.value);
  args.PhysicalAdapterIndex = static_cast<WORD>(physical_adapter);
  args.NumberOfPages = count;
  args.pCpuHostAperturePages = aperture.data();
  args.pMemorySegmentPages = memory.data();
  if (!NT_SUCCESS(call_ddi<DdiId::MapCpuHostAperture>(kNone, adapter_.miniport(), &args))) {
    return std::nullopt;
  }
  std::fill_n(free, count, true);
  return window;
}

void HostWindows::unmap(const HostWindow& window) {
  std::vector<bool>& used = used_[{window.physical_adapter, window.segment}];
  for (std::uint32_t i = 0; i < window.pages && window.first + i < used.size(); ++i) {
    used[window.first + i] = false;
  }
  if (!may_call(DdiId::UnmapCpuHostAperture)) return;
  std::vector<UINT32> aperture(window.pages);
  std::iota(aperture.begin(), aperture.end(), window.first);
  DXGKARG_UNMAPCPUHOSTAPERTURE args{};
  args.NumberOfPages = window.pages;
  args.pCpuHostAperturePages = aperture.data();
  args.SegmentId = static_cast<WORD>(window.segment.value);
  args.PhysicalAdapterIndex = static_cast<WORD>(window.physical_adapter);
  call_ddi<DdiId::UnmapCpuHostAperture>(kNone, adapter_.miniport(), &args);
}

}  // namespace wddm::host
