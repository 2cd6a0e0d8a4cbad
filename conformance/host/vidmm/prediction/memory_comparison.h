// How what memory holds compares with what is predicted, and whose fault a difference is.
//
// Compared are all pages of CPU-visible memory segments, the system pages behind allocations, and
// the dummy page; where one process runs many scenarios, those of them that anybody may have
// written to, or that are predicted anew. Left out: segments the CPU cannot see, whose contents are
// judged when they are paged out.
#pragma once

#include <cstdint>
#include <span>

#include "conformance/host/vidmm/prediction/predicted_memory.h"

namespace wddm::host {

class MemoryComparison {
 public:
  MemoryComparison(PredictedMemory& memory, const Residency& residency)
      : memory_(memory), shadow_(memory.shadow()), residency_(residency) {}

  /// Compares everything and records what differs. A difference is reported once: from then on the
  /// page is predicted as it is. To blame is the latest of `at_build` that was to write where it
  /// is; for all others `blame`.
  void check(const MemoryBlame& blame, std::span<const MemoryBlame> at_build = {});

 private:
  void look_again_at_what_was_written();
  [[nodiscard]] std::uint64_t followed_bytes() const;
  void expect_as_it_is(const gpu::PageDifference& seen);
  [[nodiscard]] bool lies_inside(const gpu::PageDifference& difference,
                                 const MemoryBlame& blame) const;
  void report(const gpu::PageDifference& difference, const MemoryBlame& blame) const;

  const PredictedMemory& memory_;
  gpu::ShadowMemory& shadow_;
  const Residency& residency_;
};

}  // namespace wddm::host
