// What counts against a mutant: a clause that binds the driver, a finding of the kernel, a crash, a
// hang or a bug check; never a defect of ours nor a clause that binds our own host.
#pragma once

#include <string>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/judge/judge.h"

namespace wddm::harness {

[[nodiscard]] bool speaks_against(const Judged& judged);
/// "SEG-003", "NT-PoolLeak", "CRASH", "HANG"; empty if nothing kills.
[[nodiscard]] std::string killer_of(const RunOutcome& run);
/// The scenario as `wddmcheck run` plays it, with a process of its own that nothing happened to.
[[nodiscard]] RunOutcome play_alone(unsigned mutant, const Scenario& scenario);

}  // namespace wddm::harness
