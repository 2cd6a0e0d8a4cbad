#include "conformance/harness/judge/causes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/kinship.h"
#include "conformance/harness/judge/run_set.h"
#include "conformance/harness/judge/verdict.h"

namespace wddm::harness {
namespace {

constexpr std::uint32_t kAtItsEnd = kNone;  // behind every event
constexpr double kNoWonder = 0.05;
constexpr const char* kDeviceFinding = "NT-DmaOutsideMemory";
constexpr std::size_t kThatSayMore = 3;  // runs; further ones are mostly alike
constexpr std::size_t kLookedAt = 8;     // runs, likewise

// What is known by one name: a clause that fired, or runs that ended badly at one place.
struct Sign {
  std::vector<Symptom> symptoms;
  std::map<std::size_t, std::uint32_t> met;    // the event, by run
  std::map<std::size_t, const Failure*> said;  // of it; runs that ended say none
  RunSet failed, judged;                       // of a rule; the first are among the second
  std::size_t rule = kNoRule;                  // position in all_rules()
  OutcomeKind end = OutcomeKind::NotRun;       // of runs that ended badly

  static constexpr std::size_t kNoRule = ~std::size_t{0};
};

class Causes {
 public:
  Causes(const SuiteResult& result, std::span<const RunRecord> records)
      : records_(records),
        played_(static_cast<std::size_t>(std::count_if(records.begin(), records.end(),
                                                       [](const RunRecord& record) {
                                                         return record.run.outcome.kind !=
                                                                OutcomeKind::NotRun;
                                                       }))),
        kinship_(records) {
    for (const auto* list : {&result.driver, &result.host}) {
      for (const ClauseResult& clause : *list) {
        // What follows from a driver that does not start isn't known.
        if (!clause.expected && clause.id != kStart) add(clause);
      }
    }
    meet_with_the_log();
    for (Sign& sign : signs_) {
      put_end_first(sign);
      note_runs(sign);
    }
  }

  std::vector<Cause> all() {
    std::vector<Cause> causes;
    while (!signs_.empty()) causes.push_back(take(first()));
    return causes;
  }

 private:
  // -- signs

  void add(const ClauseResult& clause) {
    if (clause.id == kCrashFinding) {
      for (const FailureAt& failure : clause.failures) add_end(clause, failure.record);
      return;
    }
    if (clause.kind != ResultKind::Fail && !clause.ended_badly.empty()) {
      return add_end(clause, clause.ended_badly.front());
    }
    if (clause.rule == nullptr && !clause.failures.empty()) return add_finding(clause);
    Sign sign;
    sign.symptoms.push_back({&clause, clause.reason});
    const auto rules = all_rules();
    const auto at = std::find(rules.begin(), rules.end(), clause.rule);
    if (at != rules.end()) sign.rule = static_cast<std::size_t>(at - rules.begin());
    for (const FailureAt& failure : clause.failures) met(sign, failure);
    signs_.push_back(std::move(sign));
  }

  // Two assertions, or two places that break into the debugger, are not one defect.
  void add_finding(const ClauseResult& clause) {
    std::map<std::string, std::size_t> by_site;
    for (const FailureAt& failure : clause.failures) {
      const auto [at, fresh] = by_site.try_emplace(site_of(failure.failure), signs_.size());
      if (fresh) {
        const bool first = by_site.size() == 1;
        const std::string reason = first ? clause.reason : summary_of(failure.failure);
        signs_.emplace_back().symptoms.push_back({&clause, reason});
      }
      met(signs_[at->second], failure);
    }
  }

  static void met(Sign& sign, const FailureAt& failure) {
    sign.met.emplace(failure.record, failure.failure.event);
    sign.said.emplace(failure.record, &failure.failure);
  }

  void add_end(const ClauseResult& clause, std::size_t run) {
    const RunRecord& record = records_[run];
    Sign& sign = end_at(end_place(record.run.outcome));
    sign.end = record.run.outcome.kind;
    sign.met.emplace(run, kAtItsEnd);
    const bool said = std::any_of(sign.symptoms.begin(), sign.symptoms.end(),
                                  [&](const Symptom& one) { return one.clause == &clause; });
    if (said) return;
    // The crash itself comes before the clauses that it kept from being judged.
    const bool leads = clause.id == kCrashFinding;
    sign.symptoms.insert(leads ? sign.symptoms.begin() : sign.symptoms.end(),
                         {&clause, leads ? summary_of_end(record.run) : clause.reason});
  }

