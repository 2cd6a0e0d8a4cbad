#include "fuzz/session/bucket.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/judge/findings.h"

namespace wddm::fuzz {
namespace {

using harness::OutcomeKind;

// File names are made of buckets.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool kept = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (kept) result += c;
    if (!kept && !result.empty() && result.back() != '-') result += '-';
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result.substr(0, 96);
}

// Of a finding of the kernel each place in the driver is another.
std::string id_and_place(const harness::Failure& failure) {
  const std::string place = plain(place_of(failure));
  return place.empty() ? failure.id : failure.id + '-' + place;
}

std::string bucket_of(const harness::Failure& failure, const Scenario& scenario) {
  const OpInfo* const op =
      failure.op < scenario.ops.size() ? op_info(scenario.ops[failure.op].kind) : nullptr;
  return fmt::format("{}-{}", id_and_place(failure), op ? op->name : "end");
}

// The words of a text that are no numbers, and have none in them.
std::string without_numbers(const std::string& text) {
  std::string words;
  std::string word;
  const auto end_word = [&] {
    if (std::none_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      words += word + ' ';
    }
    word.clear();
  };
  for (const char c : text) {
    if (c == ' ' || c == '\n') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return words;
}

// The code of "KeBugCheckEx(0x119, ...": the parameters may be addresses.
std::string bug_check(const std::string& about) {
  const std::size_t open = about.find('(');
  const std::size_t begin = open == std::string::npos ? 0 : open + 1;
  return "BUGCHECK-" + plain(about.substr(begin, about.find(',', begin) - begin));
}

std::string crash(const std::string& about) {
  return "CRASH-" + plain(harness::place_of_crash(about));
}

}  // namespace

std::vector<std::string> buckets_of(const harness::Judged& judged, const Scenario& scenario) {
  std::vector<const harness::Failure*> failures;
  for (const harness::Failure& failure : judged.failures) failures.push_back(&failure);
  std::stable_sort(failures.begin(), failures.end(),
                   [](const auto* left, const auto* right) { return left->event < right->event; });
  std::vector<std::string> buckets;
  const auto add = [&buckets](std::string bucket) {
    if (std::find(buckets.begin(), buckets.end(), bucket) == buckets.end()) {
      buckets.push_back(std::move(bucket));
    }
  };
  for (const harness::Failure* failure : failures) add(bucket_of(*failure, scenario));
  for (const std::string& defect : judged.harness) add("HARNESS-" + plain(defect));
  if (judged.bug_checked) add(bug_check(judged.stopped));
  if (judged.crashed) add(crash(judged.stopped));
  if (judged.hung) add(harness::fired_word(OutcomeKind::Hung));
  if (judged.scribbled) add(harness::fired_word(OutcomeKind::Scribbled));
  if (judged.truncated) add(harness::fired_word(OutcomeKind::Overflowed));
  return buckets;
}

std::string bucket_of(const harness::RunOutcome& run, const Scenario& scenario) {
  switch (run.outcome.kind) {
    case OutcomeKind::Finished: {
      const std::vector<std::string> buckets = buckets_of(run.judged, scenario);
      return buckets.empty() ? "" : buckets.front();
    }
    case OutcomeKind::BugChecked:
      return bug_check(run.outcome.about);
    case OutcomeKind::Crashed:
      return crash(run.outcome.about);
    case OutcomeKind::Harness:
      return "HARNESS-" + plain(run.outcome.about);
    case OutcomeKind::Hung:
    case OutcomeKind::TimedOut:
    case OutcomeKind::ExitedEarly:
    case OutcomeKind::Scribbled:
    case OutcomeKind::Overflowed:
    case OutcomeKind::NotRun:
      break;
  }
  return harness::fired_word(run.outcome.kind);
}

std::string bucket_of_clause(const harness::RunOutcome& run, const Scenario& scenario,
                             const std::string& clause) {
  for (const harness::Failure& failure : run.judged.failures) {
    if (failure.id == clause) return bucket_of(failure, scenario);
  }
  return {};
}

const harness::Failure* failure_of_bucket(const harness::Judged& judged, const Scenario& scenario,
                                          const std::string& bucket) {
  for (const harness::Failure& failure : judged.failures) {
    if (bucket_of(failure, scenario) == bucket) return &failure;
  }
  return nullptr;
}

std::string finding_of_bucket(const harness::Judged& judged, const Scenario& scenario,
                              const std::string& bucket) {
  const harness::Failure* const failure = failure_of_bucket(judged, scenario, bucket);
  if (failure == nullptr) return bucket;
  if (const std::string named = id_and_place(*failure); named != failure->id) return named;
  const std::string expected = plain(without_numbers(failure->expected));
  return expected.empty() ? failure->id : failure->id + '-' + expected;
}

bool shows(const harness::RunOutcome& run, const Scenario& scenario, const std::string& bucket) {
  return bucket_of(run, scenario) == bucket ||
         failure_of_bucket(run.judged, scenario, bucket) != nullptr;
}

std::string clause_of_bucket(const std::string& bucket) {
  const std::size_t first = bucket.find('-');
  if (first == std::string::npos) return bucket;
  const std::string head = bucket.substr(0, first);
  if (head == "CRASH" || head == "HARNESS" || head == "BUGCHECK") return head;
  return bucket.substr(0, bucket.find('-', first + 1));
}

bool is_of_an_end(const std::string& bucket) {
  const std::string clause = clause_of_bucket(bucket);
  return clause == "CRASH" || clause == "BUGCHECK";
}

bool is_ours(const std::string& bucket) {
  const std::string clause = clause_of_bucket(bucket);
  const Rule* const rule = find_rule(clause);
  return clause == "HARNESS" || (rule != nullptr && rule->binds != Binds::Driver);
}

}  // namespace wddm::fuzz
