// What went wrong, and at which op: what inputs are sorted by, and what minimizing keeps. The op is
// where it shows: at which kind of op work ends is often chance. So a finding has a name without
// it, and what has the same name is the same finding, in this run and in all that write to its
// folder.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"

namespace wddm::fuzz {

/// All that went wrong, each once, in the order of the trace: "SPLIT-005-idle" is a clause and the
/// op it failed at ("end": outside of ops); a kernel finding counts like a clause, and says in
/// which function of the driver it was, "NT-Assertion-Adapter-escape-escape". How the run ended
/// comes last: "HANG", "BUGCHECK-119", "OVERFLOW".
[[nodiscard]] std::vector<std::string> buckets_of(const harness::Judged& judged,
                                                  const Scenario& scenario);

/// What a run is known by: the first of these, but for what ended it early, since clauses judge a
/// broken-off trace then: "CRASH-SIGSEGV-in-DxgkDdiPatch-f-g" with the innermost functions of the
/// driver. Empty if nothing went wrong.
[[nodiscard]] std::string bucket_of(const harness::RunOutcome& run, const Scenario& scenario);

/// The bucket of a clause's first failure in a run; empty if the clause did not fail.
[[nodiscard]] std::string bucket_of_clause(const harness::RunOutcome& run, const Scenario& scenario,
                                           const std::string& clause);

/// The failure that a bucket stands for; null if it stands for how a run ended.
[[nodiscard]] const harness::Failure* failure_of_bucket(const harness::Judged& judged,
                                                        const Scenario& scenario,
                                                        const std::string& bucket);

/// The name of what a bucket stands for in a run: of a failure the clause and what it expects, in
/// words, such as "PAGE-005-exactly-these-pages-change"; numbers, of which there are others each
/// time, are left out; of a kernel finding where it was, "NT-Assertion-Adapter-escape". What is no
/// failure of a clause is known by its bucket.
[[nodiscard]] std::string finding_of_bucket(const harness::Judged& judged, const Scenario& scenario,
                                            const std::string& bucket);

/// Whether a run shows what `bucket` stands for, perhaps beside other failures.
[[nodiscard]] bool shows(const harness::RunOutcome& run, const Scenario& scenario,
                         const std::string& bucket);

/// What expectations files call it, or a finding of that name: "SPLIT-005", "NT-PoolLeak", "CRASH".
[[nodiscard]] std::string clause_of_bucket(const std::string& bucket);

/// Whether a bucket stands for where the driver crashed, or for its bug check: of such there are
/// many.
[[nodiscard]] bool is_of_an_end(const std::string& bucket);

/// Whether a bucket is a defect of ours: of the harness, or of a clause that binds the host.
[[nodiscard]] bool is_ours(const std::string& bucket);

}  // namespace wddm::fuzz