  Sign& end_at(const std::string& place) {
    for (const auto& [known, index] : ends_) {
      if (known == place) return signs_[index];
    }
    ends_.emplace_back(place, signs_.size());
    return signs_.emplace_back();
  }

  // None of the clauses that were kept from being judged is what it is about.
  void put_end_first(Sign& sign) const {
    if (sign.end == OutcomeKind::NotRun || sign.symptoms.size() < 2 ||
        sign.symptoms.front().clause->rule == nullptr) {
      return;
    }
    const std::string about = summary_of_end(records_[sign.met.begin()->first].run);
    sign.symptoms.insert(sign.symptoms.begin(), {nullptr, about, sign.end});
  }

  // The host meets an access of the device before the record of it in the device's log, by which
  // clauses judge: what they say of it in the same op is said of the same.
  void meet_with_the_log() {
    for (Sign& sign : signs_) {
      if (sign.symptoms.front().clause->id != kDeviceFinding) continue;
      for (auto& [run, event] : sign.met) {
        const auto own = sign.said.find(run);
        if (own == sign.said.end()) continue;
        std::uint32_t later = kAtItsEnd;
        for (const Sign& clause : signs_) {
          const auto met = clause.met.find(run);
          const auto said = clause.said.find(run);
          if (clause.rule == Sign::kNoRule || met == clause.met.end() || met->second < event ||
              said == clause.said.end() || said->second->op != own->second->op) {
            continue;
          }
          later = std::min(later, met->second);
        }
        if (later != kAtItsEnd) event = later;
      }
    }
  }

  // Of the corpus only a first failure is kept, so that all that is judged there would count
  // against a clause.
  void note_runs(Sign& sign) const {
    if (sign.rule == Sign::kNoRule) return;
    for (const auto& [run, event] : sign.met) sign.failed.insert(run);
    sign.judged = sign.failed;
    for (std::size_t run = 0; run < records_.size(); ++run) {
      if (records_[run].spec.rule != nullptr && reached(sign, run)) sign.judged.insert(run);
    }
  }

  // -- causes

  // What most runs depart by first. Of two at one event the one whose own scenario it is says more.
  [[nodiscard]] std::size_t first() const {
    std::map<std::size_t, std::vector<std::size_t>> first_of_run;  // several: at one event
    for (std::size_t i = 0; i < signs_.size(); ++i) {
      for (const auto& [run, event] : signs_[i].met) {
        std::vector<std::size_t>& group = first_of_run[run];
        if (!group.empty()) {
          const auto known = rank(group.front(), run), its = rank(i, run, event);
          if (known < its) continue;
          if (its < known) group.clear();
        }
        group.push_back(i);
      }
    }
    std::vector<std::size_t> runs(signs_.size());
    for (const auto& [run, group] : first_of_run) ++runs[most_telling(group)];
    return static_cast<std::size_t>(std::max_element(runs.begin(), runs.end()) - runs.begin());
  }

  // Of clauses that fail at one event: what they judge has more or less in common with what went
  // wrong. One that holds in most of what it judges says too little by its name, and so does one
  // that judges only some of the runs that the others fail in. Kernel findings come last.
  [[nodiscard]] std::size_t most_telling(const std::vector<std::size_t>& group) const {
    if (group.size() == 1) return group.front();
    RunSet wrong;
    for (const std::size_t sign : group) wrong |= signs_[sign].failed;
    const auto says_more = [&](std::size_t one, std::size_t other) {
      const Sign& a = signs_[one];
      const Sign& b = signs_[other];
      return a.failed.size() * (b.judged | wrong).size() >
             b.failed.size() * (a.judged | wrong).size();
    };
    std::size_t best = group.front();
    for (const std::size_t sign : group) {
      if (says_more(sign, best)) best = sign;
    }
    return best;
  }

  [[nodiscard]] std::pair<std::uint32_t, bool> rank(std::size_t sign, std::size_t run) const {
    return rank(sign, run, signs_[sign].met.at(run));
  }
  [[nodiscard]] std::pair<std::uint32_t, bool> rank(std::size_t sign, std::size_t run,
                                                    std::uint32_t event) const {
    const Rule* const own = records_[run].spec.rule;
    const ClauseResult* const clause = signs_[sign].symptoms.front().clause;
    return {event, own == nullptr || clause == nullptr || clause->rule != own};
  }

