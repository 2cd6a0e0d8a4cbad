#include "conformance/harness/judge/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/gathered.h"
#include "conformance/harness/judge/obstacles.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/rules/rule_registry.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

bool is_failing(ResultKind kind) {
  return kind == ResultKind::Fail || kind == ResultKind::Crash || kind == ResultKind::Hang ||
         kind == ResultKind::Timeout;
}

class Collector {
 public:
  Collector(std::span<const RunRecord> records, const CollectOptions& options)
      : records_(records), options_(options) {
    for (const Rule* rule : all_rules()) {
      Gathered& gathered = rules_.emplace_back();
      gathered.result.id = rule->id;
      gathered.result.name = test_name_of(rule->id);
      gathered.result.rule = rule;
      gathered.result.selected = std::find(options.selected.begin(), options.selected.end(),
                                           rule) != options.selected.end();
    }
  }

  SuiteResult result() {
    for (std::size_t i = 0; i < records_.size(); ++i) gather(i);
    // Behind all that ended scenarios of the driver's clauses, and say it better.
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!ends_its_clause(records_[i])) gather_end(i);
    }
    for (Gathered& gathered : rules_) add(gathered);
    for (Gathered& gathered : findings_.all()) add(gathered);
    if (suite_.started) suite_.start_trouble.clear();
    add_start();
    return std::move(suite_);
  }

 private:
  // -- one record

  void gather(std::size_t index) {
    const RunRecord& record = records_[index];
    gather_platform(record.run);
    if (record.run.judged.platform.started) {
      suite_.possible |= possible_for(record.run.judged.platform);
    }
    suite_.decided |= record.run.judged.decisions;
    if (record.spec.rule != nullptr) gather_own(index);
    const std::string where = place(record.spec);
    for (const std::string& defect : record.run.judged.harness) {
      suite_.harness.push_back(fmt::format("{}: {}", where, defect));
    }
    if (record.run.outcome.kind == OutcomeKind::Harness) {
      suite_.harness.push_back(fmt::format("{}: {}", where, record.run.outcome.about));
    }
    gather_outcomes(record);
    for (const Failure& failure : record.run.judged.failures) gather_failure(failure, index);
    if (was_judged(record)) gather_failure(crash_of(record.run), index);
  }

  void gather_platform(const RunOutcome& run) {
    if (run.judged.platform.started && !suite_.started) {
      suite_.started = true;
      suite_.platform = run.judged.platform;
    } else if (!suite_.started && suite_.start_trouble.empty()) {
      suite_.platform = run.judged.platform;
      suite_.start_trouble =
          run.outcome.kind == OutcomeKind::Finished ? run.judged.start_trouble : run.outcome.about;
    }
  }

  void gather_own(std::size_t index) {
    const RunRecord& record = records_[index];
    const OutcomeKind outcome = record.run.outcome.kind;
    Gathered& own = of(record.spec.rule->id);
    if (outcome == OutcomeKind::NotRun) {
      own.own_not_run = true;
      if (own.own_end_about.empty()) own.own_end_about = record.run.outcome.about;
      return;
    }
    if (outcome == OutcomeKind::Harness) {
      own.own_harness = true;
      return;
    }
    if (!ends_its_clause(record)) {
      own.driver_ended_it |= outcome != OutcomeKind::Finished && !is_of_driver_clause(record.spec);
      return;
    }
    if (record.run.flaky) {
      if (own.flake_about.empty()) {
        own.flake_about = fmt::format("{}: {}", place(record.spec), record.run.flake_about);
      }
      return;
    }
    if (outcome == OutcomeKind::Finished || was_judged(record) || filled_its_trace(record)) return;
    own.result.ended_badly.push_back(index);
    ends_.insert(end_place(record.run.outcome));
    if (own.own_end != ResultKind::Pass) return;
    own.own_end = result_of(outcome);
    own.own_end_about = fmt::format("{}: {}", place(record.spec), summary_of_end(record.run));
  }

  // A crash leaves what the clause has said by then: that it does not hold, or after the last op
  // that it does. The crash is a finding of its own then.
  static bool was_judged(const RunRecord& record) {
    const Judged& judged = record.run.judged;
    if (record.run.outcome.kind != OutcomeKind::Crashed || !is_of_driver_clause(record.spec))
      return false;
    if (own_clause_fired(record)) return true;
    const bool after_all = judged.broken_off.event != kNone && judged.broken_off.op == kNoOp;
    const RuleOutcome* const said = said_of_own_clause(record);
    return after_all && said != nullptr && said->reached != 0;
  }

  // A full trace holds what came before it was full: that its clause does not hold says more than
  // that there is no room for the rest. That it holds nobody knows.
  static bool filled_its_trace(const RunRecord& record) {
    return record.run.outcome.kind == OutcomeKind::Overflowed && is_of_driver_clause(record.spec) &&
           own_clause_fired(record);
  }

  static bool own_clause_fired(const RunRecord& record) {
    const std::vector<Failure>& failures = record.run.judged.failures;
    return std::any_of(failures.begin(), failures.end(), [&record](const Failure& failure) {
      return failure.id == record.spec.rule->id;
    });
  }

  // Of a run that is of no clause that applies to the driver. What ended the scenario of one is
  // told there, and each kind of end once.
  void gather_end(std::size_t index) {
    const RunRecord& record = records_[index];
    const OutcomeKind outcome = record.run.outcome.kind;
    if (outcome == OutcomeKind::Finished || outcome == OutcomeKind::NotRun ||
        outcome == OutcomeKind::Harness || ends_.count(end_place(record.run.outcome)) != 0) {
      return;
    }
    Gathered* const its = findings_.at(fired_word(outcome), place_of_end(record.run.outcome));
    if (its == nullptr) return;
    Gathered& end = *its;
    if (record.run.flaky) {
      if (end.flake_about.empty()) {
        end.flake_about = fmt::format("{}: {}", place(record.spec), record.run.flake_about);
      }
    } else if (end.own_end == ResultKind::Pass) {
      end.result.ended_badly.push_back(index);
      end.own_end = result_of(outcome);
      end.own_end_about = fmt::format("{}: {}", place(record.spec), summary_of_end(record.run));
    }
  }

  void gather_outcomes(const RunRecord& record) {
    const RunOutcome& run = record.run;
    if (run.judged.rules.empty()) return;  // nothing could be judged
    HARNESS_ASSERT(run.judged.rules.size() == rules_.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const RuleOutcome& outcome = run.judged.rules[i];
      Gathered& gathered = rules_[i];
      if (!outcome.not_applicable.empty()) {
        if (gathered.not_applicable.empty()) gathered.not_applicable = outcome.not_applicable;
        continue;
      }
      gathered.applied = true;
      const bool in_vain = record.spec.rule == gathered.result.rule && outcome.reached == 0;
      if (in_vain && gathered.obstacle.empty() && !run.judged.obstacles.empty())
        gathered.obstacle = run.judged.obstacles.front();
      ++gathered.result.traces;
      gathered.result.reached += outcome.reached;
      if (record.spec.rule == nullptr) gathered.result.reached_in_corpus += outcome.reached;
    }
  }

  void gather_failure(const Failure& failure, std::size_t index) {
    const bool of_rule = find_rule(failure.id) != nullptr;
    Gathered* const its = of_rule ? &of(failure.id) : findings_.at(failure.id, site_of(failure));
    if (its == nullptr) return;
    Gathered& gathered = *its;
    if (records_[index].spec.rule == nullptr) {
      const bool asked = gathered.result.selected || gathered.result.rule == nullptr;
      if ((options_.corpus_of_selected && !asked) || !gathered.result.failures.empty()) return;
    }
    if (records_[index].run.flaky) {
      if (gathered.flake_about.empty()) {
        gathered.flake_about =
            fmt::format("{}: {}", place(records_[index].spec), records_[index].run.flake_about);
      }
      return;
    }
    gathered.result.failures.push_back({failure, index});
  }

  // -- one clause

  void add(Gathered& gathered) {
    ClauseResult& result = gathered.result;
    if (options_.excluded.count(result.id) != 0) return;
    const bool fired =
        !result.failures.empty() || !result.ended_badly.empty() || !gathered.flake_about.empty();
    if (!result.selected && !fired) return;
    std::stable_partition(result.failures.begin(), result.failures.end(),
                          [](const FailureAt& at) { return at.failure.provoked.empty(); });
    decide(gathered);
    note_places(result);
    apply_expectations(result);
    if (const std::size_t further = findings_.left_out_behind(gathered); further != 0) {
      result.reason += fmt::format("  (and at {} further places, which are not listed)", further);
    }
    const bool ours = result.rule && result.rule->binds != Binds::Driver;
    if (ours && is_failing(result.kind) && !result.failures.empty()) {
      suite_.harness.push_back(fmt::format("{}: {}",
                                           place(records_[result.failures[0].record].spec),
                                           summary_of(result.failures[0].failure)));
    }
    (ours ? suite_.host : suite_.driver).push_back(std::move(result));
  }

  void decide(Gathered& gathered) const {
    ClauseResult& result = gathered.result;
    const auto become = [&result](ResultKind kind, std::string reason) {
      result.kind = kind;
      result.reason = std::move(reason);
    };
    if (const Pattern* skip = skip_of(result.id); skip && result.selected) {
      become(ResultKind::NotRun, fmt::format("skipped by {}:{}", skip->file, skip->line));
    } else if (gathered.own_end != ResultKind::Pass) {
      become(gathered.own_end, gathered.own_end_about);
    } else if (!result.failures.empty()) {
      become(ResultKind::Fail, summary_of(result.failures.front().failure));
    } else if (!gathered.flake_about.empty()) {
      become(ResultKind::Flake, gathered.flake_about);
    } else if (gathered.own_harness) {
      become(ResultKind::NotRun, "a defect of wddmcheck stopped it");
    } else if (gathered.own_not_run) {
      become(ResultKind::NotRun,
             gathered.own_end_about.empty() ? "not begun" : gathered.own_end_about);
    } else if (gathered.driver_ended_it && result.reached == 0) {
      become(ResultKind::NotRun, "the driver did not live to its end");
    } else if (result.reached > result.reached_in_corpus) {
      become(ResultKind::Pass, "");
    } else if (result.reached > 0 && !options_.unreached_is_red) {
      become(ResultKind::Pass, "only scenarios of the corpus came to what it judges");
    } else if (gathered.applied && !suite_.started) {
      become(ResultKind::NotApplicable, "the driver did not start");
    } else if (gathered.applied && options_.unreached_is_red && !is_beyond(result.id)) {
      become(ResultKind::Fail, "its check was never reached in any configuration");
    } else if (gathered.applied) {
      become(ResultKind::NotApplicable, "not reached: " + why_not_reached(gathered));
    } else {
      become(ResultKind::NotApplicable, gathered.not_applicable.empty() ? "no trace could be judged"
                                                                        : gathered.not_applicable);
    }
  }

  // What was skipped in its own scenario says more than what drivers leave out, but for what only
  // is not there.
  [[nodiscard]] std::string why_not_reached(const Gathered& gathered) const {
    const std::string& obstacle = gathered.obstacle;
    if (!obstacle.empty() && !names_what_is_not_there(obstacle)) return obstacle;
    const Rule* const rule = gathered.result.rule;
    if (rule != nullptr && rule->unreached[0] != 0) return rule->unreached;
    const bool by_log = rule != nullptr && rule->evidence == Evidence::DeviceLog;
    if (by_log && !suite_.platform.has_device_log) return kNoDeviceLog;
    return obstacle.empty() ? kNoRunCameToIt : obstacle;
  }

  [[nodiscard]] bool is_beyond(const std::string& id) const {
    const std::vector<std::string_view> beyond = words_of(options_.beyond);
    return std::find(beyond.begin(), beyond.end(), id) != beyond.end();
  }

  void note_places(ClauseResult& result) const {
    const auto note = [&result](std::string place) {
      const bool told =
          std::find(result.places.begin(), result.places.end(), place) != result.places.end();
      if (!place.empty() && !told) result.places.push_back(std::move(place));
    };
    if (result.kind == ResultKind::Crash) {
      for (const std::size_t run : result.ended_badly)
        note(place_of_end(records_[run].run.outcome));
    } else if (result.kind == ResultKind::Fail && result.rule == nullptr) {
      for (const FailureAt& at : result.failures) note(place_of(at.failure));
    }
  }

  // Nothing can be said of most clauses then; what the driver did do wrong stands beside it.
  void add_start() {
    ClauseResult result;
    result.id = result.name = kStart;
    result.kind = suite_.started ? ResultKind::Pass : ResultKind::Fail;
    result.reason = "the driver did not start: " + suite_.start_trouble;
    if (suite_.started || suite_.start_trouble.empty()) {
      if (!options_.expectations || !options_.expectations->of(kStart)) return;
      result.kind = suite_.started ? ResultKind::Pass : ResultKind::NotRun;
      result.reason.clear();
    }
    apply_expectations(result);
    suite_.driver.push_back(std::move(result));
  }

  void apply_expectations(ClauseResult& result) const {
    const bool flaked = result.kind == ResultKind::Flake || is_failing(result.kind);
    result.expected = !flaked;
    if (!options_.expectations) return;
    if (const Pattern* flake = options_.expectations->flake_of(result.id); flake && flaked) {
      result.kind = ResultKind::Flake;
      result.expected = true;
      result.reason += fmt::format("  (known flake, {}:{})", flake->file, flake->line);
      return;
    }
    const Expectation* const expectation = options_.expectations->of(result.id, result.places);
    if (!expectation) {
      if (const Expectation* const other = options_.expectations->of(result.id)) {
        result.reason += fmt::format("  ({}:{} has it at another place)", other->file, other->line);
      }
      return;
    }
    result.expectation = expectation;
    const bool by_chance =
        result.kind == ResultKind::Flake || expectation->result == ResultKind::Flake;
    if (flaked && by_chance) {
      // One of its runs did as the baseline says.
      result.kind = ResultKind::Flake;
      result.expected = true;
    } else if (result.kind == expectation->result) {
      result.kind = ResultKind::ExpectedFail;
      result.expected = true;
    } else if (result.kind == ResultKind::Pass && !by_chance) {
      result.kind = ResultKind::UnexpectedPass;
      result.expected = false;
      result.reason = fmt::format("{}:{} says {}", expectation->file, expectation->line,
                                  name_of(expectation->result));
    }
  }

  // -- small things

  [[nodiscard]] const Pattern* skip_of(const std::string& id) const {
    return options_.expectations ? options_.expectations->skip_of(id) : nullptr;
  }

  [[nodiscard]] std::string place(const RunSpec& spec) const {
    std::string text = place_name(spec);
    if (options_.configurations.size() > 1 || spec.configuration > 0) {
      text += fmt::format(", {}", options_.configurations[spec.configuration].name);
    }
    return text;
  }

  Gathered& of(std::string_view id) {
    for (Gathered& gathered : rules_) {
      if (gathered.result.id == id) return gathered;
    }
    return *findings_.at(id, "");
  }

  std::span<const RunRecord> records_;
  const CollectOptions& options_;
  std::vector<Gathered> rules_;
  GatheredFindings findings_;
  std::set<std::string> ends_;  // of scenarios of clauses, as they are told
  SuiteResult suite_;
};

}  // namespace

