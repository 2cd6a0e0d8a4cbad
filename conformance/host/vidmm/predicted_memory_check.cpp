// The comparison of memory with its prediction, and whose fault a difference is.
#include <algorithm>

#include "conformance/host/vidmm/predicted_memory.h"

namespace wddm::host {
namespace {

constexpr std::size_t kMostReported = 64;

}  // namespace

void PredictedMemory::look_again_at_what_was_written() {
  for (const memory::Frame frame : memory::written_frames()) {
    if (const auto index = frames_.find(frame)) shadow_.look_again(SegmentId{0}, *index);
  }
  for (std::uint32_t segment = 1; residency_.has_segment(segment); ++segment) {
    if (residency_.is_aperture(segment)) continue;
    const std::uint32_t pages = residency_.pages_of_segment(segment);
    if (!writes_known(segment)) {
      for (std::uint32_t page = 0; page < pages; ++page) {
        shadow_.look_again(SegmentId{segment}, page);
      }
      continue;
    }
    const memory::Frame first = first_frame_of(segment);
    for (const memory::Frame frame : memory::written_frames()) {
      if (frame - first < pages) shadow_.look_again(SegmentId{segment}, frame - first);
    }
  }
}

// All that a comparison vouches for, whether it had to be read for it or not.
std::uint64_t PredictedMemory::followed_bytes() const {
  std::uint64_t pages = shadow_.known_pages(SegmentId{0});
  for (std::uint32_t segment = 1; residency_.has_segment(segment); ++segment) {
    if (!residency_.is_aperture(segment) && actual(segment, 0) != nullptr) {
      pages += shadow_.known_pages(SegmentId{segment});
    }
  }
  return pages * kPageSize;
}

void PredictedMemory::check(const MemoryBlame& blame) {
  if (!active_ || lost_) return;
  std::array<gpu::PageDifference, kMostReported> differences;
  const auto read = [this](SegmentId segment, std::uint64_t page) {
    const std::uint8_t* const bytes = actual(segment.value, page);
    if (bytes == nullptr) return std::span<const std::byte>{};
    return std::as_bytes(std::span(bytes, kPageSize));
  };
  const bool all = session().process == Process::OneRun;
  if (!all) look_again_at_what_was_written();
  const std::size_t count = shadow_.compare(
      read, differences, all ? gpu::ShadowMemory::Compared::All : gpu::ShadowMemory::Compared::Due);
  memory::forget_written();
  session().tap(ev::MemoryChecked{.bytes = followed_bytes(),
                                  .cause = static_cast<std::uint32_t>(blame.cause),
                                  .object = blame.object,
                                  .operation = blame.operation,
                                  .differences = static_cast<std::uint32_t>(count)});
  for (std::size_t i = 0; i < std::min(count, differences.size()); ++i) {
    report(differences[i], blame);
    // From here on the page is predicted as it is: one wrong write is one report.
    const gpu::PageDifference& seen = differences[i];
    const auto bytes = read(seen.segment, seen.page);
    if (seen.segment.value == 0) {
      shadow_.write({.offset = 0, .frames = {&seen.page, 1}}, bytes);
    } else {
      shadow_.write({.segment = seen.segment, .offset = seen.page * kPageSize}, bytes);
    }
  }
}

std::uint32_t PredictedMemory::owner_of(std::uint32_t segment, std::uint64_t page,
                                        std::uint32_t* page_of_allocation) const {
  for (std::uint32_t slot = 0; slot <= kMarkerAllocation; ++slot) {
    const AllocationObject& allocation = objects_.allocation(slot);
    if (!allocation.live) continue;
    if (segment == 0) {
      const auto found = std::find(indices_[slot].begin(), indices_[slot].end(), page);
      if (found == indices_[slot].end()) continue;
      *page_of_allocation = static_cast<std::uint32_t>(found - indices_[slot].begin());
      return slot;
    }
    const PlaceInSegment place = at_[slot];
    if (place.segment != segment || page < place.page || page >= place.page + allocation.pages) {
      continue;
    }
    *page_of_allocation = static_cast<std::uint32_t>(page - place.page);
    return slot;
  }
  return kNone;
}

void PredictedMemory::report(const gpu::PageDifference& difference, const MemoryBlame& blame) {
  const std::uint32_t segment = difference.segment.value;
  std::uint32_t page_in = static_cast<std::uint32_t>(difference.page);
  const std::uint32_t owner = owner_of(segment, difference.page, &page_in);
  MemoryPlace where = owner != kNone ? MemoryPlace::Allocation : MemoryPlace::FreeSegmentPage;
  if (segment == 0 && owner == kNone) {
    where = frames_[difference.page] == dummy_ ? MemoryPlace::DummyPage : MemoryPlace::SystemPage;
  }
  const bool inside_allocation = blame.allocation != kNone && owner == blame.allocation;
  const bool inside_segment = blame.pages != 0 && segment == blame.segment &&
                              difference.page >= blame.page &&
                              difference.page < blame.page + std::uint64_t{blame.pages};
  session().tap(ev::MemoryDiffers{
      .where = static_cast<std::uint32_t>(where),
      .object = owner,
      .offset = static_cast<std::uint32_t>(page_in * kPageSize + difference.offset),
      .length = static_cast<std::uint32_t>(difference.bytes),
      .expected = difference.expected,
      .seen = difference.seen,
      .cause = static_cast<std::uint32_t>(blame.cause),
      .cause_object = blame.object,
      .operation = blame.operation,
      .inside = inside_allocation || inside_segment});
}

}  // namespace wddm::host
