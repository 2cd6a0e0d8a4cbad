#include "conformance/runner/driver_choice.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "conformance/harness/isolate/isolate.h"
#include "conformance/harness/isolate/process_pool.h"
#include "conformance/harness/judge/verdict.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/disguises.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/host/adapter/package.h"
#include "reference/harness_assert.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "LOAD: ";
constexpr int kRefused = 3;
// A short limit for runs is none for loading: the image may be large, or the machine busy.
constexpr double kLeastToLoad = 3;  // seconds

fs::path our_folder() {
  std::error_code problem;
  return fs::read_symlink("/proc/self/exe", problem).parent_path();
}

bool readable(const std::string& path, std::string& absolute, std::string& error) {
  if (path.empty()) return true;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    error = fmt::format("{}: {}", path, std::strerror(errno));
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    error = fmt::format("{}: not a file; a shared library was expected", path);
    return false;
  }
  // A name without a slash would be looked for where libraries lie.
  std::error_code problem;
  absolute = fs::absolute(path, problem);
  if (problem) error = fmt::format("{}: {}", path, problem.message());
  return !problem;
}

// What is no INF is bad input, and no driver that cannot be loaded.
bool sound(const std::string& path, std::string& absolute, std::string& error) {
  std::string entries;
  if (path.empty()) return true;
  if (!host::read_package(path, entries, error)) return false;
  std::error_code problem;
  absolute = fs::absolute(path, problem);
  if (problem) error = fmt::format("{}: {}", path, problem.message());
  return !problem;
}

std::string why_not(const harness::ProcessEnd& end, const std::string& path) {
  const std::string name = path.empty() ? "the built-in reference driver" : path;
  if (end.timed_out) return fmt::format("{}: its static constructors do not come to an end", name);
  const std::size_t mark = end.output.rfind(kMark);
  if (end.exited && end.code == kRefused && mark != std::string::npos) {
    return harness::printable(harness::trimmed(end.output.substr(mark + kMark.size())));
  }
  if (end.signal != 0) {
    return fmt::format("{}: crashes while it is loaded: {}", name, ::strsignal(end.signal));
  }
  return fmt::format("{}: left the process while it was loaded: exit code {}", name, end.code);
}

}  // namespace

bool locate(const reports::Subject& subject, host::DriverUnderTest& driver, std::string& error) {
  return readable(subject.driver, driver.driver, error) &&
         readable(subject.device, driver.device, error) &&
         readable(subject.client, driver.client, error) && sound(subject.inf, driver.inf, error);
}

std::string file_of(const host::DriverUnderTest& driver) {
  return driver.driver.empty() ? beside_us(harness::kBuiltInDriver) : driver.driver;
}

host::DriverUnderTest faulty_reference_driver() {
  const fs::path folder = our_folder();
  return {folder / "reference_kmd_faulty.so", folder / "reference_device_faulty.so",
          folder / "reference_client.so", folder / "reference.inf"};
}

std::string client_of_disguise(const std::string& name) {
  std::string error;
  const harness::Disguise* const disguise = harness::find_disguise(name, error);
  HARNESS_ASSERT(disguise != nullptr);
  return beside_us(disguise->client);
}

std::vector<std::pair<std::string, std::string>> environment_of(
    const host::DriverUnderTest& driver) {
  return {{"WDDM_DRIVER", driver.driver},
          {"WDDM_DEVICE", driver.device},
          {"WDDM_CLIENT", driver.client},
          {"WDDM_INF", driver.inf}};
}

std::string beside_us(const std::string& name) {
  return our_folder() / name;
}

bool find_target(const std::string& name, std::string& path, std::string& error) {
  path = beside_us(name);
  std::error_code code;
  if (fs::is_regular_file(path, code)) return true;
  error = path +
          ": no such fuzz target: build wddmcheck and fuzz_targets by the preset dev or fuzz, not "
          "release, and start the wddmcheck of that build";
  return false;
}

bool load_carefully(const host::DriverUnderTest& driver, double timeout_seconds,
                    std::string& error) {
  harness::ProcessPool pool(1);
  harness::ProcessEnd loaded;
  harness::ProcessPool::Job job;
  job.timeout_seconds = std::max(timeout_seconds, kLeastToLoad);
  job.child = [&driver] {
    std::string why;
    if (host::load(driver, why)) return 0;
    std::fprintf(stderr, "\n%s%s\n", std::string(kMark).c_str(), why.c_str());
    return kRefused;
  };
  job.done = [&loaded](const harness::ProcessEnd& end) { loaded = end; };
  pool.push_back(std::move(job));
  pool.run(nullptr);
  if (!loaded.exited || loaded.code != 0) {
    error = why_not(loaded, driver.driver);
    return false;
  }
  return host::load(driver, error);
}

bool read_configuration(const reports::Subject& subject, const std::vector<std::string>& settings,
                        harness::Configuration& configuration, std::string& error) {
  const auto names =
      subject.driver.empty() ? harness::SettingNames::OfOps : harness::SettingNames::Any;
  return std::ranges::all_of(settings, [&](const std::string& text) {
    return parse_configuration(text, configuration, error, names);
  });
}

harness::RunOutcome bring_up(double timeout_seconds, const harness::Configuration& configuration) {
  Scenario start;
  // What contexts are like is known only once there is one.
  start.ops = {{.kind = OpKind::Start}, {.kind = OpKind::CreateContext, .a = 1}};
  harness::RunRequest request;
  request.scenario = &start;
  request.settings = configuration.settings;
  request.values = configuration.values;
  request.windows = configuration.windows;
  harness::IsolatorOptions isolation;
  isolation.timeout_seconds = timeout_seconds;
  return harness::Isolator(isolation).run_one(request);
}

harness::CapabilityRecord record_of_loaded(const host::DriverUnderTest& driver,
                                           double timeout_seconds) {
  return harness::record_of(bring_up(timeout_seconds).judged.platform, file_of(driver));
}

}  // namespace wddm::runner