SuiteResult collect(std::span<const RunRecord> records, const CollectOptions& options) {
  return Collector(records, options).result();
}

std::map<ResultKind, std::uint32_t> count(const SuiteResult& result) {
  std::map<ResultKind, std::uint32_t> counts;
  for (const ClauseResult& clause : result.driver) ++counts[clause.kind];
  return counts;
}

int exit_code_of(const SuiteResult& result) {
  const auto wrong = [](const ClauseResult& clause) {
    return !clause.expected && (clause.id != kStart || clause.kind != ResultKind::Fail);
  };
  const auto refusal_is_known = [](const ClauseResult& clause) {
    return clause.id == kStart && clause.kind == ResultKind::ExpectedFail;
  };
  const auto judged = [](const ClauseResult& clause) {
    return clause.kind != ResultKind::NotRun && clause.kind != ResultKind::NotApplicable;
  };
  if (!result.harness.empty()) return 4;
  for (const auto* list : {&result.driver, &result.host}) {
    if (std::any_of(list->begin(), list->end(), wrong)) return 1;
  }
  if (result.interrupted) return 1;
  // A driver that refuses to start leaves nothing to judge but its refusal.
  if (!result.started &&
      std::none_of(result.driver.begin(), result.driver.end(), refusal_is_known)) {
    return 3;
  }
  return std::any_of(result.driver.begin(), result.driver.end(), judged) ? 0 : 3;
}

}  // namespace wddm::harness
