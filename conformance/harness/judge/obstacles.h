// Why ops of a run came to nothing, and what would let more clauses be judged.
//
// A clause that no run reached says so; its author asks why. The first op of its own scenario that
// was skipped tells: what comes behind mostly follows from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/trace/trace.h"

namespace wddm::harness {

struct ClauseResult;

/// "create_allocation: VidMm refuses the allocation: segment 2 overlaps segment 1": the ops that
/// were skipped, each text once, in the order of the trace, and at most eight. Where a DDI failed
/// within the op, what it returned.
[[nodiscard]] std::vector<std::string> obstacles_in(const Trace& trace);

/// What somebody may add beside the driver, and how many clauses wait for it.
struct Reach {
  std::string what;
  std::uint32_t clauses = 0;
};
/// By the reasons of results that did not apply or were not reached, most clauses first.
[[nodiscard]] std::vector<Reach> what_reaches_more(std::span<const ClauseResult> results);

/// A reason that a plug-in would remove, and the words for what to add. For a test that reasons are
/// still worded so.
struct Remedy {
  const char* reason;  ///< contained in the reason of a result
  const char* what;
};
[[nodiscard]] std::span<const Remedy> remedies();

}  // namespace wddm::harness
