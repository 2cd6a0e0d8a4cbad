#include "conformance/harness/suite/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "conformance/harness/suite/disguises.h"
#include "conformance/harness/suite/text_file.h"
#include "reference/harness_assert.h"

namespace wddm::harness {
namespace {

constexpr const char* kDefault = "default";

bool read_number(std::string_view text, std::uint32_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return problem == std::errc{} && end == text.data() + text.size();
}

constexpr const char* kVersionName = "RtlGetVersion";

// "10.0.22621"
bool parse_version(const std::string& text, host::WindowsRelease& windows, std::string& error) {
  std::uint32_t* const parts[] = {&windows.major, &windows.minor, &windows.build};
  std::size_t start = 0;
  for (std::uint32_t* const part : parts) {
    const bool last = part == parts[2];
    const std::size_t end = last ? text.size() : text.find('.', start);
    if (end == std::string::npos || end < start ||
        !read_number(std::string_view(text).substr(start, end - start), *part)) {
      error = fmt::format("--config: '{}' is no version of Windows; expected {}=10.0.22621", text,
                          kVersionName);
      return false;
    }
    start = end + 1;
  }
  return true;
}

bool is_printable_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

// A value of a driver that we know nothing of.
bool parse_value(const std::string& name, const std::string& text, Configuration& configuration,
                 std::string& error) {
  if (name == kVersionName) return parse_version(text, configuration.windows, error);
  if (name.empty() || !is_printable_ascii(name) || !is_printable_ascii(text)) {
    error = fmt::format("--config: '{}={}': expected NAME=VALUE in ASCII", name, text);
    return false;
  }
  host::ServiceValue value{.name = name};
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    value.is_text = true;
    value.text = text.substr(1, text.size() - 2);
  } else if (!read_number(text, value.number)) {
    value.is_text = true;
    value.text = text;
  }
  configuration.values.push_back(std::move(value));
  return true;
}

bool parse_setting(const std::string& text, Configuration& configuration, std::string& error,
                   SettingNames allowed) {
  const std::size_t equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  const auto names = shape_values(FieldShape::Setting);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const char* known) { return name == known; });
  std::uint32_t value = 0;
  if (found == names.end() && equals != std::string::npos &&
      allowed == SettingNames::Any) {
    return parse_value(name, trimmed(text.substr(equals + 1)), configuration, error);
  }
  if (found == names.end()) {
    error = fmt::format("--config: no setting is called '{}'; see wddmcheck info --config", name);
    return false;
  }
  if (equals == std::string::npos || !read_number(trimmed(text.substr(equals + 1)), value)) {
    error = fmt::format("--config: '{}' has no number; expected {}=VALUE", text, name);
    return false;
  }
  configuration.settings.push_back({.kind = OpKind::Configure,
                                    .a = static_cast<std::uint8_t>(found - names.begin()),
                                    .x = value});
  return true;
}

// The comma that ends a setting: not one between double quotes.
std::size_t end_of_setting(const std::string& text, std::size_t start) {
  bool quoted = false;
  for (std::size_t at = start; at < text.size(); ++at) {
    if (text[at] == '"') quoted = !quoted;
    if (text[at] == ',' && !quoted) return at;
  }
  return text.size();
}

// configuration.def is ours: what it says can be read.
std::vector<Configuration> read_table() {
  std::vector<Configuration> configurations;
  std::string error;
  for (const char* const settings : {
#define CONFIGURATION(name, settings) settings,
#include "conformance/rules/configuration.def"
#undef CONFIGURATION
       }) {
    Configuration one;
    HARNESS_ASSERT(parse_configuration(settings, one, error));
    one.of_clauses = static_cast<Configured>(configurations.size());
    configurations.push_back(std::move(one));
  }
  return configurations;
}

const std::vector<Configuration>& table() {
  static const std::vector<Configuration> configurations = read_table();
  return configurations;
}

// Where a configuration differs from the first in a few areas alone, clauses of all others would
// see there what they have seen.
std::span<const std::string_view> areas_of(Configured configured) {
  static constexpr std::string_view kOfPreemption[] = {"SPLIT", "BIND", "PREEMPT", "CTX",
                                                       "CAPS",  "SYNC", "SCHED"};
  static constexpr std::string_view kOfPatching[] = {"SPLIT",  "BIND",   "PATCH",
                                                     "RENDER", "SUBMIT", "CAPS"};
  if (configured == Configured::NotPreemptionAware) return kOfPreemption;
  if (configured == Configured::NoDmaPatching) return kOfPatching;
  return {};
}

}  // namespace

bool Configuration::hangs_on(const Rule& rule) const {
  if (!of_clauses) return true;
  const auto areas = areas_of(*of_clauses);
  const std::string_view id(rule.id);
  return areas.empty() || std::ranges::find(areas, id.substr(0, id.find('-'))) != areas.end();
}

std::vector<Configuration> default_configurations(bool built_in) {
  if (built_in) return table();
  Configuration only;
  only.name = kDefault;
  return {only};
}

std::vector<Configuration> whole_matrix() {
  std::vector<Configuration> configurations = table();
  for (Configuration& one : configurations) one.of_clauses.reset();
  return configurations;
}

const Configuration& configuration_of_fault(const Rule& rule) {
  return table()[static_cast<std::size_t>(rule.played_in.first())];
}

bool parse_configuration(const std::string& text, Configuration& configuration, std::string& error,
                         SettingNames names) {
  configuration = {};
  configuration.name = text;
  if (text == kDefault) return true;
  if (const std::size_t as = text.find(kAs); as != std::string::npos) {
    const Disguise* const disguise = find_disguise(text.substr(as + kAs.size()), error);
    if (disguise == nullptr) return false;
    if (!parse_configuration(text.substr(0, as), configuration, error)) return false;
    configuration = disguised(configuration, *disguise);
    return true;
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = end_of_setting(text, start);
    if (!parse_setting(text.substr(start, end - start), configuration, error, names)) return false;
    start = end + 1;
  }
  return true;
}

Scenario with_settings(const Scenario& scenario, std::span<const Op> settings) {
  if (settings.empty()) return scenario;
  Scenario result = scenario;
  result.ops.insert(result.ops.begin(), settings.begin(), settings.end());
  if (!result.lines.empty()) result.lines.insert(result.lines.begin(), settings.size(), 0);
  return result;
}

}  // namespace wddm::harness
