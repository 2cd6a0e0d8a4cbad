#include "conformance/harness/suite/selection.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>

#include "conformance/harness/judge/findings.h"
#include "conformance/harness/suite/id_pattern.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/rules/rule_registry.h"

namespace wddm::harness {
namespace {

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_area(std::string_view word) {
  if (same_letters(word, "NT")) return true;
  const auto rules = all_rules();
  return std::any_of(rules.begin(), rules.end(), [word](const Rule* rule) {
    if (same_letters(area_of(rule->id), word)) return true;
    const auto aliases = words_of(rule->aliases);
    return std::any_of(aliases.begin(), aliases.end(), [word](std::string_view alias) {
      return same_letters(area_of(alias), word);
    });
  });
}

// '*' and '?' as in gtest, and [...] as in a shell; in any case of letters.
bool glob(const std::string& pattern, const std::string& name) {
  return ::fnmatch(pattern.c_str(), name.c_str(), FNM_CASEFOLD | FNM_NOESCAPE) == 0;
}

// Dashes of ids become underscores; what is left of '-' begins the negative list.
std::string without_dashes_of_ids(std::string_view filter) {
  std::string result;
  std::size_t word = 0;  // start of the letters before the current character
  for (std::size_t i = 0; i < filter.size(); ++i) {
    const auto c = static_cast<unsigned char>(filter[i]);
    if (c == '-' && i + 1 < filter.size() && is_area(filter.substr(word, i - word))) {
      result += '_';
      continue;
    }
    result += static_cast<char>(c);
    if (!std::isalpha(c)) word = i + 1;
  }
  return result;
}

bool any_glob(std::string_view patterns, std::string_view id) {
  const std::vector<std::string> names = names_of(id);
  while (true) {
    const std::size_t colon = std::min(patterns.find(':'), patterns.size());
    const std::string pattern(patterns.substr(0, colon));
    if (std::any_of(names.begin(), names.end(),
                    [&pattern](const std::string& name) { return glob(pattern, name); })) {
      return true;
    }
    if (colon == patterns.size()) return false;
    patterns.remove_prefix(colon + 1);
  }
}

bool compile(const std::vector<std::string>& texts, std::vector<IdPattern>& out,
             std::string& error) {
  return std::all_of(texts.begin(), texts.end(), [&](const std::string& text) {
    return out.emplace_back().compile(text, error);
  });
}

bool any_match(const std::vector<IdPattern>& patterns, std::string_view id) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [id](const IdPattern& pattern) { return pattern.matches(id); });
}

bool read_list(const std::string& path, std::set<std::string>& ids, std::string& error) {
  std::string text;
  if (!read_text_file(path, text, error)) return false;
  for (const Line& line : meaningful_lines(text)) {
    const std::string id = id_named(line.text);
    if (id.empty()) {
      error = complaint(path, line.number,
                        fmt::format("no clause is called '{}'; see wddmcheck list", line.text));
      return false;
    }
    ids.insert(id);
  }
  return true;
}

}  // namespace

std::vector<std::string> names_of(std::string_view id) {
  std::vector<std::string> ids{std::string(id)};
  if (const Rule* rule = find_rule(id)) {
    for (const std::string_view alias : words_of(rule->aliases)) ids.emplace_back(alias);
  }
  std::vector<std::string> names;
  for (const std::string& one : ids) {
    const std::string test = test_name_of(one);
    names.push_back(test);
    names.push_back(test.substr(test.find('.') + 1));
    names.push_back(one);
  }
  return names;
}

std::string_view name_of_kind(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  const bool is_number = end != std::string_view::npos && end + 1 < name.size() && name[end] == '_';
  return is_number ? name.substr(0, end) : name;
}

std::string id_named(std::string_view name) {
  const std::size_t dot = name.find('.');
  const std::string_view plain = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (const Rule* rule = find_rule(plain)) return rule->id;
  if (const std::string_view kind = name_of_kind(plain); about_finding(kind)) {
    for (const std::string& id : all_finding_ids()) {
      const std::vector<std::string> names = names_of(id);
      if (std::any_of(names.begin(), names.end(),
                      [kind](const std::string& one) { return same_letters(one, kind); })) {
        return id;
      }
    }
  }
  return {};
}

bool filter_takes(std::string_view filter, std::string_view id) {
  if (filter.empty()) return true;
  const std::string plain = without_dashes_of_ids(filter);
  const std::string_view positive = std::string_view(plain).substr(0, plain.find('-'));
  return (positive.empty() || any_glob(positive, id)) && !filter_excludes(filter, id);
}

bool filter_excludes(std::string_view filter, std::string_view id) {
  const std::string plain = without_dashes_of_ids(filter);
  const std::size_t dash = plain.find('-');
  return dash != std::string::npos && any_glob(std::string_view(plain).substr(dash + 1), id);
}

bool select(const SelectionOptions& options, Selection& selection, std::string& error) {
  std::vector<IdPattern> include, exclude;
  if (!compile(options.include, include, error) || !compile(options.exclude, exclude, error)) {
    return false;
  }
  std::set<std::string> listed;
  for (const std::string& path : options.lists) {
    if (!read_list(path, listed, error)) return false;
  }
  std::uint32_t position = 0;
  for (const Rule* rule : all_rules()) {
    if (any_match(exclude, rule->id) || filter_excludes(options.filter, rule->id)) {
      selection.excluded.insert(rule->id);
      continue;
    }
    if (!filter_takes(options.filter, rule->id)) continue;
    if (!include.empty() && !any_match(include, rule->id)) continue;
    if (!options.lists.empty() && listed.count(rule->id) == 0) continue;
    if (position++ % options.fraction == options.fraction_start - 1)
      selection.rules.push_back(rule);
  }
  for (const std::string& id : all_finding_ids()) {
    if (any_match(exclude, id) || filter_excludes(options.filter, id))
      selection.excluded.insert(id);
  }
  if (!selection.rules.empty()) return true;
  error = all_rules().empty() ? "no clause is built into this program"
                              : "no clause is selected; see wddmcheck list for their names";
  return false;
}

}  // namespace wddm::harness
