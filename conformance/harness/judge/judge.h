// Judges one trace by every rule.
//
// The checks read the trace and the platform record and never know which scenario made it. What is
// not judged here: how the process ended (isolate.h), and what a clause comes to over all traces
// (collect.h).
#pragma once

#include <cstdint>

#include "conformance/harness/judge/result.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

struct JudgeOptions {
  KeepTrace keep = KeepTrace::OfFailure;
  /// Told of each rule before its check runs, so that a crash of a check can be named. May be null.
  void (*about_to_judge)(void* context, const char* id) = nullptr;
  void* context = nullptr;
};

/// Judges what is left in `storage`, which the driver under test may have written over. `events`
/// and `blobs` are the capacities it was created with; what it says of itself isn't trusted.
[[nodiscard]] Judged judge_storage(const void* storage, std::uint32_t events, std::uint32_t blobs,
                                   const Scenario& scenario, const JudgeOptions& options);

/// Judges a sound trace. An exception from a check ends up in Judged::harness.
[[nodiscard]] Judged judge(const Trace& trace, const Platform& platform, const Scenario& scenario,
                           const JudgeOptions& options = {});

/// The outcome of a trace that isn't sound.
[[nodiscard]] Judged scribbled();

/// Whether a trace has the shape that only its writer gives it: a damaged one is no evidence.
[[nodiscard]] bool sound(const void* storage, std::uint32_t events, std::uint32_t blobs);

}  // namespace wddm::harness
