// Names of rules, for those who list, select and report them. Rule files don't need this header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wddm {

/// "SPLIT" of "SPLIT-007" or "SPLIT_007"; empty if the id has no area.
[[nodiscard]] std::string_view area_of(std::string_view id);
/// The words of a list such as Rule::aliases and Fault::also_fires.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);
/// "Split.SPLIT_007", the name as a test: a '-' would start the negative list of a gtest filter.
[[nodiscard]] std::string test_name_of(std::string_view id);

}  // namespace wddm
