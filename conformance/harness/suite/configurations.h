// Settings of the driver's service key that clauses are run with, one pass each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"

namespace wddm::harness {

/// The built-in driver has three configurations, any other driver one.
[[nodiscard]] std::vector<Configuration> default_configurations(bool built_in);
/// Reads "default" or "NAME=VALUE[,NAME=VALUE]". False with one line in `error`.
[[nodiscard]] bool parse_configuration(const std::string& text, Configuration& configuration,
                                       std::string& error);
/// The scenario with the settings as its first ops, so that a file of it needs no flags. They have
/// no lines.
[[nodiscard]] Scenario with_settings(const Scenario& scenario, std::span<const Op> settings);

}  // namespace wddm::harness
