#include "conformance/harness/suite/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "conformance/harness/suite/text_file.h"

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

Configuration one_setting(Setting setting, std::uint32_t value) {
  const auto index = static_cast<std::uint8_t>(setting);
  return {fmt::format("{}={}", shape_values(FieldShape::Setting)[index], value),
          {{.kind = OpKind::Configure, .a = index, .x = value}}};
}

}  // namespace

std::vector<Configuration> default_configurations(bool built_in) {
  if (!built_in) return {{kDefault, {}}};
  return {{kDefault, {}},
          one_setting(Setting::PreemptionAware, 0),
          one_setting(Setting::NoDmaPatching, 1)};
}

bool parse_configuration(const std::string& text, Configuration& configuration,
                         std::string& error) {
  configuration = {text, {}};
  if (text == kDefault) return true;
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
