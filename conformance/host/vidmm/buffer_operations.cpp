#include "conformance/host/vidmm/buffer_operations.h"

#include <utility>
#include <vector>

namespace wddm::host {
namespace {

// What is followed of an aperture is what the first GPU of a link sees in it.
PagingEffect effect_of(const AperturePlace& place, bool shown) {
  if (place.physical_adapter != 0) return NoEffect{};
  return BufferEffect{place.segment, place.page, place.pages, shown};
}

}  // namespace

PagingOperationPtr show_buffer(const PagingScene& scene, const AperturePlace& place,
                               const memory::GuardedBuffer& buffer, HANDLE device) {
  const std::vector<memory::Frame> frames = buffer.frames();
  auto made = map_at(scene, {place.segment, place.page}, frames, 0);
  if (made->args.Operation == DXGK_OPERATION_MAP_APERTURE_SEGMENT2) {
    made->args.MapApertureSegment2.hDevice = device;
  } else {
    made->args.MapApertureSegment.hDevice = device;
  }
  made->physical_adapter = place.physical_adapter;
  made->of_buffer = true;
  made->record.of_buffer = 1;
  made->effect = effect_of(place, true);
  return made;
}

PagingOperationPtr hide_buffer(LeftBuffer left, HANDLE device, memory::Frame dummy) {
  const AperturePlace& place = left.place;
  auto made = unmap_at({place.segment, place.page}, place.pages, dummy);
  made->args.UnmapApertureSegment.hDevice = device;
  made->physical_adapter = place.physical_adapter;
  made->of_buffer = true;
  made->record.of_buffer = 1;
  made->shown = std::move(left.memory);
  made->effect = effect_of(place, false);
  return made;
}

}  // namespace wddm::host
