// Options that several commands share, and those of fuzz, for options.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "conformance/runner/options.h"

namespace wddm::runner {

inline constexpr const char* kDriverVariable = "WDDM_DRIVER";

// What a value must be.
extern const CLI::Validator kCount, kPath, kPlainNumber;

/// `positional`: the driver may stand without a flag as well.
void add_driver(CLI::App& app, Options& options, std::string* positional = nullptr);
void add_inf(CLI::App& app, Options& options);
void add_selection(CLI::App& app, Options& options);
void add_jobs(CLI::App& app, Options& options, const char* about);
void add_timeout(CLI::App& app, Options& options);
void add_execution(CLI::App& app, Options& options);
void add_disguise(CLI::App& app, Options& options);
/// `more` follows what is said of it.
CLI::Option* add_configuration(CLI::App& app, Options& options, const std::string& more = {});
/// `time` is what --time says, for read_time().
void add_fuzz(CLI::App& app, Options& options, std::string& driver, std::string& time);
/// "40s", "10m", "2h"; a plain number counts seconds. Gives one line if it is none of these.
[[nodiscard]] std::string read_time(const std::string& text, double& seconds);
/// ... of `info`, which tells what there is to be set where none are given.
void add_settings_of_info(CLI::App& app, Options& options);

}  // namespace wddm::runner
