#include "conformance/host/vidmm/prediction/actual_memory.h"

#include <array>

namespace wddm::host {

std::uint64_t ActualMemory::address_of(SegmentId segment, std::uint64_t page) const {
  return adapter_.segment(segment, gpu_of(segment, page)).cpu_address + page * kPageSize;
}

void ActualMemory::lies_on(std::uint32_t physical_adapter, PlaceInSegment first,
                           std::uint32_t pages) {
  for (std::uint64_t page = first.page; page < std::uint64_t{first.page} + pages; ++page) {
    if (physical_adapter != 0) {
      of_others_[{first.segment, page}] = physical_adapter;
    } else if (!of_others_.empty()) {
      of_others_.erase({first.segment, page});
    }
  }
}

std::uint32_t ActualMemory::gpu_of(SegmentId segment, std::uint64_t page) const {
  if (of_others_.empty()) return 0;
  const auto found = of_others_.find({segment, page});
  return found == of_others_.end() ? 0 : found->second;
}

memory::Frame ActualMemory::frame_of(SegmentId segment, std::uint64_t page) const {
  return address_of(segment, page) / kPageSize;
}

const std::uint8_t* ActualMemory::page(SegmentId segment, std::uint64_t page) const {
  if (segment == kNoSegment)
    return page < frames_.size() ? memory::frame_bytes(frames_[page]) : nullptr;
  if (!adapter_.segment(segment, gpu_of(segment, page)).flags.CpuVisible) return nullptr;
  const std::uint64_t address = address_of(segment, page);
  if (const std::uint8_t* const bytes = adapter_.bus().memory_at(address, kPageSize)) return bytes;
  // A driver without hardware sets system memory of its own aside.
  const memory::Frame frame = address / kPageSize;
  const bool owned = memory::frame_owner(frame) == memory::FrameOwner::Driver;
  return owned ? memory::frame_bytes(frame) : nullptr;
}

bool ActualMemory::read_unseen(SegmentId segment, std::uint64_t page,
                               std::span<std::uint8_t> bytes) const {
  if (segment == kNoSegment || residency_.is_aperture(segment)) return false;
  const std::uint32_t gpu = gpu_of(segment, page);
  const std::uint64_t address = adapter_.segment(segment, gpu).base + page * kPageSize;
  return adapter_.bus().of(gpu).device_read(address, bytes);
}

bool ActualMemory::can_be_read(SegmentId segment) const {
  const std::uint32_t first = residency_.start_of_segment(segment);
  std::array<std::uint8_t, sizeof(std::uint32_t)> word;
  return page(segment, first) != nullptr || read_unseen(segment, first, word);
}

std::uint8_t* ActualMemory::page_to_write(SegmentId segment, std::uint64_t page) const {
  if (segment == kNoSegment) return memory::frame_bytes_to_write(frames_[page]);
  const std::uint64_t address = address_of(segment, page);
  std::uint8_t* const video = adapter_.bus().memory_at(address, kPageSize);
  return video != nullptr ? video : memory::frame_bytes_to_write(address / kPageSize);
}

bool ActualMemory::sees_all(SegmentId segment, std::uint32_t pages) const {
  for (std::uint32_t i = 0; i < pages; ++i) {
    if (page(segment, i) == nullptr) return false;
  }
  return pages != 0;
}

memory::Frame ActualMemory::first_frame_of(SegmentId segment) const {
  return address_of(segment, 0) / kPageSize;
}

bool ActualMemory::writes_known(SegmentId segment) const {
  return adapter_.bus().writes_known(address_of(segment, 0),
                                     residency_.end_of_segment(segment) * kPageSize);
}

bool ActualMemory::begins_unused(SegmentId segment) const {
  return adapter_.bus().begins_unused(address_of(segment, 0),
                                      residency_.end_of_segment(segment) * kPageSize);
}

}  // namespace wddm::host
