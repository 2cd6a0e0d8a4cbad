// Which clauses a command is about: filters as gtest, deqp-runner and igt_runner users know them.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/rules/rule.h"

namespace wddm::harness {

struct SelectionOptions {
  std::string filter;                ///< POS[:POS]-NEG[:NEG] with * and ?; empty: all
  std::vector<std::string> include;  ///< regular expressions, any of them
  std::vector<std::string> exclude;  ///< regular expressions, none of them
  std::vector<std::string> lists;    ///< files with a name a line
  std::uint32_t fraction = 1;        ///< every N-th ...
  std::uint32_t fraction_start = 1;  ///< ... beginning with this one, from 1
};

struct Selection {
  std::vector<const Rule*> rules;  ///< in the order of the registry
  /// Ids that were excluded by name: they aren't judged on other clauses' traces either.
  std::set<std::string> excluded;
};

/// False with one line in `error` (bad pattern, bad file, or nothing selected).
[[nodiscard]] bool select(const SelectionOptions& options, Selection& selection,
                          std::string& error);

/// Whether a gtest filter takes a clause (or kernel finding) by its id. In the filter both
/// spellings are understood: a '-' inside of an id ("SPLIT-007", "SPLIT-*") doesn't begin the
/// negative list.
[[nodiscard]] bool filter_takes(std::string_view filter, std::string_view id);
[[nodiscard]] bool filter_excludes(std::string_view filter, std::string_view id);

/// The names a clause answers to: "Split.SPLIT_007", "SPLIT_007", "SPLIT-007", and its aliases.
[[nodiscard]] std::vector<std::string> names_of(std::string_view id);
/// The id meant by a name in any spelling, "Split.SPLIT_007" too; empty if there is none such.
[[nodiscard]] std::string id_named(std::string_view name);
/// Of several places of one finding all but the first have a number behind the name of its kind.
[[nodiscard]] std::string_view name_of_kind(std::string_view name);

}  // namespace wddm::harness
