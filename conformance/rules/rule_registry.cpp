// The registry of rules: what each rule file adds of itself, sorted for everybody who lists rules.
//
// Order: by area in the order of the catalogue, then by number. Two rules that answer to one name
// are a defect of ours and end the process. Not here: what a rule means (rule.h), and who runs it.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/rules/rule_registry.h"
#include "conformance/rules/rule.h"
#include "reference/harness_assert.h"

namespace wddm {
namespace {

// What is listed and judged first, so that the heart of the model comes before its consequences. No
// list to keep: a new area is known by its rules, and comes behind these by its name.
constexpr std::string_view kAreas[] = {"SPLIT",   "BIND", "PATCH",  "RENDER", "SEG",
                                       "ALLOC",   "PAGE", "SUBMIT", "FENCE",  "INTR",
                                       "PREEMPT", "CAPS", "LIFE"};

struct Registry {
  std::vector<const Rule*> rules;
  bool sorted = true;
};

// A function's static, since rule files register before main in an order nobody knows.
Registry& registry() {
  static Registry instance;
  return instance;
}

std::string normal_id(std::string_view id) {
  std::string normal(id);
  for (char& c : normal) {
    c = c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return normal;
}

std::size_t area_rank(std::string_view id) {
  const auto* const found = std::find(std::begin(kAreas), std::end(kAreas), area_of(id));
  return static_cast<std::size_t>(found - std::begin(kAreas));
}

bool earlier(const Rule* left, const Rule* right) {
  const std::string_view a = left->id;
  const std::string_view b = right->id;
  const std::size_t rank_a = area_rank(a);
  const std::size_t rank_b = area_rank(b);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (area_of(a) != area_of(b)) return area_of(a) < area_of(b);
  // "007" before "010" before "0100": numbers of any width.
  if (a.size() != b.size()) return a.size() < b.size();
  return a < b;
}

bool well_formed(const Rule& rule) {
  return rule.id && area_of(rule.id).size() > 0 && rule.title && rule.rule && rule.sources &&
         rule.applies && rule.check && rule.scenario && rule.control && rule.fault.about;
}

void refuse_shared_names(const std::vector<const Rule*>& rules) {
  std::vector<std::string> names;
  for (const Rule* rule : rules) {
    names.push_back(normal_id(rule->id));
    for (const std::string_view alias : words_of(rule->aliases)) names.push_back(normal_id(alias));
  }
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  const std::string what = "two rules are called " + *twice;
  harness_failure(__FILE__, __LINE__, what.c_str());
}

}  // namespace

std::string_view area_of(std::string_view id) {
  const std::size_t dash = id.find_first_of("-_");
  return dash == std::string_view::npos ? std::string_view{} : id.substr(0, dash);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = text.find_first_not_of(" \n");
    if (start == std::string_view::npos) return words;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

RegisterRule::RegisterRule(const Rule& rule) {
  HARNESS_ASSERT(well_formed(rule));
  registry().rules.push_back(&rule);
  registry().sorted = false;
}

std::span<const Rule* const> all_rules() {
  Registry& all = registry();
  if (!all.sorted) {
    std::sort(all.rules.begin(), all.rules.end(), earlier);
    refuse_shared_names(all.rules);
    all.sorted = true;
  }
  return all.rules;
}

const Rule* find_rule(std::string_view id) {
  const std::string wanted = normal_id(id);
  for (const Rule* rule : all_rules()) {
    if (normal_id(rule->id) == wanted) return rule;
    for (const std::string_view alias : words_of(rule->aliases)) {
      if (normal_id(alias) == wanted) return rule;
    }
  }
  return nullptr;
}

std::string test_name_of(std::string_view id) {
  const std::string_view area = area_of(id);
  std::string suite(area);
  for (std::size_t i = 1; i < suite.size(); ++i) {
    suite[i] = static_cast<char>(std::tolower(static_cast<unsigned char>(suite[i])));
  }
  std::string test(id);
  std::replace(test.begin(), test.end(), '-', '_');
  return suite + "." + test;
}

}  // namespace wddm
