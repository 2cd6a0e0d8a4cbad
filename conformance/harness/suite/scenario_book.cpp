#include "conformance/harness/suite/scenario_book.h"

#include <fmt/format.h>

namespace wddm::harness {

const Scenario* ScenarioBook::of(const Rule& rule, CaseKind which, std::string& error) {
  const auto [found, fresh] = pages_.try_emplace({&rule, which});
  Page& page = found->second;
  if (fresh) {
    const char* const text = which == CaseKind::Scenario ? rule.scenario : rule.control;
    TextError problem;
    page.good = parse_scenario(text, place_name(rule, which), page.scenario, problem);
    page.error = problem.message;
  }
  error = page.error;
  return page.good ? &page.scenario : nullptr;
}

const Scenario* ScenarioBook::of(const RunSpec& spec, std::string& error) {
  return spec.rule != nullptr ? of(*spec.rule, spec.which, error) : spec.corpus.get();
}

std::string place_name(const RunSpec& spec) {
  return spec.rule != nullptr ? place_name(*spec.rule, spec.which)
                              : spec.corpus->name + " of the corpus";
}

std::string owner_name(const RunSpec& spec) {
  return spec.rule != nullptr ? spec.rule->id : spec.corpus->name;
}

std::string place_name(const Rule& rule, CaseKind which) {
  return fmt::format("{} of {}", name_of(which), rule.id);
}

}  // namespace wddm::harness
