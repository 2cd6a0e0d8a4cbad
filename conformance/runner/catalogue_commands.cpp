// `wddmcheck list` and `wddmcheck explain`: the catalogue, made from the registry.
#include <fmt/format.h>

#include <iostream>
#include <string>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/selection.h"
#include "conformance/rules/rule_registry.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"

namespace wddm::runner {
namespace {

std::string indented(std::string_view text) {
  std::string result = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) result += "  ";
  }
  if (!result.empty() && result.back() != '\n') result += '\n';
  return result;
}

void print_section(const char* heading, std::string_view text) {
  if (text.empty()) return;
  std::cout << '\n' << heading << '\n' << indented(text);
}

std::string text_of(const Fault& fault) {
  if (fault.about == nullptr) return {};
  std::string text = fmt::format("{}\nseat: {}", fault.about, harness::name_of(fault.seat));
  if (fault.also_fires[0]) text += fmt::format("\nalso fires: {}", fault.also_fires);
  return text;
}

void explain_rule(const Rule& rule) {
  std::cout << fmt::format("{}: {}\n", rule.id, rule.title);
  std::cout << fmt::format("  test      {}\n", test_name_of(rule.id));
  if (rule.aliases[0]) std::cout << fmt::format("  aliases   {}\n", rule.aliases);
  std::cout << fmt::format("  binds     {}\n", harness::name_of(rule.binds));
  std::cout << fmt::format("  level     {}\n", harness::name_of(rule.level));
  std::cout << fmt::format("  grade     {}\n", harness::name_of(rule.grade));
  std::cout << fmt::format("  evidence  {}\n", harness::name_of(rule.evidence));
  for (const harness::Configuration& one : harness::default_configurations(true)) {
    if (one.plays(rule)) std::cout << fmt::format("  --config  {}\n", one.name);
  }
  print_section("Rule", rule.rule);
  print_section("Note", rule.note);
  print_section("Sources", rule.sources);
  print_section("Scenario", rule.scenario);
  print_section("Control case, which is allowed", rule.control);
  print_section("Seeded fault", text_of(rule.fault));
  print_section("Seeded fault of the device", text_of(rule.device_fault));
}

void explain_finding(const std::string& id) {
  std::cout << fmt::format("{}: a finding of the kernel\n  test      {}\n", id, test_name_of(id));
  print_section("Rule", harness::about_finding(id));
}

// What the driver says of itself at bring-up; one that does not start says nothing, and a line on
// stderr does. False with one line in `error`.
bool platform_of(const Options& options, Platform& platform, std::string& error) {
  host::DriverUnderTest driver;
  harness::Configuration configuration;
  if (!read_configuration(options.subject, options.configurations, configuration, error) ||
      !locate(options.subject, driver, error) ||
      !load_carefully(driver, options.timeout_seconds, error)) {
    return false;
  }
  const harness::RunOutcome run = bring_up(options.timeout_seconds, configuration);
  platform = run.judged.platform;
  if (platform.started) return true;
  std::cerr << "the driver did not start, so nothing is known of what its model does not need";
  if (!run.judged.start_trouble.empty()) std::cerr << ": " << run.judged.start_trouble;
  if (driver.device.empty()) std::cerr << "; one that looks for its hardware needs --device";
  std::cerr << '\n';
  return true;
}

}  // namespace

int list_command(const Options& options) {
  harness::Selection selection;
  std::string error;
  Platform platform;
  // Settings without a driver are of the built-in one.
  const bool of_driver = !options.subject.driver.empty() || !options.configurations.empty();
  if (!select(options.selection, selection, error) ||
      (of_driver && !platform_of(options, platform, error))) {
    return complain(error);
  }
  for (const Rule* rule : selection.rules) {
    std::cout << fmt::format("{:<20} {}", test_name_of(rule->id), rule->title);
    if (options.verbose) {
      std::cout << fmt::format("  [{}, {}, {}, {}]", harness::name_of(rule->binds),
                               harness::name_of(rule->level), harness::name_of(rule->grade),
                               harness::name_of(rule->evidence));
    }
    const NotApplicable reason = of_driver && platform.started ? rule->applies(platform) : nullptr;
    if (reason != nullptr) std::cout << fmt::format("  (not applicable: {})", reason);
    std::cout << '\n';
  }
  return kExitGood;
}

int explain_command(const Options& options) {
  // What is unknown is told before anything is explained.
  for (const std::string& named : options.explained) {
    if (harness::id_named(named).empty()) {
      return complain(fmt::format("no clause is called '{}'; see wddmcheck list", named));
    }
  }
  for (const std::string& named : options.explained) {
    if (&named != &options.explained.front()) std::cout << '\n';
    const std::string id = harness::id_named(named);
    if (const Rule* rule = find_rule(id)) {
      explain_rule(*rule);
    } else {
      explain_finding(id);
    }
  }
  return kExitGood;
}

}  // namespace wddm::runner
