#include "conformance/host/adapter/host_aperture.h"

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/memory/memory.h"

namespace wddm::host {
namespace {

void tell(const Adapter& adapter, const HostAperturePages& pages, bool mapped) {
  const SegmentDescription& segment =
      adapter.segment(SegmentId{pages.segment}, pages.physical_adapter);
  session().tap(ev::HostAperturePages{.segment = pages.segment,
                                      .physical_adapter = pages.physical_adapter,
                                      .mapped = mapped,
                                      .size = segment.host_aperture_pages,
                                      .count = static_cast<std::uint32_t>(pages.window.size())},
                pages.window.data(), pages.window.size() * sizeof(UINT32));
}

}  // namespace

NTSTATUS map_host_aperture(const Adapter& adapter, HostAperturePages pages) {
  tell(adapter, pages, true);
  DXGKARG_MAPCPUHOSTAPERTURE args{};
  args.SegmentId = static_cast<WORD>(pages.segment);
  args.PhysicalAdapterIndex = static_cast<WORD>(pages.physical_adapter);
  args.NumberOfPages = pages.window.size();
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
  args.pCpuHostAperturePages = pages.window.data();
  return call_ddi<DdiId::UnmapCpuHostAperture>(kNone, adapter.miniport(), &args);
}

std::uint64_t host_aperture_page_bytes(const SegmentDescription& segment) {
  return segment.flags.Use64KBPages != 0 ? 16 * kPageSize : kPageSize;
}

}  // namespace wddm::host
