// Why ops of a run came to nothing, and what would let more clauses be judged.
//
// A clause that no run reached says so; its author asks why. The first op of its own scenario that
// was skipped tells: what comes behind mostly follows from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/platform.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

struct ClauseResult;

/// "create_allocation: VidMm refuses the allocation: segment 2 overlaps segment 1": the ops that
/// were skipped, each text once, in the order of the trace, and at most eight. Where a DDI failed
/// within the op, and no later call of it succeeded, what it returned. What only says that
/// something is not there comes last. An op that finds done what it asks for met no obstacle.
[[nodiscard]] std::vector<std::string> obstacles_in(const Trace& trace);

/// Of one of these, whether it only says that something is not there: that follows from what stands
/// before it, or the driver has fewer nodes, GPUs, segments, processes, addresses or entry points
/// than a scenario has use for. A clause that is about one of them does not apply without it.
[[nodiscard]] bool names_what_is_not_there(std::string_view obstacle);

/// What somebody may add beside the driver, and how many clauses wait for it.
struct Reach {
  std::string what;
  std::uint32_t clauses = 0;  ///< 0: none waits for it, but some see more with it
};
/// By the reasons of results that did not apply or were not reached, and by what the device leaves
/// out; most clauses first.
[[nodiscard]] std::vector<Reach> what_reaches_more(std::span<const ClauseResult> results,
                                                   const Platform& platform);

/// Why a clause was not reached, where nothing stood in its way.
inline constexpr const char* kNoRunCameToIt = "no run came to what it judges";
/// ... and it judges by the log of a device that has none.
inline constexpr const char* kNoDeviceLog = "no device log";

/// A reason that a plug-in would remove, and the words for what to add. For a test that reasons are
/// still worded so.
struct Remedy {
  const char* reason;  ///< contained in the reason of a result
  const char* what;
};
[[nodiscard]] std::span<const Remedy> remedies();

/// What a plug-in may leave out without a clause that says so, and what it is good for.
struct Offer {
  bool (*missing)(const Platform&);
  const char* what;
  bool (*helps)(const Platform&);  ///< whether it would show more of this driver
  /// Whether a clause that was not reached waits for it; null: none does.
  bool (*waits)(const ClauseResult&) = nullptr;
};
[[nodiscard]] std::span<const Offer> offers();

}  // namespace wddm::harness
