#include "conformance/runner/fuzz_findings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <utility>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/rules/rule.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/input_file.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

std::string verdict_of(const fuzz::Finding& finding, const std::string& settings) {
  if (const harness::Failure* const failure =
          fuzz::failure_of_bucket(finding.run.judged, finding.scenario, finding.bucket)) {
    return print_verdict(*failure, find_rule(failure->id), {"this scenario", settings, ""},
                         chain_of(*failure, StoredTrace(finding.run.judged.trace)));
  }
  return fmt::format("the run {}: {}{}", harness::name_of(finding.run.outcome.kind),
                     harness::summary_of_end(finding.run),
                     settings.empty() ? "" : ", with " + settings);
}

}  // namespace

std::string describe_progress(const fuzz::Progress& progress) {
  return fmt::format("{} executions, {:.0f}/s, {} of {} clauses reached, {} finding{}",
                     progress.executions, progress.rate, progress.clauses, all_rules().size(),
                     progress.findings, progress.findings == 1 ? "" : "s");
}

FuzzFindings::FuzzFindings(const Options& options, const harness::Expectations& known,
                           harness::CapabilityRecord record, std::string settings)
    : options_(options),
      known_(known),
      record_(std::move(record)),
      settings_(std::move(settings)) {}

void FuzzFindings::add(const fuzz::Finding& finding) {
  const std::string file = fmt::format("{}/findings/{}.yaml", options_.output, finding.name);
  const char* const standing = count(finding, file);
  const bool written = write(finding, file);
  forget_status_line();
  std::cout << fmt::format(
                   "{}{}: {} ops, were {}{}: {}\n", standing, finding.name,
                   finding.scenario.ops.size(), finding.ops_found,
                   finding.cut_short ? " (the time was over: wddmcheck minimize goes on)" : "",
                   written ? file : "not written")
            << std::flush;
}

bool FuzzFindings::excuse(const fuzz::Finding& finding) {
  if (!is_known(finding)) return false;
  ++known_count_;
  forget_status_line();
  std::cout << fmt::format("known {}\n", finding.name) << std::flush;
  return true;
}

void FuzzFindings::add_follower(const fuzz::Finding& finding, const std::string& earlier) {
  ++follower_count_;
  forget_status_line();
  std::cout << fmt::format("{}: follows from {}\n", finding.name, earlier) << std::flush;
}

void FuzzFindings::add_unsteady(const std::string& bucket, const std::vector<std::uint8_t>& input) {
  const bool slow = bucket == harness::fired_word(harness::OutcomeKind::TimedOut);
  ++unsteady_;
  slow_ += slow ? 1 : 0;
  keep(bucket, fmt::format("{}/unsteady/{}.{}", options_.output, bucket, unsteady_),
       slow ? "took too long, and did not when it ran again alone"
            : "did not end the same way three times",
       input);
}

void FuzzFindings::add_left(const std::string& bucket, const std::vector<std::uint8_t>& input) {
  ++left_;
  const bool excused = known_.of(bucket) != nullptr ||
                       known_.of(fuzz::clause_of_bucket(bucket)) != nullptr ||
                       known_.flake_of(fuzz::clause_of_bucket(bucket)) != nullptr;
  left_unexpected_ += excused ? 0 : 1;
  keep(bucket, fmt::format("{}/left/{}.{}", options_.output, bucket, left_),
       "the time was over before it could be looked at", input);
}

void FuzzFindings::show(const fuzz::Progress& progress) {
  if (options_.quiet || ::isatty(STDERR_FILENO) == 0 || progress.seconds < shown_at_ + 1) return;
  shown_at_ = progress.seconds;
  std::fprintf(stderr, "\r\x1b[K[%.0f s] %s", progress.seconds,
               describe_progress(progress).c_str());
  std::fflush(stderr);
}

void FuzzFindings::forget_status_line() const {
  if (shown_at_ > 0) std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

std::string FuzzFindings::summary() const {
  return fmt::format(
      "{} new, {}{} known, {} unsteady{}{}{}{}", new_count_,
      again_count_ == 0 ? "" : fmt::format("{} again, ", again_count_), known_count_, unsteady_,
      slow_ == 0 ? "" : fmt::format(", {} of these too slow once and no finding", slow_),
      left_ == 0 ? "" : fmt::format(", {} not looked at", left_),
      follower_count_ == 0 ? "" : fmt::format(", {} more that follow from these", follower_count_),
      ours_ == 0 ? "" : fmt::format(", {} of wddmcheck itself", ours_));
}

int FuzzFindings::exit_code(bool judged) const {
  if (ours_ != 0) return kExitHarness;
  // What took too long beside others, and not alone, tells of the machine.
  if (new_count_ + again_count_ + (unsteady_ - slow_) + left_unexpected_ != 0) {
    return kExitUnexpected;
  }
  return judged || known_count_ != 0 ? kExitGood : kExitNothingJudged;
}

void FuzzFindings::keep(const std::string& bucket, const std::string& file, const char* what,
                        const std::vector<std::uint8_t>& input) {
  std::error_code code;
  fs::create_directories(fs::path(file).parent_path(), code);
  const bool written = fuzz::write_input(file, input);
  if (!written) problem_ = file + ": cannot be written";
  forget_status_line();
  std::cout << fmt::format("{}: {}: {}\n", bucket, what, written ? file : "not written")
            << std::flush;
}

const char* FuzzFindings::count(const fuzz::Finding& finding, const std::string& file) {
  std::error_code code;
  if (fuzz::is_ours(finding.bucket)) {
    ++ours_;
    return "";
  }
  if (fs::exists(file, code)) {
    ++again_count_;
    return "again ";
  }
  ++new_count_;
  return "";
}

// What a baseline says of a clause holds for its failures, and of an end (CRASH-..., HANG) for it;
// of a crash that it has the place of, whatever it is called there.
bool FuzzFindings::is_known(const fuzz::Finding& finding) const {
  const std::string clause = fuzz::clause_of_bucket(finding.bucket);
  const harness::Failure* const failure =
      fuzz::failure_of_bucket(finding.run.judged, finding.scenario, finding.bucket);
  const harness::Outcome& end = finding.run.outcome;
  const harness::ResultKind result =
      failure != nullptr ? harness::ResultKind::Fail : result_of(end.kind);
  std::vector<std::string> places{failure != nullptr ? place_of(*failure) : place_of_end(end)};
  if (places.front().empty()) places.clear();
  const bool crashed = failure == nullptr && end.kind == harness::OutcomeKind::Crashed;
  if (crashed && known_.has_crash_at(place_of_end(end))) return true;
  for (const std::string& name : {finding.name, finding.bucket, clause}) {
    const harness::Expectation* const expected = known_.of(name, places);
    if (expected != nullptr && expected->result == result) return true;
  }
  return known_.flake_of(clause) != nullptr;
}

bool FuzzFindings::write(const fuzz::Finding& finding, const std::string& file) {
  std::error_code code;
  fs::create_directories(fs::path(file).parent_path(), code);
  Scenario scenario = finding.scenario;
  scenario.name = finding.name;
  return harness::write_text_file(
      file, harness::print_reproducer(scenario, verdict_of(finding, settings_), record_), problem_);
}

}  // namespace wddm::runner
