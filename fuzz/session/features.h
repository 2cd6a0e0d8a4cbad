// The model's own state as coverage: which kinds of events each kind of op led to, which way the
// oracle went, which clauses had something to judge. Lets an engine steer where the driver under
// test is not instrumented, and towards clauses where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "conformance/harness/judge/result.h"
#include "reference/trace/trace.h"

namespace wddm::fuzz {

/// Room for all features, in bytes. One 8-bit counter each, as libFuzzer and AFL++ count.
inline constexpr std::size_t kFeatures = 8192;

/// Adds the features of one run to `counters`. Counters saturate. O(events + clauses).
void count_features(const Trace& trace, const Scenario& scenario, const harness::Judged& judged,
                    std::span<std::uint8_t, kFeatures> counters);

}  // namespace wddm::fuzz
