#include "conformance/host/vidmm/swizzling_range.h"

#include <algorithm>
#include <cstring>

#include "conformance/host/boundary/ddi_call.h"

namespace wddm::host {
namespace {

bool is_in_a_bar(const Bus& bus, std::uint64_t address, std::uint64_t bytes) {
  return std::any_of(bus.bars().begin(), bus.bars().end(), [=](const Bus::BarPlace& bar) {
    return address >= bar.bus_address && bytes <= bar.size &&
           address - bar.bus_address <= bar.size - bytes;
  });
}

// What no device answers for reads as all ones.
std::uint64_t word_at(Bus& bus, std::uint64_t address) {
  return is_in_a_bar(bus, address, sizeof(std::uint64_t)) ? bus.cpu_read(address) : ~0ull;
}

bool is_somebodys_memory(memory::Frame frame) {
  const memory::FrameOwner owner = memory::frame_owner(frame);
  return owner != memory::FrameOwner::Free && owner != memory::FrameOwner::Bar;
}

// Of a machine with a device: whether a range reaches to where there is neither a BAR nor memory
// that is given to anybody.
bool leads_nowhere(const Bus& bus, std::uint64_t address, std::uint64_t bytes) {
  if (!bus.present() || is_in_a_bar(bus, address, bytes)) return false;
  for (std::uint64_t at = 0; at < bytes; at += kPageSize) {
    if (is_somebodys_memory((address + at) / kPageSize)) return false;
  }
  return true;
}

// In memory or in registers of the device, or where there is nothing; a driver without hardware
// sets memory of its own aside. Empty: nobody knows what the CPU sees there.
std::vector<std::uint8_t> bytes_at(Bus& bus, std::uint64_t address, std::uint64_t bytes) {
  std::vector<std::uint8_t> read(bytes);
  if (is_in_a_bar(bus, address, bytes) || leads_nowhere(bus, address, bytes)) {
    for (std::uint64_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
      const std::uint64_t word = word_at(bus, address + at);
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

}  // namespace

const char* why_no_swizzling_range(const RequestScene& scene) {
  if (scene.adapter.caps().NumberOfSwizzlingRanges == 0) return "there is no swizzling range";
  for (const DdiId ddi : {DdiId::AcquireSwizzlingRange, DdiId::ReleaseSwizzlingRange}) {
    if (!may_call(ddi)) return ddi_info(ddi).absence;
  }
  return nullptr;
}

std::uint32_t last_swizzling_range(const RequestScene& scene) {
  return scene.adapter.caps().NumberOfSwizzlingRanges - 1;
}

// What goes in is where the CPU finds the allocation in its segment: nothing else tells the driver
// of its place.
const char* SwizzlingRange::acquire() {
  const AllocationObject& allocation = scene_.paging.objects.allocation(allocation_);
  const PlaceInSegment place = scene_.residency.planned(allocation_);
  const std::uint64_t address =
      scene_.adapter.segment(place.segment).cpu_address + place.page * kPageSize;
  range_.hAllocation = allocation.driver;
  range_.RangeId = number();
  range_.SegmentId = place.segment.value;
  range_.RangeSize = allocation.bytes;
  range_.CPUTranslatedAddress.QuadPart = static_cast<LONGLONG>(address);
  acquired_ = NT_SUCCESS(
      call_ddi<DdiId::AcquireSwizzlingRange>(allocation_, scene_.adapter.miniport(), &range_));
  if (!acquired_) return "the driver sets up no swizzling range for it";
  if (range_.RangeSize != allocation.bytes) return "the range is of another size";
  seen_ =
      bytes_at(scene_.adapter.bus(),
               static_cast<std::uint64_t>(range_.CPUTranslatedAddress.QuadPart), allocation.bytes);
  return seen_.empty() ? "memory that is not the driver's is at the address of the range" : nullptr;
}

void SwizzlingRange::release() {
  acquired_ = false;
  DXGKARG_RELEASESWIZZLINGRANGE release{};
  release.hAllocation = scene_.paging.objects.allocation(allocation_).driver;
  release.RangeId = number();
  static_cast<void>(
      call_ddi<DdiId::ReleaseSwizzlingRange>(allocation_, scene_.adapter.miniport(), &release));
}

bool SwizzlingRange::is_as_stored() const {
  const PlaceInSegment place = scene_.residency.planned(allocation_);
  for (std::uint64_t at = 0; at < seen_.size(); at += kPageSize) {
    const std::uint8_t* const page =
        scene_.memory.actual().page(place.segment, place.page + at / kPageSize);
    if (page == nullptr || std::memcmp(page, &seen_[at], kPageSize) != 0) return false;
  }
  return true;
}

void SwizzlingRange::write(std::uint32_t offset, std::uint32_t value) {
  Bus& bus = scene_.adapter.bus();
  const auto first = static_cast<std::uint64_t>(range_.CPUTranslatedAddress.QuadPart);
  // The other half of what is written at once stays as it was read.
  const std::uint32_t aligned = offset & ~7u;
  const bool answered = is_in_a_bar(bus, first + aligned, sizeof(std::uint64_t));
  if (!answered && leads_nowhere(bus, first, seen_.size())) return;  // it is lost
  std::memcpy(&seen_[offset], &value, sizeof(value));
  if (!answered) {
    const memory::Frame frame = (first + offset) / kPageSize;
    std::memcpy(memory::frame_bytes_to_write(frame) + offset % kPageSize, &value, sizeof(value));
    return;
  }
  std::uint64_t word;
  std::memcpy(&word, &seen_[aligned], sizeof(word));
  bus.cpu_write(first + aligned, word);
}

}  // namespace wddm::host
