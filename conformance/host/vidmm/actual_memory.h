// What memory does hold: every page that the CPU can see, by segment, system memory included.
//
// Left out: what it should hold, see predicted_memory.h.
#pragma once

#include <cstdint>

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
  /// The same where it is not null, for who is about to write to it. System memory counts as
  /// written then; of video memory the caller says so, unless he leaves it as reset() would.
  [[nodiscard]] std::uint8_t* page_to_write(SegmentId segment, std::uint64_t page) const;
  /// Whether the CPU sees the first so many pages, and there are any.
  [[nodiscard]] bool sees_all(SegmentId segment, std::uint32_t pages) const;
  [[nodiscard]] memory::Frame first_frame_of(SegmentId segment) const;
  /// Nothing changes such memory unnoticed; what a driver sets aside of its own, it may write to.
  [[nodiscard]] bool writes_known(SegmentId segment) const;

 private:
  [[nodiscard]] std::uint64_t address_of(SegmentId segment, std::uint64_t page) const;

  Adapter& adapter_;
  const Residency& residency_;
  const memory::FrameIndex& frames_;
};

}  // namespace wddm::host
