#include "conformance/host/vidmm/prediction/memory_comparison.h"

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr std::size_t kMostReported = 64;

}  // namespace

std::span<const std::byte> MemoryComparison::bytes_at(SegmentId segment, std::uint64_t page) {
  if (const std::uint8_t* const bytes = memory_.actual().page(segment, page)) {
    return std::as_bytes(std::span(bytes, kPageSize));
  }
  if (segment == kNoSegment || !shadow_.predicts(segment, page)) return {};
  if (memory_.actual().read_unseen(segment, page, seen_by_device_)) {
    return std::as_bytes(std::span(seen_by_device_));
  }
  if (shadow_.is_due(segment, page)) unseen_.push_back({segment, page});
  return {};
}

void MemoryComparison::look_again_at_what_was_written() {
  const ActualMemory& actual = memory_.actual();
  for (const memory::Frame frame : memory::written_frames()) {
    if (const auto index = memory_.frames().find(frame)) shadow_.look_again(kNoSegment, *index);
  }
  for (const auto& [page, gpu] : actual.of_others()) shadow_.look_again(page.first, page.second);
  for (const SegmentId segment : residency_.segments()) {
    if (residency_.is_aperture(segment) || !actual.can_be_read(segment)) continue;
    const std::uint32_t first_page = residency_.start_of_segment(segment);
    const std::uint32_t pages = residency_.end_of_segment(segment);
    if (actual.page(segment, first_page) == nullptr) {
      shadow_.for_each_known(segment,
                             [&](std::uint64_t page) { shadow_.look_again(segment, page); });
      continue;
    }
    const memory::Frame first = actual.first_frame_of(segment);
    const memory::Frame end = first + pages;
    if (!actual.writes_known(segment)) {
      memory::Frame frame = first + first_page;
      for (; (frame = memory::next_that_may_have_changed(frame, end)) != end; ++frame) {
        shadow_.look_again(segment, frame - first);
      }
      continue;
    }
    for (const memory::Frame frame : memory::written_frames()) {
      if (frame >= first + first_page && frame < end) shadow_.look_again(segment, frame - first);
    }
  }
}

// All that a comparison vouches for, whether it had to be read for it or not.
std::uint64_t MemoryComparison::followed_bytes() const {
  std::uint64_t pages = shadow_.known_pages(kNoSegment);
  for (const SegmentId segment : residency_.segments()) {
    if (residency_.is_aperture(segment) || !memory_.actual().can_be_read(segment)) continue;
    pages += shadow_.known_pages(segment);
  }
  return pages * kPageSize;
}

void MemoryComparison::check(const MemoryBlame& blame, std::span<const MemoryBlame> at_build) {
  check(blame, at_build, session().process == Process::OneRun);
}

void MemoryComparison::check_at_end() {
  check({}, {}, session().process != Process::ManyRuns);
}

