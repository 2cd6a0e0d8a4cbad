#include "conformance/host/gpuva/contexts/context_apertures.h"

#include <algorithm>
#include <utility>

#include "conformance/host/boundary/session.h"
#include "conformance/host/vidmm/prediction/predicted_memory.h"

namespace wddm::host {
namespace {

constexpr const char* kNoRoom = "there is no room for a context allocation in the aperture";

std::uint32_t pages_in(const ContextAllocation& allocation) {
  return allocation.place->pages;
}

}  // namespace

HANDLE ContextApertures::device_of(const ContextAllocation& allocation) const {
  const DeviceObject& device = scene_.objects.device(allocation.device);
  return device.live ? device.driver : nullptr;
}

std::optional<std::uint32_t> ContextApertures::take(const ContextAllocation& allocation) {
  const SegmentId segment = allocation.segment;
  if (!residency_.has_segment(segment)) return std::nullopt;
  const std::uint32_t pages = pages_in(allocation);
  const std::uint64_t aligned = std::max<std::uint64_t>(1, pages_of(allocation.alignment));
  const auto page =
      residency_.vidmm().placement(segment).find(pages, static_cast<std::uint32_t>(aligned));
  if (!page || !residency_.vidmm().set_aside(segment, *page, pages)) return std::nullopt;
  return page;
}

void ContextApertures::give_back(const ContextAllocation& allocation, std::uint32_t page) {
  residency_.vidmm().give_back(allocation.segment, page);
}

// What is followed of an aperture is what the first GPU of a link sees in it.
NTSTATUS ContextApertures::carry_out(const ContextAllocation& allocation,
                                     const PagingOperationPtr& operation, bool shown) {
  operation->physical_adapter = allocation.physical_adapter;
  operation->effect = NoEffect{};
  if (allocation.physical_adapter == 0) {
    operation->effect =
        BufferEffect{allocation.segment, *allocation.aperture_page, pages_in(allocation), shown};
  }
  queue_.queue(operation);
  waits_.for_paging();
  return static_cast<NTSTATUS>(operation->status);
}

NTSTATUS ContextApertures::map(const ContextAllocation& allocation) {
  const std::vector<memory::Frame> frames = allocation.place->system.frames();
  const auto made = map_at(scene_, {allocation.segment, *allocation.aperture_page}, frames, 0);
  if (made->args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
    made->args.MapApertureSegment2.hDevice = device_of(allocation);
    made->args.MapApertureSegment2.hAllocation = allocation.driver;
  } else {
    made->args.MapApertureSegment.hDevice = device_of(allocation);
    made->args.MapApertureSegment.hAllocation = allocation.driver;
  }
  return carry_out(allocation, made, true);
}

NTSTATUS ContextApertures::unmap(const ContextAllocation& allocation) {
  const auto made = unmap_at({allocation.segment, *allocation.aperture_page}, pages_in(allocation),
                             memory_.dummy_frame());
  made->args.UnmapApertureSegment.hDevice = device_of(allocation);
  made->args.UnmapApertureSegment.hAllocation = allocation.driver;
  return carry_out(allocation, made, false);
}

const char* ContextApertures::show(ContextAllocation& allocation) {
  allocation.aperture_page = take(allocation);
  if (!allocation.aperture_page) return kNoRoom;
  static_cast<void>(map(allocation));
  return nullptr;
}

const char* ContextApertures::move(ContextAllocation& allocation) {
  const auto to = take(allocation);
  if (!to) return kNoRoom;
  const NTSTATUS gone = unmap(allocation);
  const std::uint32_t from = *std::exchange(allocation.aperture_page, to);
  give_back(allocation, from);
  if (waits_.abandoned()) return "work was given up";
  report(allocation, from, gone, map(allocation));
  return nullptr;
}

// Its place stays nobody's meanwhile, so that it is shown elsewhere when it is back.
const char* ContextApertures::evict(ContextAllocation& allocation) {
  const NTSTATUS gone = unmap(allocation);
  allocation.evicted = true;
  report(allocation, *allocation.aperture_page, gone, STATUS_SUCCESS);
  return nullptr;
}

const char* ContextApertures::bring_back(ContextAllocation& allocation) {
  const std::uint32_t from = *allocation.aperture_page;
  const auto to = allocation.told() ? take(allocation) : std::nullopt;
  if (to) {
    give_back(allocation, from);
    allocation.aperture_page = to;
  }
  const NTSTATUS come = map(allocation);
  allocation.evicted = false;
  report(allocation, from, STATUS_SUCCESS, come);
  return nullptr;
}

void ContextApertures::hide(ContextAllocation& allocation) {
  if (!allocation.aperture_page) return;
  if (!allocation.evicted) static_cast<void>(unmap(allocation));
  forget(allocation);
}

void ContextApertures::forget(ContextAllocation& allocation) {
  const auto page = std::exchange(allocation.aperture_page, std::nullopt);
  if (page) give_back(allocation, *page);
}

// The contents have stayed where they were.
void ContextApertures::report(const ContextAllocation& allocation, std::uint32_t from,
                              NTSTATUS gone, NTSTATUS come) const {
  const bool evicted = allocation.evicted;
  session().tap(
      ev::ContextAllocationMoved{.from = from * kPageSize,
                                 .to = evicted ? 0 : *allocation.aperture_page * kPageSize,
                                 .number = allocation.named.number,
                                 .context = allocation.context ? allocation.context->value : kNone,
                                 .device = allocation.context ? kNone : allocation.device.value,
                                 .segment = evicted ? 0 : allocation.segment.value,
                                 .gone = static_cast<std::uint32_t>(gone),
                                 .come = static_cast<std::uint32_t>(come),
                                 .unlike = kNone,
                                 .evicted = evicted});
}

}  // namespace wddm::host
