// `wddmcheck fuzz`: looks for what no test thought of, and writes down what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "conformance/harness/suite/configurations.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/fuzz_findings.h"
#include "conformance/runner/known_failures.h"
#include "conformance/runner/process.h"
#include "fuzz/generators/state_model.h"
#include "fuzz/session/campaign.h"
#include "fuzz/session/target_environment.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

// Those that no op of a scenario names.
std::string further_settings(const harness::Configuration& configuration) {
  return configuration.in_files() ? "" : configuration.name;
}

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

// With so few the built-in driver still starts, page tables and all.
constexpr std::uint32_t kFewPages = 128;

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

std::uint64_t bytes_of_all_segments(const Platform& platform) {
  std::uint64_t bytes = 0;
  for (const PlatformSegment& segment : platform.segments) bytes += segment.size;
  return bytes;
}

// Whether it has less memory when it is told so, as the built-in driver has.
bool obeys_settings(const Options& options, const harness::Configuration& configuration,
                    const Platform& platform) {
  for (const Setting setting : {Setting::LocalSegmentPages, Setting::ApertureSegmentPages}) {
    harness::Configuration little = configuration;
    little.settings.push_back(
        {.kind = OpKind::Configure, .a = static_cast<std::uint8_t>(setting), .x = kFewPages});
    const Platform told = bring_up(options.timeout_seconds, little).judged.platform;
    if (told.started && bytes_of_all_segments(told) < bytes_of_all_segments(platform)) return true;
  }
  return false;
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
    fuzz::Machine machine = machine_of(start.platform);
    machine.settings = obeys_settings(options, configuration, start.platform) ? 1 : 0;
    campaign_options.environment.emplace_back(fuzz::kMachineVariable, print_machine(machine));
  }
  FuzzFindings findings(options, known, harness::record_of(start.platform, file_of(driver)),
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
  std::cout << fmt::format("{}: {}\n", describe_progress(campaign.progress()), findings.summary())
            << std::flush;
  if (!ran) complain(error);
  if (!findings.problem().empty()) complain(findings.problem());
  const int code =
      findings.exit_code(ran && start.platform.started && campaign.progress().executions != 0);
  return code == kExitGood && !findings.problem().empty() ? kExitUsage : code;
}

}  // namespace wddm::runner