  Cause take(std::size_t index) {
    const Sign lead = std::move(signs_[index]);
    signs_.erase(signs_.begin() + static_cast<std::ptrdiff_t>(index));
    Cause cause{lead.symptoms, grade_of(lead)};
    std::erase_if(signs_, [&](const Sign& sign) {
      if (!follows(sign, lead)) return false;
      cause.symptoms.insert(cause.symptoms.end(), sign.symptoms.begin(), sign.symptoms.end());
      return true;
    });
    return cause;
  }

  [[nodiscard]] Grade grade_of(const Sign& sign) const {
    const Rule* const rule = sign.rule == Sign::kNoRule ? nullptr : all_rules()[sign.rule];
    if (rule != nullptr) return rule->grade;
    const bool provoked = std::all_of(sign.met.begin(), sign.met.end(), [&](const auto& met) {
      const auto said = sign.said.find(met.first);
      const Failure& failure =
          said != sign.said.end() ? *said->second : records_[met.first].run.judged.broken_off;
      return !failure.provoked.empty();
    });
    return provoked && !sign.met.empty() ? Grade::Robustness : Grade::Documented;
  }

  [[nodiscard]] bool follows(const Sign& sign, const Sign& lead) {
    if (sign.met.empty()) return false;
    bool at_one_event = true;
    for (const auto& [run, event] : sign.met) {
      const auto before = lead.met.find(run);
      if (before == lead.met.end() || before->second > event) return false;
      at_one_event &= before->second == event;
    }
    if (at_one_event) return say_the_same(sign, lead);
    if (!are_about_the_same(sign, lead)) return false;
    const double share = static_cast<double>(lead.met.size()) / static_cast<double>(played_);
    const std::size_t runs = std::min(sign.met.size(), kThatSayMore);
    if (std::pow(share, static_cast<double>(runs)) > kNoWonder) return false;
    if (names(sign, lead)) return true;
    if (!holds_without(sign, lead)) return false;
    const auto could = std::count_if(lead.met.begin(), lead.met.end(), [&](const auto& met) {
      return sign.met.contains(met.first) || reached(sign, met.first);
    });
    return 2 * sign.met.size() >= static_cast<std::size_t>(could);
  }

  // By the first run: at one event verdicts are alike in all of them.
  [[nodiscard]] bool say_the_same(const Sign& sign, const Sign& lead) {
    const std::size_t run = sign.met.begin()->first;
    const auto one = lead.said.find(run), other = sign.said.find(run);
    const bool both = one != lead.said.end() && other != sign.said.end();
    return !both || kinship_.say_the_same(run, *one->second, *other->second);
  }

  [[nodiscard]] bool are_about_the_same(const Sign& sign, const Sign& lead) {
    std::size_t looked_at = 0;
    for (const auto& [run, event] : sign.met) {
      if (++looked_at > kLookedAt) break;
      const auto before = lead.said.find(run);
      const auto behind = sign.said.find(run);
      if (before == lead.said.end()) return false;
      const bool same = behind == sign.said.end()
                            ? kinship_.leads_to_end(run, *before->second)
                            : kinship_.are_kin(run, *before->second, *behind->second);
      if (!same) return false;
    }
    return true;
  }

  [[nodiscard]] static bool names(const Sign& sign, const Sign& lead) {
    const auto is_named = [&lead](const auto& said) {
      const auto before = lead.said.find(said.first);
      return before != lead.said.end() && Kinship::names(*said.second, *before->second);
    };
    return !sign.said.empty() && std::all_of(sign.said.begin(), sign.said.end(), is_named);
  }

  // What is only ever asked behind the same op that the other fails at says nothing of it.
  [[nodiscard]] bool holds_without(const Sign& sign, const Sign& lead) const {
    for (std::size_t run = 0; run < records_.size(); ++run) {
      const bool failed = lead.met.contains(run) || sign.met.contains(run);
      if (!failed && reached(sign, run)) return true;
    }
    return false;
  }

  [[nodiscard]] bool reached(const Sign& sign, std::size_t run) const {
    if (sign.rule == Sign::kNoRule) return true;
    const auto& rules = records_[run].run.judged.rules;
    return sign.rule < rules.size() && rules[sign.rule].reached != 0;
  }

  std::span<const RunRecord> records_;
  std::size_t played_;
  Kinship kinship_;
  std::vector<Sign> signs_;
  std::vector<std::pair<std::string, std::size_t>> ends_;  // place and sign, while signs are added
};

}  // namespace

std::vector<Cause> causes_of(const SuiteResult& result, std::span<const RunRecord> records) {
  return Causes(result, records).all();
}

}  // namespace wddm::harness
