#include "conformance/host/adapter/host_aperture.h"

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

void tell(const Adapter& adapter, const HostAperturePages& pages, bool mapped) {
  const SegmentDescription& segment =
      adapter.segment(SegmentId{pages.segment}, pages.physical_adapter);
  session().tap(
      ev::HostAperturePages{.segment = pages.segment,
                            .physical_adapter = pages.physical_adapter,
                            .mapped = mapped,
                            .size = host_aperture_pages(adapter, segment, pages.physical_adapter),
                            .count = static_cast<std::uint32_t>(pages.window.size())},
      pages.window.data(), pages.window.size() * sizeof(UINT32));
}

// The lists as a driver gets them.
void end_lists(HostAperturePages& pages) {
  pages.window.push_back(pages.window_behind);
  pages.memory.push_back(pages.memory_behind);
}

}  // namespace

NTSTATUS map_host_aperture(const Adapter& adapter, HostAperturePages pages) {
  tell(adapter, pages, true);
  DXGKARG_MAPCPUHOSTAPERTURE args{};
  args.SegmentId = static_cast<WORD>(pages.segment);
  args.PhysicalAdapterIndex = static_cast<WORD>(pages.physical_adapter);
  args.NumberOfPages = pages.window.size();
  end_lists(pages);
  args.pCpuHostAperturePages = pages.window.data();
  args.pMemorySegmentPages = pages.memory.data();
  return call_ddi<DdiId::MapCpuHostAperture>(kNone, adapter.miniport(), &args);
}

NTSTATUS unmap_host_aperture(const Adapter& adapter, HostAperturePages pages) {
  tell(adapter, pages, false);
  DXGKARG_UNMAPCPUHOSTAPERTURE args{};
  args.SegmentId = static_cast<WORD>(pages.segment);
  args.PhysicalAdapterIndex = static_cast<WORD>(pages.physical_adapter);
  args.NumberOfPages = pages.window.size();
  end_lists(pages);
  args.pCpuHostAperturePages = pages.window.data();
  return call_ddi<DdiId::UnmapCpuHostAperture>(kNone, adapter.miniport(), &args);
}

std::uint32_t host_aperture_pages(const Adapter& adapter, const SegmentDescription& segment,
                                  std::uint32_t physical_adapter) {
  const std::uint64_t page = host_aperture_page_bytes(segment);
  const std::uint32_t pages = segment.host_aperture_pages;
  const auto of_the_cpu = static_cast<std::uint32_t>(pages * kPageSize / page);
  if (page == kPageSize || of_the_cpu >= kLeastHostAperturePages) return of_the_cpu;
  const std::uint64_t address = segment.host_aperture;
  for (const Bus::BarPlace& bar : adapter.bus().of(physical_adapter).bars()) {
    if (address < bar.bus_address || address - bar.bus_address >= bar.size) continue;
    if (pages * page <= bar.size - (address - bar.bus_address)) return pages;
  }
  return of_the_cpu;
}

std::uint64_t host_aperture_page_bytes(const SegmentDescription& segment) {
  return segment.flags.Use64KBPages != 0 ? 16 * kPageSize : kPageSize;
}

}  // namespace wddm::host
