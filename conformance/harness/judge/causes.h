// Which of the results that turn a run red have one cause.
//
// A fault mostly breaks several clauses: the one that it is about, and others that see what follows
// from it. What is said of them rests on the runs alone:
//   - a run has departed from what was predicted where the first of its failures is;
//   - a clause that never fails without another before it in the same run, about the same packet,
//     buffer or event (kinship.h), and does in most runs of the other in which it had something to
//     judge, follows from it; but not where the other fails so often that this is no wonder, nor
//     without runs in which neither fails, unless its verdicts name what the other failed at;
//   - of clauses that fail at one event the one leads whose scenario it is, or else the one that
//     judges little beside the runs in which something is wrong there, and most of these: what is
//     said of a special case, if the case is what the runs that hold have not, and what is said of
//     all, if more than the case goes wrong;
//   - what always fails at one event is one thing, but for what is said of different members of
//   what
//     the driver is, which is the same in every run; and so is an access of the device that the
//     host met with what clauses say of it in the same op;
//   - runs that crash at one place crash for one reason: where several clauses are kept from being
//     judged by it, the crash itself comes before them;
//   - a finding of the kernel is another at each place in the driver, and a leak for each function
//     that asked for what is left.
// Nothing is left out: who does not believe it reads the list of results.
//
// The cost is that of clauses that failed, squared, by the runs in which they did.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/collect.h"

namespace wddm::harness {

/// What one clause, or a crash at one place, says of a cause.
struct Symptom {
  const ClauseResult* clause = nullptr;   ///< null: runs of several clauses ended so
  std::string reason;                     ///< one line
  OutcomeKind end = OutcomeKind::NotRun;  ///< without a clause: how they did

  /// "Split.SPLIT_007", or "CRASH".
  [[nodiscard]] std::string name() const {
    return clause != nullptr ? clause->name : fired_word(end);
  }
  [[nodiscard]] ResultKind kind() const {
    return clause != nullptr ? clause->kind : result_of(end);
  }
};

struct Cause {
  std::vector<Symptom> symptoms;  ///< what the others follow from comes first
  /// Of the first: its clause's; of findings and ends robustness if hostile user mode was behind
  /// all of them.
  Grade grade = Grade::Documented;
};

/// Causes of all results that are not expected, those that most runs depart by first.
[[nodiscard]] std::vector<Cause> causes_of(const SuiteResult& result,
                                           std::span<const RunRecord> records);

}  // namespace wddm::harness
