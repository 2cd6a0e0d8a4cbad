// `wddmcheck fuzz`: looks for what no test thought of, and writes down what it finds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>

#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/known_failures.h"
#include "conformance/runner/process.h"
#include "fuzz/generators/state_model.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/campaign.h"
#include "fuzz/session/input_file.h"
#include "fuzz/session/target_environment.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

std::string describe(const fuzz::Progress& progress) {
  return fmt::format("{} executions, {:.0f}/s, {} of {} clauses reached, {} finding{}",
                     progress.executions, progress.rate, progress.clauses, all_rules().size(),
                     progress.findings, progress.findings == 1 ? "" : "s");
}

// Those that no op of a scenario names.
std::string further_settings(const harness::Configuration& configuration) {
  return configuration.in_files() ? "" : configuration.name;
}

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

// Says what is found, writes it down, and keeps what the exit code asks.
class Findings {
 public:
  Findings(const Options& options, const harness::Expectations& known,
           harness::CapabilityRecord record, std::string settings)
      : options_(options),
        known_(known),
        record_(std::move(record)),
        settings_(std::move(settings)) {}

  void add(const fuzz::Finding& finding) {
    const std::string file = fmt::format("{}/findings/{}.yaml", options_.output, finding.name);
    const char* const standing = count(finding, file);
    const bool written = write(finding, file);
    forget_status_line();
    std::cout << fmt::format("{}{}: {} ops, were {}: {}\n", standing, finding.name,
                             finding.scenario.ops.size(), finding.ops_found,
                             written ? file : "not written")
              << std::flush;
  }

  /// Whether a baseline has it: then that is all that is said.
  bool excuse(const fuzz::Finding& finding) {
    if (!is_known(finding)) return false;
    ++known_count_;
    forget_status_line();
    std::cout << fmt::format("known {}\n", finding.name) << std::flush;
    return true;
  }

  void add_follower(const fuzz::Finding& finding, const std::string& earlier) {
    ++follower_count_;
    forget_status_line();
    std::cout << fmt::format("{}: follows from {}\n", finding.name, earlier) << std::flush;
  }

  void add_unsteady(const std::string& bucket, const std::vector<std::uint8_t>& input) {
    const bool slow = bucket == harness::fired_word(harness::OutcomeKind::TimedOut);
    ++unsteady_;
    slow_ += slow ? 1 : 0;
    keep(bucket, fmt::format("{}/unsteady/{}.{}", options_.output, bucket, unsteady_),
         slow ? "took too long, and did not when it ran again alone"
              : "did not end the same way three times",
         input);
  }

  // Nobody has confirmed it, and nothing but its bucket says whether a baseline has it.
  void add_left(const std::string& bucket, const std::vector<std::uint8_t>& input) {
    ++left_;
    const bool excused = known_.of(bucket) != nullptr ||
                         known_.of(fuzz::clause_of_bucket(bucket)) != nullptr ||
                         known_.flake_of(fuzz::clause_of_bucket(bucket)) != nullptr;
    left_unexpected_ += excused ? 0 : 1;
    keep(bucket, fmt::format("{}/left/{}.{}", options_.output, bucket, left_),
         "the time was over before it could be looked at", input);
  }

  void show(const fuzz::Progress& progress) {
    if (options_.quiet || ::isatty(STDERR_FILENO) == 0 || progress.seconds < shown_at_ + 1) return;
    shown_at_ = progress.seconds;
    std::fprintf(stderr, "\r\x1b[K[%.0f s] %s", progress.seconds, describe(progress).c_str());
    std::fflush(stderr);
  }

  void forget_status_line() {
    if (shown_at_ > 0) std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] std::string summary() const {
    return fmt::format(
        "{} new, {}{} known, {} unsteady{}{}{}{}", new_count_,
        again_count_ == 0 ? "" : fmt::format("{} again, ", again_count_), known_count_, unsteady_,
        slow_ == 0 ? "" : fmt::format(", {} of these too slow once and no finding", slow_),
        left_ == 0 ? "" : fmt::format(", {} not looked at", left_),
        follower_count_ == 0 ? ""
                             : fmt::format(", {} more that follow from these", follower_count_),
        ours_ == 0 ? "" : fmt::format(", {} of wddmcheck itself", ours_));
  }
  /// `judged`: whether any clause could apply.
  [[nodiscard]] int exit_code(bool judged) const {
    if (ours_ != 0) return kExitHarness;
    // What took too long beside others, and not alone, tells of the machine.
    if (new_count_ + again_count_ + (unsteady_ - slow_) + left_unexpected_ != 0) {
      return kExitUnexpected;
    }
    return judged || known_count_ != 0 ? kExitGood : kExitNothingJudged;
  }

