#include "conformance/host/vidmm/buffer_windows.h"

#include <utility>

#include "conformance/host/vidmm/paging/buffer_operations.h"

namespace wddm::host {

HANDLE BufferWindows::device_of(const AperturePlace& place) const {
  const DeviceObject& device = scene_.objects.device(place.device);
  return device.live ? device.driver : nullptr;
}

bool BufferWindows::place(RenderBuffer& buffer) {
  unmap_left();
  const ContextObject& context = scene_.objects.context(buffer.context);
  const std::uint32_t segments = context.info.DmaBufferSegmentSet;
  if (segments == 0 || adapter_.has_virtual_addresses()) return true;
  auto window = pages_.take(segments, buffer.dma.size());
  if (!window) {
    waits_.for_earlier_work();
    if (waits_.abandoned()) return false;
    unmap_left();
    window = pages_.take(segments, buffer.dma.size());
  }
  if (!window && !Adapter::knows(InterfaceVersion::Wddm2_0)) {
    make_room(segments);
    if (waits_.abandoned()) return false;
    window = pages_.take(segments, buffer.dma.size());
  }
  if (!window) return false;
  buffer.window = std::move(*window);
  buffer.window.place.device = context.device;
  buffer.window.place.physical_adapter = buffer.engine.physical_adapter;
  return true;
}

// All earlier work has ended.
void BufferWindows::make_room(std::uint32_t segment_set) {
  vidmm::PagingSteps steps;
  residency_.vidmm().evict_unpinned(residency_.apertures_in(segment_set), steps);
  for (const vidmm::PagingStep& step : steps) {
    queue_.queue(step);
    if (waits_.abandoned()) return;
  }
}

PagingQueue::Buffers BufferWindows::show(RenderBuffer& buffer) {
  AperturePlace& place = buffer.window.place;
  if (place.segment == kNoSegment || std::exchange(place.mapped, true)) return {};
  return queue_.build(show_buffer(scene_, place, buffer.dma, device_of(place)));
}

void BufferWindows::unmap_left() {
  for (LeftBuffer& left : pages_.take_left()) {
    pages_.give_back(left.place);
    if (!left.place.mapped) continue;
    const HANDLE device = device_of(left.place);
    queue_.queue(hide_buffer(std::move(left), device, memory_.dummy_frame()));
    if (waits_.abandoned()) return;
  }
}

}  // namespace wddm::host
