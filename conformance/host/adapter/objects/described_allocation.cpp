#include "conformance/host/adapter/objects/described_allocation.h"

#include <algorithm>

#include "conformance/host/adapter/system_memory_segment.h"
#include "conformance/host/boundary/decision_seat.h"
#include "reference/gpummu/address.h"

namespace wddm::host {
namespace {

// What may lie in a segment of 64 KB pages has whole ones of its own (PGSZ-003).
std::uint32_t in_large_pages(std::uint32_t pages) {
  return (pages + gpummu::kPagesPer64K - 1) / gpummu::kPagesPer64K * gpummu::kPagesPer64K;
}

std::uint32_t flags_of(const DXGK_ALLOCATIONINFO& info) {
  return Adapter::knows(InterfaceVersion::Wddm2_0) ? info.FlagsWddm2.Value : info.Flags.Value;
}

}  // namespace

AllocationObject described(const Adapter& adapter, const DXGK_ALLOCATIONINFO& info,
                           const WddmAllocationRequest& asked, bool primary) {
  const std::uint32_t flags = flags_of(info);
  AllocationObject allocation;
  allocation.driver = info.hAllocation;
  allocation.pages =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(pages_of(info.Size), kMostPages + 1));
  allocation.write_set = info.SupportedWriteSegmentSet;
  allocation.eviction_set = info.EvictionSegmentSet;
  allocation.preferred = SegmentId{info.PreferredSegment.SegmentId0};
  take_for_aperture(adapter, allocation);
  allocation.alignment_pages =
      static_cast<std::uint32_t>(std::max<std::uint64_t>(1, pages_of(info.Alignment)));
  if (adapter.has_64kb_pages(allocation.write_set) && !decisions().sizes_in_small_pages()) {
    allocation.pages = in_large_pages(allocation.pages);
    allocation.alignment_pages = in_large_pages(allocation.alignment_pages);
  }
  allocation.bytes = allocation.pages * kPageSize;
  // Before WDDM 2.0 that member is MaximumRenamingListLength. GPUs that there are not have no
  // memory.
  const bool linked = adapter.has_virtual_addresses() && info.PhysicalAdapterIndex != 0;
  if (linked && info.PhysicalAdapterIndex < adapter.physical_adapters()) {
    allocation.physical_adapter = info.PhysicalAdapterIndex;
  }
  allocation.exact = allocation.bytes == asked.bytes;
  allocation.cpu_visible = (flags & 1) != 0;
  allocation.cached = (flags & 4) != 0;
  if (!Adapter::knows(InterfaceVersion::Wddm2_0)) {
    allocation.swizzled = info.Flags.Swizzled != 0;
    allocation.most_instances = info.MaximumRenamingListLength;
    allocation.alternate_view = primary && allocation.cpu_visible && info.Flags.UseAlternateVA != 0;
  }
  allocation.large_pages = info.FlagsWddm2.DisableLargePageMapping == 0;
  allocation.accessed_physically =
      Adapter::knows(InterfaceVersion::Wddm2_0) && info.FlagsWddm2.AccessedPhysically != 0;
  allocation.notify_residency =
      allocation.accessed_physically && info.FlagsWddm2.ExplicitResidencyNotification != 0;
  return allocation;
}

ev::AllocationCreated told(AllocationId id, DeviceId device, const DXGK_ALLOCATIONINFO& info,
                           const WddmAllocationRequest& asked, bool primary) {
  return {
      .size = info.Size,
      .pitch_size = info.PitchAlignedSize,
      .allocation = id.value,
      .priority = info.AllocationPriority,
      .read_set = info.SupportedReadSegmentSet,
      .write_set = info.SupportedWriteSegmentSet,
      .eviction_set = info.EvictionSegmentSet,
      .flags = flags_of(info),
      .preferred = info.PreferredSegment.Value,
      .alignment = info.Alignment,
      .renaming = info.MaximumRenamingListLength,
      .asked_pages = static_cast<std::uint32_t>(asked.bytes / kPageSize),
      .asked_place = static_cast<std::uint32_t>(asked.aperture != 0 ? Place::Aperture : Place::Any),
      .asked_cpu_visible = asked.cpu_visible,
      .device = device.value,
      .primary = primary,
      .source = primary ? 0 : kNone};
}

}  // namespace wddm::host
