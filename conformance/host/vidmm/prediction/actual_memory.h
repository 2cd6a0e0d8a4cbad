// What memory does hold: every page that the CPU can see, by segment, system memory included, and
// what the device itself reads where no BAR shows it.
//
// Of a link a page may be that of another GPU than the first: the segments of all have the same
// numbers here, and each page of them is in use on one GPU at most.
//
// Left out: what it should hold, see predicted_memory.h.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "conformance/host/memory/frame_index.h"
#include "conformance/host/vidmm/residency_in_effect.h"

namespace wddm::host {

class ActualMemory {
 public:
  /// `frames`: the system pages, which kNoSegment names by their number there.
  ActualMemory(Adapter& adapter, const Residency& residency, const memory::FrameIndex& frames)
      : adapter_(adapter), residency_(residency), frames_(frames) {}

  /// What a page holds; null if the CPU cannot see it.
  [[nodiscard]] const std::uint8_t* page(SegmentId segment, std::uint64_t page) const;
  /// Copies a page of a segment that the CPU cannot see, as the device reads it. False if it does
  /// not.
  [[nodiscard]] bool read_unseen(SegmentId segment, std::uint64_t page,
                                 std::span<std::uint8_t> bytes) const;
  /// Whether the CPU sees where the segment begins, or the device reads it.
  [[nodiscard]] bool can_be_read(SegmentId segment) const;
  /// The same as page() where that is not null, for who is about to write to it. System memory
  /// counts as written then; of video memory the caller says so, unless he leaves it as reset()
  /// would.
  [[nodiscard]] std::uint8_t* page_to_write(SegmentId segment, std::uint64_t page) const;
  /// Whether the CPU sees the first so many pages, and there are any.
  [[nodiscard]] bool sees_all(SegmentId segment, std::uint32_t pages) const;
  [[nodiscard]] memory::Frame first_frame_of(SegmentId segment) const;
  [[nodiscard]] memory::Frame frame_of(SegmentId segment, std::uint64_t page) const;

  /// From here on these are pages of that GPU.
  void lies_on(std::uint32_t physical_adapter, PlaceInSegment first, std::uint32_t pages);
  [[nodiscard]] std::uint32_t gpu_of(SegmentId segment, std::uint64_t page) const;
  /// Those of other GPUs than the first, as pairs of segment and page.
  using OfOthers = std::map<std::pair<SegmentId, std::uint64_t>, std::uint32_t>;
  [[nodiscard]] const OfOthers& of_others() const { return of_others_; }
  void forget_others() { of_others_.clear(); }
  /// Nothing changes such memory unnoticed; what a driver sets aside of its own, it may write to.
  [[nodiscard]] bool writes_known(SegmentId segment) const;
  /// Its pages hold memory::kUnusedWord until they are written to, and that is known. How large the
  /// BAR is decides, not how much of it VidMm uses.
  [[nodiscard]] bool begins_unused(SegmentId segment) const;

 private:
  [[nodiscard]] std::uint64_t address_of(SegmentId segment, std::uint64_t page) const;

  Adapter& adapter_;
  const Residency& residency_;
  const memory::FrameIndex& frames_;
  OfOthers of_others_;
};

}  // namespace wddm::host
