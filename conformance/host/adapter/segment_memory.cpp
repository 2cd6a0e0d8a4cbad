#include "conformance/host/adapter/segment_memory.h"

#include "conformance/host/memory/memory.h"
#include "reference/types.h"

namespace wddm::host {

// Frames that were asked for one by one are adjacent by chance, and the host sees them apart.
std::uint8_t* segment_memory_at(const Bus& bus, std::uint64_t address, std::uint64_t bytes) {
  if (std::uint8_t* const video = bus.memory_at(address, bytes)) {
    memory::note_written(address, bytes);
    return video;
  }
  if (bytes == 0 || address + bytes < address) return nullptr;
  const memory::Frame first = address / kPageSize, last = (address + bytes - 1) / kPageSize;
  const std::uint8_t* const seen = memory::frame_bytes(first);
  for (memory::Frame frame = first; frame <= last; ++frame) {
    const bool owned = memory::frame_owner(frame) == memory::FrameOwner::Driver;
    if (!owned || memory::frame_bytes(frame) != seen + (frame - first) * kPageSize) return nullptr;
  }
  memory::note_written(address, bytes);
  return memory::frame_bytes_to_write(first) + address % kPageSize;
}

}  // namespace wddm::host
