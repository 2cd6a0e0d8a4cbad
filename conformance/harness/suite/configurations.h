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
/// Which names a configuration may have.
enum class SettingNames : std::uint8_t {
  OfOps,  ///< those that a scenario can set: all that the built-in driver knows
  Any,    ///< and any value of another driver's service key
};
/// Reads "default" or "NAME=VALUE[,NAME=VALUE]": a VALUE is a number (REG_DWORD) or, of names that
/// are no op's, text (REG_SZ), in double quotes if it looks like a number or has a comma.
/// "RtlGetVersion=10.0.22621" is the Windows that the driver is told of. Perhaps " as DISGUISE"
/// follows (disguises.h). False with one line in `error`.
[[nodiscard]] bool parse_configuration(const std::string& text, Configuration& configuration,
                                       std::string& error,
                                       SettingNames names = SettingNames::OfOps);
/// The scenario with the settings as its first ops, so that a file of it needs no flags. They have
/// no lines.
[[nodiscard]] Scenario with_settings(const Scenario& scenario, std::span<const Op> settings);

}  // namespace wddm::harness
