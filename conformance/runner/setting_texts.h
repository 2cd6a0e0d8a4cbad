// What the settings of the built-in driver mean, by the page that has it: the tables of its
// README.md, which is built into the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wddm::runner {

struct SettingText {
  std::string heading;  ///< what its table is headed by: when it counts; empty: always
  std::string name;
  std::string by_default;
  std::string meaning;
};

/// The page; made of it by the build.
[[nodiscard]] std::string_view settings_page();

/// The rows of its tables that are settings, in its order.
[[nodiscard]] std::vector<SettingText> setting_texts(std::string_view page);

/// Headings, and names with what they mean, as lines of at most 100 columns.
[[nodiscard]] std::string told(const std::vector<SettingText>& settings);

}  // namespace wddm::runner
