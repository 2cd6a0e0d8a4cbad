// What kernel services catch the driver doing, reported under names of their own beside the
// clauses.
//
// A finding is no clause of the catalogue: it has no scenario and no fault, and is judged on every
// trace. It appears in results only when it fires, as "Nt.NT_PoolOverrun".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

/// That a run crashed whose clause was judged before.
inline constexpr const char* kCrashFinding = "NT-Crash";

/// "NT-PoolOverrun"
[[nodiscard]] std::string finding_id(std::uint32_t kind);
/// One sentence on a finding by its id in either spelling; null for any other id.
[[nodiscard]] const char* about_finding(std::string_view id);
/// Ids of all findings, in the order of their enumeration.
[[nodiscard]] std::vector<std::string> all_finding_ids();
/// The first finding of each kind in a trace, explained.
[[nodiscard]] std::vector<Failure> findings_in(const Trace& trace, const Scenario& scenario);
/// What a run that crashed says of it.
[[nodiscard]] Failure crash_of(const RunOutcome& run);

}  // namespace wddm::harness
