// How what memory holds compares with what is predicted, and whose fault a difference is.
//
// Compared are all pages of CPU-visible memory segments, the system pages behind allocations, and
// the dummy page; where one process runs more than one scenario, those of them that anybody may have
// written to, or that are predicted anew. Of segments that the CPU cannot see the device reads the
// pages that something is predicted for.
//
// Left out: what the device does not read either. Such contents are judged when they are paged out,
// and whoever was to write them is not told to be right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/vidmm/prediction/predicted_memory.h"

namespace wddm::host {

class MemoryComparison {
 public:
  MemoryComparison(PredictedMemory& memory, const Residency& residency)
      : memory_(memory), shadow_(memory.shadow()), residency_(residency) {}

  /// Compares everything and records what differs. A difference is reported once: from then on the
  /// page is predicted as it is. To blame is the latest of `at_build` that was to write where it
  /// is; for all others `blame`. Nothing is told of one whose work nobody can look at.
  void check(const MemoryBlame& blame, std::span<const MemoryBlame> at_build = {});
  /// The last of a run, with nobody to blame. But for a process of many runs it compares all: a
  /// device that keeps a write to itself is found out here.
  void check_at_end();

 private:
  struct Page {
    SegmentId segment{};
    std::uint64_t page = 0;
  };

  void check(const MemoryBlame& blame, std::span<const MemoryBlame> at_build, bool all);
  void look_again_at_what_was_written();
  /// Empty where nobody sees it; else it holds until the next call.
  [[nodiscard]] std::span<const std::byte> bytes_at(SegmentId segment, std::uint64_t page);
  [[nodiscard]] std::uint64_t followed_bytes() const;
  void expect_as_it_is(const gpu::PageDifference& seen);
  [[nodiscard]] bool lies_inside(const Page& page, const MemoryBlame& blame) const;
  void report(const gpu::PageDifference& difference, const MemoryBlame& blame) const;

  const PredictedMemory& memory_;
  gpu::ShadowMemory& shadow_;
  const Residency& residency_;
  std::array<std::uint8_t, kPageSize> seen_by_device_{};
  std::vector<gpu::PageDifference> differences_;  // that the last comparison found
  std::vector<Page> unseen_;  // predicted anew, and nobody can look at it
};

}  // namespace wddm::host