void MemoryComparison::check(const MemoryBlame& blame, std::span<const MemoryBlame> at_build,
                             bool all) {
  if (!memory_.known()) return;
  unseen_.clear();
  const auto read = [this](SegmentId segment, std::uint64_t page) {
    return bytes_at(segment, page);
  };
  if (!all) look_again_at_what_was_written();
  const auto pages = all ? gpu::ShadowMemory::Compared::All : gpu::ShadowMemory::Compared::Due;
  const std::size_t count = shadow_.compare(read, differences_, pages);
  memory::forget_written();
  const std::size_t held = std::min(count, kMostReported);
  std::array<std::size_t, kMostReported> culprits;  // indices of `at_build`; its size: `blame`
  for (std::size_t i = 0; i < held; ++i) {
    culprits[i] = at_build.size();
    for (std::size_t k = 0; k < at_build.size(); ++k) {
      if (lies_inside({differences_[i].segment, differences_[i].page}, at_build[k]))
        culprits[i] = k;
    }
  }
  // What nobody can look at is as much the work of the packet as of those that were to write there.
  const auto is_unseen = [&](const MemoryBlame& whose, std::size_t index) {
    return std::any_of(unseen_.begin(), unseen_.end(), [&](const Page& page) {
      return index == at_build.size() || lies_inside(page, whose);
    });
  };
  const std::uint64_t bytes = followed_bytes();
  // Each is told with what it is to blame for.
  const auto tell = [&](const MemoryBlame& whose, std::size_t index, std::size_t unreported) {
    const auto its =
        static_cast<std::size_t>(std::count(culprits.begin(), culprits.begin() + held, index));
    if (its + unreported == 0 && is_unseen(whose, index)) return;
    session().tap(ev::MemoryChecked{.bytes = bytes,
                                    .cause = static_cast<std::uint32_t>(whose.cause),
                                    .object = whose.packet.value,
                                    .operation = whose.operation,
                                    .differences = static_cast<std::uint32_t>(its + unreported)});
    for (std::size_t i = 0; i < held; ++i) {
      if (culprits[i] != index) continue;
      report(differences_[i], whose);
    }
  };
  for (std::size_t k = 0; k < at_build.size(); ++k) tell(at_build[k], k, 0);
  const std::size_t of_packet = at_build.size();
  const bool any_left = std::count(culprits.begin(), culprits.begin() + held, of_packet) != 0;
  if (blame.packet != kNoPacket || at_build.empty() || any_left || count > held) {
    tell(blame, of_packet, count - held);
  }
  for (const gpu::PageDifference& difference : differences_) expect_as_it_is(difference);
}

bool MemoryComparison::lies_inside(const Page& page, const MemoryBlame& blame) const {
  const AllocationId owner = memory_.owner_of(page.segment, page.page).allocation;
  const bool inside_segment = blame.pages != 0 && page.segment == blame.segment &&
                              page.page >= blame.page &&
                              page.page < blame.page + std::uint64_t{blame.pages};
  return inside_segment || (blame.allocation != kNoAllocation && owner == blame.allocation);
}

// One wrong write is one report.
void MemoryComparison::expect_as_it_is(const gpu::PageDifference& seen) {
  const auto bytes = bytes_at(seen.segment, seen.page);
  if (seen.segment == kNoSegment) {
    shadow_.write({.offset = 0, .frames = {&seen.page, 1}}, bytes);
  } else {
    shadow_.write({.segment = seen.segment, .offset = seen.page * kPageSize}, bytes);
  }
}

void MemoryComparison::report(const gpu::PageDifference& difference,
                              const MemoryBlame& blame) const {
  const SegmentId segment = difference.segment;
  const PredictedMemory::Owner owner = memory_.owner_of(segment, difference.page);
  const bool owned = owner.allocation != kNoAllocation;
  MemoryPlace where = owned ? MemoryPlace::Allocation : MemoryPlace::FreeSegmentPage;
  if (segment == kNoSegment && !owned) {
    const bool dummy = memory_.frames()[difference.page] == memory_.dummy_frame();
    where = dummy ? MemoryPlace::DummyPage : MemoryPlace::SystemPage;
  }
  const std::uint32_t page = owned ? owner.page : static_cast<std::uint32_t>(difference.page);
  session().tap(
      ev::MemoryDiffers{.where = static_cast<std::uint32_t>(where),
                        .object = owner.allocation.value,
                        .offset = static_cast<std::uint32_t>(page * kPageSize + difference.offset),
                        .length = static_cast<std::uint32_t>(difference.bytes),
                        .expected = difference.expected,
                        .seen = difference.seen,
                        .cause = static_cast<std::uint32_t>(blame.cause),
                        .cause_object = blame.packet.value,
                        .operation = blame.operation,
                        .inside = lies_inside({segment, difference.page}, blame),
                        .physical_adapter = memory_.actual().gpu_of(segment, difference.page)});
}

}  // namespace wddm::host
