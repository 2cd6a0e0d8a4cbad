// Evictions while the CPU has an allocation locked by an alternate address (UseAlternateVA, before
// WDDM 2.0).
//
// The CPU sees it through a swizzling range that the driver sets up. SpecialLockTransfer takes the
// content to pages of system memory, which are mapped at the alternate address from then on; they
// are others than those behind the allocation before. What the application finds there is to be
// what it saw through the range. When the allocation is paged in, its content comes back from
// there in the same way, and the lock is over here.
//
// Sources: nc-d3dkmddi-dxgkddi_buildpagingbuffer.md (Special-lock transfer),
// nc-d3dkmddi-dxgkddi_acquireswizzlingrange.md, ns-d3dukmdt-_d3dddicb_lockflags.md
// (UseAlternateVA). Left out: ranges that are larger or smaller than the allocation, segments that
// the CPU does not see, more ranges than one, and locks that outlast a page-in.
#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/vidmm/refusal_text.h"
#include "conformance/host/vidmm/requests.h"

namespace wddm::host::requests {
namespace {

// The last of the ranges, all of which are alike: its number is not 0 where there are several.
std::uint32_t range_of(const RequestScene& scene) {
  return scene.adapter.caps().NumberOfSwizzlingRanges - 1;
}

const char* why_not(const RequestScene& scene, AllocationId id) {
  if (!scene.residency.vidmm().exists(id)) return kUnknownAllocation;
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  if (!allocation.alternate_view) return "it is no primary with UseAlternateVA and CpuVisible";
  if (scene.adapter.caps().NumberOfSwizzlingRanges == 0) return "there is no swizzling range";
  if (!scene.residency.vidmm().allocation(id).resident()) return "it is not resident";
  const SegmentId segment = scene.residency.planned(id).segment;
  if (scene.residency.is_aperture(segment)) return "it lies in an aperture segment";
  if (!scene.adapter.segment(segment).flags.CpuVisible) return "the CPU does not see its segment";
  if (allocation.eviction_set != 0) {
    return "whether it goes through an aperture under such a lock is not laid down";
  }
  for (const DdiId ddi : {DdiId::AcquireSwizzlingRange, DdiId::ReleaseSwizzlingRange}) {
    if (!may_call(ddi)) return ddi_info(ddi).absence;
  }
  return allocation.pages > memory::frames_available() ? "there is no memory left" : nullptr;
}

// In memory or in registers of the device; a driver without hardware sets memory of its own aside.
// Empty: there is nothing at that address.
std::vector<std::uint8_t> bytes_at(Bus& bus, std::uint64_t address, std::uint64_t bytes) {
  const auto holds_it = [=](const Bus::BarPlace& bar) {
    return address >= bar.bus_address && bytes <= bar.size &&
           address - bar.bus_address <= bar.size - bytes;
  };
  std::vector<std::uint8_t> read(bytes);
  if (std::any_of(bus.bars().begin(), bus.bars().end(), holds_it)) {
    for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = bus.cpu_read(address + at);
      std::memcpy(&read[at], &word, sizeof(word));
    }
    return read;
  }
  if (address % kPageSize != 0) return {};
  for (std::uint64_t at = 0; at < bytes; at += kPageSize) {
    const memory::Frame frame = (address + at) / kPageSize;
    if (memory::frame_owner(frame) != memory::FrameOwner::Driver) return {};
    std::memcpy(&read[at], memory::frame_bytes(frame), kPageSize);
  }
  return read;
}

// Whether the range shows the bytes as they stand in the segment.
bool is_as_stored(const RequestScene& scene, PlaceInSegment place,
                  const std::vector<std::uint8_t>& seen) {
  for (std::uint64_t at = 0; at < seen.size(); at += kPageSize) {
    const std::uint8_t* const page =
        scene.memory.actual().page(place.segment, place.page + at / kPageSize);
    if (page == nullptr || std::memcmp(page, &seen[at], kPageSize) != 0) return false;
  }
  return true;
}

// What goes in is where the CPU finds the allocation in its segment: nothing else tells the driver
// of its place.
bool acquire(const RequestScene& scene, AllocationId id, DXGKARG_ACQUIRESWIZZLINGRANGE& range) {
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  const PlaceInSegment place = scene.residency.planned(id);
  const std::uint64_t address =
      scene.adapter.segment(place.segment).cpu_address + place.page * kPageSize;
  range.hAllocation = allocation.driver;
  range.RangeId = range_of(scene);
  range.SegmentId = place.segment.value;
  range.RangeSize = allocation.bytes;
  range.CPUTranslatedAddress.QuadPart = static_cast<LONGLONG>(address);
  return NT_SUCCESS(call_ddi<DdiId::AcquireSwizzlingRange>(id, scene.adapter.miniport(), &range));
}

const char* look_through(const DXGKARG_ACQUIRESWIZZLINGRANGE& range, const RequestScene& scene,
                         AllocationId id, SwizzlingView& view) {
  const AllocationObject& allocation = scene.paging.objects.allocation(id);
  const PlaceInSegment place = scene.residency.planned(id);
  view.range = range.RangeId;
  if (range.RangeSize != allocation.bytes) return "the range is of another size";
  view.bytes =
      bytes_at(scene.adapter.bus(), static_cast<std::uint64_t>(range.CPUTranslatedAddress.QuadPart),
               allocation.bytes);
  if (view.bytes.empty()) return "there is nothing at the address of the range";
  if (is_as_stored(scene, place, view.bytes)) {
    // A GPU that puts what the CPU reads of its memory in order is not modelled.
    if (allocation.swizzled) return "it is Swizzled, and the range shows it as it stands there";
    view.bytes.clear();
  } else if (scene.residency.apertures_in(allocation.write_set) != 0) {
    return "what the GPU sees of it in an aperture after that is not laid down";
  }
  return nullptr;
}

void release(const RequestScene& scene, AllocationId id) {
  DXGKARG_RELEASESWIZZLINGRANGE release{};
  release.hAllocation = scene.paging.objects.allocation(id).driver;
  release.RangeId = range_of(scene);
  static_cast<void>(call_ddi<DdiId::ReleaseSwizzlingRange>(id, scene.adapter.miniport(), &release));
}

}  // namespace

const char* evict_locked(const RequestScene& scene, const Op& op) {
  const AllocationId id{op.a};
  if (const char* const refused = why_not(scene, id)) return refused;
  AllocationObject& allocation = scene.paging.objects.allocation(id);
  DXGKARG_ACQUIRESWIZZLINGRANGE range{};
  if (!acquire(scene, id, range)) return "the driver sets up no swizzling range for it";
  SwizzlingView view;
  const char* refused = look_through(range, scene, id, view);
  if (refused == nullptr) {
    scene.memory.take_other_pages(id);
    allocation.view = std::move(view);
    refused = evict(scene, op);
    scene.waits.for_earlier_work();
    if (scene.residency.planned(id).segment != kNoSegment) allocation.view.reset();
  }
  if (!scene.waits.abandoned()) release(scene, id);
  return refused;
}

}  // namespace wddm::host::requests
