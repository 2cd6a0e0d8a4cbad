// The packets of each engine in order of submission, and what the driver's reports cover.
//
// Built from what was seen at the boundary, not from what the scheduler made of it: a report whose
// DPC never ran counts here. Computed once for each check that asks.
#pragma once

#include <cstdint>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {

/// One SubmitCommand.
struct Submission {
  std::uint32_t event = 0;
  std::uint32_t packet = 0;
  std::uint32_t fence = 0;
  bool paging = false;
  std::uint32_t covered_by = kNone;  ///< the report that settled it: completed or preempted
};

/// Lives within one check.
class EngineHistory {
 public:
  explicit EngineHistory(const Trace& trace);

  /// All submissions by node, oldest first.
  [[nodiscard]] const ScratchMap<std::uint32_t, ScratchVector<Submission>>& by_node() const {
    return nodes_;
  }

 private:
  ScratchMap<std::uint32_t, ScratchVector<Submission>> nodes_;
};

/// Last marker reading of each packet at its end: 1 it ran, 0 it did not, absent: unknown.
[[nodiscard]] ScratchMap<std::uint32_t, std::uint32_t> runs_at_end(const Trace& trace);

}  // namespace wddm