 private:
  void keep(const std::string& bucket, const std::string& file, const char* what,
            const std::vector<std::uint8_t>& input) {
    std::error_code code;
    fs::create_directories(fs::path(file).parent_path(), code);
    const bool written = fuzz::write_input(file, input);
    if (!written) problem_ = file + ": cannot be written";
    forget_status_line();
    std::cout << fmt::format("{}: {}: {}\n", bucket, what, written ? file : "not written")
              << std::flush;
  }
  // Gives the word for it.
  const char* count(const fuzz::Finding& finding, const std::string& file) {
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
  // What a baseline says of a clause holds for its failures, and of an end (CRASH-..., HANG) for
  // it.
  [[nodiscard]] bool is_known(const fuzz::Finding& finding) const {
    const std::string clause = fuzz::clause_of_bucket(finding.bucket);
    const bool clause_failed =
        fuzz::failure_of_bucket(finding.run.judged, finding.scenario, finding.bucket) != nullptr;
    const harness::ResultKind result =
        clause_failed ? harness::ResultKind::Fail : result_of(finding.run.outcome.kind);
    for (const std::string& name : {finding.name, finding.bucket, clause}) {
      const harness::Expectation* const expected = known_.of(name);
      if (expected != nullptr && expected->result == result) return true;
    }
    return known_.flake_of(clause) != nullptr;
  }
  [[nodiscard]] bool write(const fuzz::Finding& finding, const std::string& file) {
    std::error_code code;
    fs::create_directories(fs::path(file).parent_path(), code);
    Scenario scenario = finding.scenario;
    scenario.name = finding.name;
    return harness::write_text_file(
        file, harness::print_reproducer(scenario, verdict_of(finding, settings_), record_),
        problem_);
  }

  const Options& options_;
  const harness::Expectations& known_;
  const harness::CapabilityRecord record_;
  const std::string settings_;  // --config, where a finding needs it again
  // Again: written by an earlier run, and excused by nobody.
  std::size_t new_count_ = 0, again_count_ = 0, known_count_ = 0, unsteady_ = 0, ours_ = 0;
  std::size_t slow_ = 0;  // of those that are unsteady
  std::size_t follower_count_ = 0;
  std::size_t left_ = 0, left_unexpected_ = 0;
  double shown_at_ = 0;
  std::string problem_;
};

// A plug-in that is missing takes most clauses along, and what is found would not tell. With all of
// them there, what does not apply at the start may do so under settings that scenarios choose.
void say_what_is_out_of_reach(const harness::Judged& start) {
  const Platform& platform = start.platform;
  if (platform.started && platform.has_device && platform.has_client) return;
  std::map<std::string_view, std::size_t> reasons;
  std::size_t clauses = 0;
  for (const harness::RuleOutcome& rule : start.rules) {
    if (rule.not_applicable.empty()) continue;
    ++reasons[rule.not_applicable];
    ++clauses;
  }
  std::string why;
  for (const auto& [reason, count] : reasons) {
    why += fmt::format("{}{} {}", why.empty() ? "" : "; ", count, reason);
  }
  if (!start.start_trouble.empty()) why += fmt::format(" ({})", start.start_trouble);
  std::string plug_ins;
  if (!platform.has_device) plug_ins = " --device";
  if (!platform.has_client) plug_ins += " --client";
  if (!plug_ins.empty()) why += "; not given:" + plug_ins;
  complain(fmt::format("{} of {} clauses are out of reach: {}", clauses, start.rules.size(), why));
}

// Limits of the driver, so that its last node and its last slot are met.
fuzz::Machine machine_of(const Platform& platform) {
  std::uint64_t local = 0, aperture = 0;
  for (const PlatformSegment& segment : platform.segments) {
    (segment.flags.aperture() ? aperture : local) += segment.size / fuzz::kPageBytes;
  }
  const fuzz::Machine usual;
  const auto limited = [](std::uint64_t pages) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, UINT32_MAX));
  };
  const bool knows_testing =
      platform.interface_version >= static_cast<std::uint32_t>(InterfaceVersion::Wddm3_2) &&
      platform.has(DdiId::QueryInterface);
  return {.nodes = platform.nodes != 0 ? platform.nodes : usual.nodes,
          .slots = platform.slots != 0 ? platform.slots : usual.slots,
          .local_pages = local != 0 ? limited(local) : usual.local_pages,
          .aperture_pages = aperture != 0 ? limited(aperture) : usual.aperture_pages,
          .gpu_virtual = platform.has_virtual_addresses(),
          .displays = platform.sources != 0,
          .testing = knows_testing && platform.has_virtual_addresses()};
}

