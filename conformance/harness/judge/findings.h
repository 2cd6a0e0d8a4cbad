// What kernel services catch the driver doing, reported under names of their own beside the
// clauses.
//
// A finding is no clause of the catalogue: it has no scenario and no fault, and is judged on every
// trace. It appears in results only when it fires, as "Nt.NT_PoolOverrun"; each place in the driver
// that it was met at is another defect, and a result of its own: "Nt.NT_PoolOverrun_2".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge/result.h"
#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm::harness {

/// Places of one finding that are told of a run, or of a trace.
inline constexpr std::size_t kMostPlaces = 16;

/// That a run crashed whose clause was judged before.
inline constexpr const char* kCrashFinding = "NT-Crash";

/// "NT-PoolOverrun"
[[nodiscard]] std::string finding_id(std::uint32_t kind);
/// One sentence on a finding by its id in either spelling; null for any other id.
[[nodiscard]] const char* about_finding(std::string_view id);
/// Ids of all findings, in the order of their enumeration.
[[nodiscard]] std::vector<std::string> all_finding_ids();
/// The first finding of each kind at each place in a trace, explained.
[[nodiscard]] std::vector<Failure> findings_in(const Trace& trace, const Scenario& scenario);
/// What a run that crashed says of it.
[[nodiscard]] Failure crash_of(const RunOutcome& run);

/// Where in the driver a finding was met: "Adapter::start+0x46"; of what is left, who asked for it;
/// of a crash, the calls that it was in. Empty where nobody knows, and for clauses.
[[nodiscard]] std::string site_of(const Failure& finding);
/// The same as long as the driver's source stays, whoever builds it: without the offset. "?" where
/// nobody knows; empty for clauses.
[[nodiscard]] std::string place_of(const Failure& finding);
/// Who asked for what is left, "Device::open"; empty: it does not say.
[[nodiscard]] std::string asker_of(const Failure& finding);
[[nodiscard]] bool is_leak(const Failure& finding);

}  // namespace wddm::harness
