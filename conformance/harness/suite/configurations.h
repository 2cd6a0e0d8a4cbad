// Settings of the driver's service key that clauses are run with, one pass each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conformance/harness/judge/result.h"

namespace wddm::harness {

/// Those of configuration.def for the built-in driver, one for any other.
[[nodiscard]] std::vector<Configuration> default_configurations(bool built_in);
/// The same, and each clause is played in every one.
[[nodiscard]] std::vector<Configuration> whole_matrix();
/// The one that a fault of the rule is shown in, on the built-in driver.
[[nodiscard]] const Configuration& configuration_of_fault(const Rule& rule);
/// Reads "default" or "NAME=VALUE[,NAME=VALUE]", perhaps followed by " as DISGUISE" (disguises.h).
/// False with one line in `error`.
[[nodiscard]] bool parse_configuration(const std::string& text, Configuration& configuration,
                                       std::string& error);
/// The scenario with the settings as its first ops, so that a file of it needs no flags. They have
/// no lines.
[[nodiscard]] Scenario with_settings(const Scenario& scenario, std::span<const Op> settings);

}  // namespace wddm::harness
