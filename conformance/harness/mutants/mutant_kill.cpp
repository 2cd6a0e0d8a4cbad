#include "conformance/harness/mutants/mutant_kill.h"

#include <algorithm>

#include "conformance/harness/mutants/mutant_images.h"

namespace wddm::harness {
namespace {

constexpr double kSeconds = 5;

bool counts(const Failure& failure) {
  const Rule* const rule = find_rule(failure.id);
  return rule == nullptr || rule->binds == Binds::Driver;
}

}  // namespace

bool speaks_against(const Judged& judged) {
  return judged.hung || judged.bug_checked || judged.crashed || judged.scribbled ||
         std::any_of(judged.failures.begin(), judged.failures.end(), counts);
}

std::string killer_of(const RunOutcome& run) {
  const OutcomeKind kind = run.outcome.kind;
  if (kind == OutcomeKind::Harness || kind == OutcomeKind::NotRun) return {};
  for (const Failure& failure : run.judged.failures) {
    if (counts(failure)) return failure.id;
  }
  // That a trace is full is no fault of a driver's by itself.
  return kind == OutcomeKind::Overflowed ? "" : fired_word(kind);
}

RunOutcome play_alone(unsigned mutant, const Scenario& scenario) {
  IsolatorOptions isolation;
  isolation.timeout_seconds = kSeconds;
  RunRequest request;
  request.scenario = &scenario;
  request.keep = KeepTrace::Never;
  request.replay = false;
  mutant_control().active = mutant;
  RunOutcome outcome = Isolator(isolation).run_one(request);
  mutant_control().active = 0;
  return outcome;
}

}  // namespace wddm::harness
