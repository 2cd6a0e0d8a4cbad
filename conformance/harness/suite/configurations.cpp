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

std::string known_settings() {
  std::string names;
  for (const char* name : shape_values(FieldShape::Setting)) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name);
  }
  return names;
}

bool read_number(std::string_view text, std::uint32_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hex) text.remove_prefix(2);
  const auto [end, problem] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return problem == std::errc{} && end == text.data() + text.size();
}

bool parse_setting(const std::string& text, Op& op, std::string& error) {
  const std::size_t equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  const auto names = shape_values(FieldShape::Setting);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const char* known) { return name == known; });
  std::uint32_t value = 0;
  if (found == names.end()) {
    error = fmt::format("--config: no setting is called '{}'; expected one of {}", name,
                        known_settings());
    return false;
  }
  if (equals == std::string::npos || !read_number(trimmed(text.substr(equals + 1)), value)) {
    error = fmt::format("--config: '{}' has no number; expected {}=VALUE", text, name);
    return false;
  }
  op = {
      .kind = OpKind::Configure, .a = static_cast<std::uint8_t>(found - names.begin()), .x = value};
  return true;
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

}  // namespace

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

bool parse_configuration(const std::string& text, Configuration& configuration,
                         std::string& error) {
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
    const std::size_t end = std::min(text.find(',', start), text.size());
    Op op;
    if (!parse_setting(text.substr(start, end - start), op, error)) return false;
    configuration.settings.push_back(op);
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