bool prepare(const Options& options, const host::DriverUnderTest& driver,
             fuzz::CampaignOptions& campaign, harness::Configuration& configuration,
             std::string& error) {
  const bool afl = options.fuzz.engine == "afl";
  campaign.engine = afl ? fuzz::Engine::Afl : fuzz::Engine::LibFuzzer;
  const std::string target = (afl ? "wddm_afl_" : "wddm_fuzz_") + options.fuzz.family;
  if (!find_target(target, campaign.program, error)) {
    error += ", or see --family";
    return false;
  }
  campaign.mutators = beside_us("wddm_afl_mutators.so");
  std::error_code code;
  campaign.output = options.output;
  campaign.corpus = options.fuzz.corpus.empty() ? options.output + "/corpus" : options.fuzz.corpus;
  campaign.seeds = options.fuzz.seeds;
  for (const std::string& seeds : campaign.seeds) {
    if (fs::is_directory(seeds, code)) continue;
    error = seeds + ": not a folder of inputs";
    return false;
  }
  campaign.seconds = options.fuzz.seconds;
  campaign.runs = options.fuzz.runs;
  campaign.jobs = options.jobs;
  campaign.seed = options.fuzz.seed;
  campaign.timeout_seconds = options.timeout_seconds;
  campaign.environment = environment_of(driver);
  if (!options.configurations.empty()) {
    const auto names =
        options.subject.driver.empty() ? harness::SettingNames::OfOps : harness::SettingNames::Any;
    if (!parse_configuration(options.configurations.front(), configuration, error, names)) {
      return false;
    }
    campaign.settings = configuration.settings;
    campaign.values = configuration.values;
    campaign.windows = configuration.windows;
    campaign.environment.emplace_back(fuzz::kSettingsVariable, options.configurations.front());
  }
  return true;
}

}  // namespace

int fuzz_command(const Options& options) {
  std::string error;
  host::DriverUnderTest driver;
  fuzz::CampaignOptions campaign_options;
  harness::Configuration configuration;
  harness::Expectations known;
  if (!locate(options.subject, driver, error) ||
      !prepare(options, driver, campaign_options, configuration, error) ||
      !read_known_failures(options, known, error)) {
    return complain(error);
  }
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  const harness::Judged start = bring_up(options.timeout_seconds, configuration).judged;
  say_what_is_out_of_reach(start);
  if (start.platform.started) {
    campaign_options.environment.emplace_back(fuzz::kMachineVariable,
                                              print_machine(machine_of(start.platform)));
  }
  Findings findings(options, known, harness::record_of(start.platform, file_of(driver)),
                    further_settings(configuration));
  fuzz::CampaignHooks hooks;
  hooks.known = [&](const fuzz::Finding& finding) { return findings.excuse(finding); };
  hooks.found = [&](const fuzz::Finding& finding) { findings.add(finding); };
  hooks.follows = [&](const fuzz::Finding& finding, const std::string& earlier) {
    findings.add_follower(finding, earlier);
  };
  hooks.unsteady = [&](const auto& bucket, const auto& input) {
    findings.add_unsteady(bucket, input);
  };
  hooks.left = [&](const auto& bucket, const auto& input) { findings.add_left(bucket, input); };
  hooks.progress = [&](const fuzz::Progress& progress) { findings.show(progress); };
  fuzz::Campaign campaign(campaign_options, hooks);
  if (!campaign.prepare(error)) return complain(error);
  const bool ran = campaign.run(stop_on_signals(), error);
  findings.forget_status_line();
  std::cout << fmt::format("{}: {}\n", describe(campaign.progress()), findings.summary())
            << std::flush;
  if (!ran) complain(error);
  if (!findings.problem().empty()) complain(findings.problem());
  const int code =
      findings.exit_code(ran && start.platform.started && campaign.progress().executions != 0);
  return code == kExitGood && !findings.problem().empty() ? kExitUsage : code;
}

}  // namespace wddm::runner
