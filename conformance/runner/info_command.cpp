// `wddmcheck info`: what a driver says of itself at bring-up, and what its image needs; or what the
// settings of the built-in one mean.
#include <fmt/format.h>

#include <iostream>

#include "conformance/harness/judge/capability_record.h"
#include "conformance/harness/judge/played_model.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/host/nt/image/image.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/setting_texts.h"

namespace wddm::runner {
namespace {

// In a child, since it loads the image once more: names of the missing imports, one a line.
int print_missing_imports(const std::string& path) {
  std::string error;
  const auto image = nt::Image::open(path, error);
  if (!image) {
    std::cout << "cannot be told: " << error << '\n';
    return 0;
  }
  for (const std::string& name : image->missing_imports()) std::cout << name << '\n';
  std::cout << std::flush;
  return 0;
}

void print_imports(const std::string& path, double timeout_seconds) {
  harness::ProcessPool pool(1);
  harness::ProcessPool::Job job;
  job.timeout_seconds = timeout_seconds;
  std::string names;
  job.child = [&path] { return print_missing_imports(path); };
  job.done = [&names](const harness::ProcessEnd& end) { names = end.output; };
  pool.push_back(std::move(job));
  pool.run(nullptr);
  const std::vector<harness::Line> lines = harness::meaningful_lines(names);
  std::cout << fmt::format("\nImports that the host doesn't offer: {}\n", lines.size());
  for (const harness::Line& name : lines) std::cout << "  " << name.text << '\n';
}

void print_longs(const std::string& path) {
  std::vector<nt::RawLong> longs;
  std::string error;
  if (!list_raw_longs(path, longs, error)) {
    std::cout << fmt::format("\nRaw longs (8 bytes here, 4 on Windows): cannot be told: {}\n",
                             error);
    return;
  }
  std::cout << fmt::format("\nRaw longs (8 bytes here, 4 on Windows): {}\n", longs.size());
  for (const nt::RawLong& one : longs) {
    std::cout << fmt::format("  {}:{}: {} {}\n", one.file, one.line, one.type, one.name);
  }
}

int print_settings() {
  std::cout << "Settings of the built-in driver, as --config NAME=VALUE[,NAME=VALUE] takes them\n\n"
            << told(setting_texts(settings_page()))
            << "\nOf another driver --config sets any value of its service key, a number or text.\n"
               "RtlGetVersion=10.0.22621 is the Windows that it is told of.\n";
  return kExitGood;
}

// Of a driver that told none, what stands in the record is no answer of its.
void print_capabilities(const Platform& platform) {
  if (!platform.has_caps) {
    std::cout << "\nCapabilities are not known: no DXGKQAITYPE_DRIVERCAPS was answered\n";
    return;
  }
  std::cout << (platform.started ? "\nCapabilities, as found at bring-up\n"
                                 : "\nCapabilities, as far as bring-up came to them\n");
  for (const std::string& line : harness::capability_lines(platform)) {
    std::cout << "  " << line << '\n';
  }
  for (const std::string& line : harness::played_lines(platform)) {
    std::cout << "  " << line << '\n';
  }
}

}  // namespace

int info_command(const Options& options) {
  const bool of_settings = options.configurations.size() == 1 && options.configurations[0].empty();
  if (of_settings && !options.subject.driver.empty()) {
    return complain(
        "--config without settings tells of the built-in driver's: name no driver, or "
        "say --config NAME=VALUE");
  }
  if (of_settings) return print_settings();
  std::string error;
  host::DriverUnderTest driver;
  harness::Configuration configuration;
  if (!locate(options.subject, driver, error) ||
      !read_configuration(options.subject, options.configurations, configuration, error)) {
    return complain(error);
  }
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  const harness::RunOutcome run = bring_up(options.timeout_seconds, configuration);

  std::cout << (options.subject.driver.empty() ? "the built-in reference driver"
                                               : options.subject.driver)
            << '\n';
  if (!configuration.name.empty()) std::cout << "with " << configuration.name << '\n';
  if (run.outcome.kind != harness::OutcomeKind::Finished) {
    std::cout << fmt::format("Bring-up {}: {}\n", harness::name_of(run.outcome.kind),
                             run.outcome.about);
  } else if (!run.judged.start_trouble.empty()) {
    std::cout << fmt::format("It did not start: {}\n", run.judged.start_trouble);
  }
  for (const harness::Failure& failure : run.judged.failures) {
    std::cout << fmt::format("Already at bring-up: {}\n", harness::summary_of(failure));
  }
  print_capabilities(run.judged.platform);
  const std::string image = file_of(driver);
  print_imports(image, options.timeout_seconds);
  print_longs(image);
  if (run.outcome.kind == harness::OutcomeKind::Harness) return kExitHarness;
  return run.judged.platform.started ? kExitGood : kExitNothingJudged;
}

}  // namespace wddm::runner
