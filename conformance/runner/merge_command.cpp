// `wddmcheck merge`: few inputs that reach what many do, coverage of the driver and clauses alike.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <set>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "fuzz/session/bucket.h"
#include "fuzz/session/input_file.h"
#include "fuzz/session/merge.h"
#include "fuzz/session/target_environment.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;

struct Inputs {
  std::vector<fs::path> files;
  std::vector<std::vector<std::uint8_t>> bytes;
};

bool list(const std::vector<std::string>& names, std::vector<fs::path>& files, std::string& error) {
  std::error_code code;
  for (const std::string& name : names) {
    if (!fs::exists(name, code)) {
      error = name + ": no such file or folder";
      return false;
    }
    if (!fs::is_directory(name, code)) {
      files.emplace_back(name);
      continue;
    }
    const std::set<fs::path> below = fuzz::inputs_below(name, error);
    if (!error.empty()) return false;
    files.insert(files.end(), below.begin(), below.end());
  }
  if (files.empty()) error = "no inputs there";
  return !files.empty();
}

bool read(const std::vector<std::string>& names, Inputs& inputs, std::string& error) {
  if (!list(names, inputs.files, error)) return false;
  for (const fs::path& file : inputs.files) {
    harness::Reproducer reproducer;
    if (!harness::read_reproducer(file, reproducer, error)) return false;
    inputs.bytes.push_back(encode(reproducer.scenario.ops));
  }
  return true;
}

// The name of the input, without what says that it was text; another one if that is taken.
fs::path place_in(const fs::path& folder, const fs::path& file) {
  const std::string name = (file.extension() == ".yaml" ? file.stem() : file.filename()).string();
  fs::path place = folder / name;
  std::error_code code;
  for (int i = 2; fs::exists(place, code); ++i) place = folder / fmt::format("{}-{}", name, i);
  return place;
}

bool write(const Inputs& inputs, const fuzz::Merged& merged, const fs::path& folder,
           std::string& error) {
  for (const std::size_t i : merged.kept) {
    const std::vector<std::uint8_t>& bytes = inputs.bytes[i];
    if (!harness::write_text_file(place_in(folder, inputs.files[i]), {bytes.begin(), bytes.end()},
                                  error)) {
      return false;
    }
  }
  return true;
}

// Before the work, which may be long.
bool make_result(const std::string& folder, std::string& error) {
  std::error_code code;
  if (fs::exists(folder, code) && !fs::is_empty(folder, code)) {
    error = folder + ": is there already; name a new folder";
    return false;
  }
  fs::create_directories(folder, code);
  if (!code && ::access(folder.c_str(), W_OK) != 0) code = {errno, std::generic_category()};
  if (code) error = fmt::format("{}: cannot be written: {}", folder, code.message());
  return !code;
}

bool prepare(const Options& options, const host::DriverUnderTest& driver,
             fuzz::MergeOptions& merging, std::string& error) {
  if (!temporary_folder("merge", merging.folder, error) || !make_result(options.result, error) ||
      !find_target("wddm_fuzz_everything", merging.program, error)) {
    return false;
  }
  merging.timeout_seconds = options.timeout_seconds;
  merging.environment = environment_of(driver);
  for (const std::string& settings : options.configurations) {
    harness::Configuration configuration;
    if (!parse_configuration(settings, configuration, error)) return false;
    merging.environment.emplace_back(fuzz::kSettingsVariable, settings);
  }
  return true;
}

int report(const Options& options, const Inputs& inputs, const fuzz::Merged& merged) {
  for (const std::size_t i : merged.fatal) {
    std::cout << fmt::format("{}: ends the process; left out\n", inputs.files[i].string());
  }
  bool ours = false;
  for (const std::string& bucket : merged.buckets) {
    std::cout << fmt::format("{} fires on the way\n", bucket);
    ours = ours || fuzz::is_ours(bucket);
  }
  std::cout << fmt::format("{} of {} inputs kept, {} clauses reached: {}\n", merged.kept.size(),
                           inputs.files.size(), merged.clauses, options.result)
            << std::flush;
  if (ours) return kExitHarness;
  if (merged.kept.empty()) return kExitNothingJudged;
  return merged.fatal.empty() && merged.buckets.empty() ? kExitGood : kExitUnexpected;
}

}  // namespace

int merge_command(const Options& options) {
  std::string error;
  Inputs inputs;
  host::DriverUnderTest driver;
  fuzz::MergeOptions merging;
  if (!read(options.inputs, inputs, error) || !locate(options.subject, driver, error) ||
      !prepare(options, driver, merging, error)) {
    return complain(error);
  }
  fuzz::Merged merged;
  if (!load_carefully(driver, options.timeout_seconds, error) ||
      !fuzz::merge(inputs.bytes, merging, stop_on_signals(), merged, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  if (!write(inputs, merged, options.result, error)) return complain(error);
  return report(options, inputs, merged);
}

}  // namespace wddm::runner
