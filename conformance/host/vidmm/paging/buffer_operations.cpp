#include "conformance/host/vidmm/paging/buffer_operations.h"

#include <utility>
#include <vector>

namespace wddm::host {
namespace {

// What is followed of an aperture is what the first GPU of a link sees in it.
void tell_of_buffer(PagingOperation& made, const AperturePlace& place, bool shown) {
  made.physical_adapter = place.physical_adapter;
  made.record.of_buffer = 1;
  made.effect = NoEffect{};
  if (place.physical_adapter != 0) return;
  made.effect = BufferEffect{place.segment, place.page, place.pages, shown};
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
  tell_of_buffer(*made, place, true);
  return made;
}

PagingOperationPtr hide_buffer(LeftBuffer left, HANDLE device, memory::Frame dummy) {
  const AperturePlace& place = left.place;
  auto made = unmap_at({place.segment, place.page}, place.pages, dummy);
  made->args.UnmapApertureSegment.hDevice = device;
  made->shown = std::move(left.memory);
  tell_of_buffer(*made, place, false);
  return made;
}

}  // namespace wddm::host
