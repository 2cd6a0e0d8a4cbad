#include "conformance/runner/mutants/mutant_table.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/driver_choice.h"

namespace wddm::runner {
namespace {

using harness::MutantEntry;
using harness::MutantFate;

// About two minutes of a build with debug information on two processors.
constexpr std::size_t kSample = 200;

const char* name_of(MutantState state) {
  switch (state) {
    case MutantState::Killed:
      return "killed";
    case MutantState::KilledByFuzzing:
      return "killed by fuzzing";
    case MutantState::Alive:
      return "alive";
    case MutantState::Unseen:
      return "unseen";
    case MutantState::Unreached:
      return "unreached";
    case MutantState::Equivalent:
      return "equivalent";
    case MutantState::Conforming:
      return "conforming";
    case MutantState::NotPlayed:
      return "not played";
  }
  return "";
}

// What follows a name in its line may be anything, as in a table of an earlier run.
bool read_names(const Options& options, std::set<std::string>& names, std::string& error) {
  for (const std::string& path : options.selection.lists) {
    std::string text;
    if (!harness::read_text_file(path, text, error)) return false;
    for (const harness::Line& line : harness::meaningful_lines(text))
      names.insert(line.text.substr(0, line.text.find('\t')));
  }
  return true;
}

void print_rows(const std::string& title, const std::map<std::string, MutantTotals>& rows) {
  std::cout << fmt::format("{:<32} {:>7} {:>7} {:>7} {:>7} {:>7} {:>9} {:>10} {:>10}\n", title,
                           "score", "killed", "fuzzed", "alive", "unseen", "unreached",
                           "equivalent", "conforming");
  for (const auto& [name, totals] : rows) {
    std::cout << fmt::format(
        "{:<32} {:>6.1f}% {:>7} {:>7} {:>7} {:>7} {:>9} {:>10} {:>10}\n", name, totals.killed(),
        totals.of(MutantState::Killed), totals.of(MutantState::KilledByFuzzing),
        totals.of(MutantState::Alive), totals.of(MutantState::Unseen),
        totals.of(MutantState::Unreached), totals.of(MutantState::Equivalent),
        totals.of(MutantState::Conforming));
  }
  std::cout << '\n';
}

// Clauses by how many mutants they killed first.
void print_killers(const std::vector<MutantFate>& fates) {
  std::map<std::string, std::size_t> kills;
  for (const MutantFate& fate : fates) {
    if (!fate.killer.empty()) ++kills[fate.killer];
  }
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [clause, count] : kills) order.emplace_back(count, clause);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::cout << "killed first by";
  for (const auto& [count, clause] : order) std::cout << fmt::format(" {}:{}", clause, count);
  std::cout << "\n\n";
}

std::string note_of(const MutantLists& lists, const MutantEntry& mutant, const MutantFate& fate) {
  for (const auto* list : {&lists.conforming, &lists.equivalent}) {
    const auto found = list->find(mutant.name);
    if (found != list->end()) return found->second;
  }
  if (!fate.harness.empty()) return "HARNESS: " + fate.harness;
  return fate.refused ? "does not start" : "";
}

}  // namespace

bool MutantLists::plays(const MutantEntry& mutant) const {
  return plays_listed ||
         (equivalent.count(mutant.name) == 0 && conforming.count(mutant.name) == 0);
}

bool read_mutant_lists(const Options& options, MutantLists& lists, std::string& error) {
  if (!harness::read_mutants(beside_us("reference_mutants.tsv"), lists.all, error) ||
      !harness::read_reasons(beside_us("reference_mutants_equivalent.tsv"), lists.all,
                             lists.equivalent, error) ||
      !harness::read_reasons(beside_us("reference_mutants_conforming.tsv"), lists.all,
                             lists.conforming, error)) {
    return false;
  }
  const std::string& glob = options.selection.filter;
  std::set<std::string> named;
  if (!read_names(options, named, error)) return false;
  for (const MutantEntry& one : lists.all) {
    const bool wanted = options.selection.lists.empty() || named.count(one.name) != 0;
    if (wanted && (glob.empty() || ::fnmatch(glob.c_str(), one.name.c_str(), 0) == 0))
      lists.chosen.push_back(one);
  }
  if (lists.chosen.empty()) {
    error = "no mutant is called so";
    return false;
  }
  lists.plays_listed = options.plays_listed;
  if (options.sample) {
    // A sample of those that are no defects would say nothing.
    std::erase_if(lists.chosen, [&lists](const MutantEntry& one) { return !lists.plays(one); });
    lists.chosen = harness::sample_of(std::move(lists.chosen), kSample);
  }
  if (std::none_of(lists.chosen.begin(), lists.chosen.end(),
                   [&lists](const MutantEntry& one) { return lists.plays(one); })) {
    error = "every mutant that is called so is listed as no defect; --listed plays these too";
    return false;
  }
  return true;
}

MutantState state_of(const MutantLists& lists, const MutantEntry& mutant, const MutantFate& fate) {
  if (!fate.played && lists.plays(mutant)) return MutantState::NotPlayed;
  if (!fate.killer.empty())
    return fate.fuzzed == 0 ? MutantState::Killed : MutantState::KilledByFuzzing;
  if (lists.equivalent.count(mutant.name) != 0) return MutantState::Equivalent;
  if (lists.conforming.count(mutant.name) != 0) return MutantState::Conforming;
  if (fate.reached == 0) return MutantState::Unreached;
  return fate.seen == 0 ? MutantState::Unseen : MutantState::Alive;
}

bool has_survived(MutantState state) {
  return state == MutantState::Alive || state == MutantState::Unseen ||
         state == MutantState::Unreached;
}

std::size_t MutantTotals::of(MutantState state) const {
  const auto found = states.find(state);
  return found == states.end() ? 0 : found->second;
}

double MutantTotals::percent(std::size_t count) const {
  std::size_t judged = of(MutantState::Killed) + of(MutantState::KilledByFuzzing);
  for (const auto& [state, mutants] : states) judged += has_survived(state) ? mutants : 0;
  return judged == 0 ? 100 : 100.0 * static_cast<double>(count) / static_cast<double>(judged);
}

double MutantTotals::killed_by_run() const {
  return percent(of(MutantState::Killed));
}

double MutantTotals::killed() const {
  return percent(of(MutantState::Killed) + of(MutantState::KilledByFuzzing));
}

MutantTotals totals_of(const MutantLists& lists, const std::vector<MutantFate>& fates) {
  MutantTotals totals;
  for (std::size_t i = 0; i < fates.size(); ++i)
    ++totals.states[state_of(lists, lists.chosen[i], fates[i])];
  return totals;
}

void print_parts(const MutantLists& lists, const std::vector<MutantFate>& fates) {
  std::map<std::string, MutantTotals> files, operators;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const MutantEntry& mutant = lists.chosen[i];
    const MutantState state = state_of(lists, mutant, fates[i]);
    ++files[std::string(mutant.file())].states[state];
    ++operators[std::string(mutant.kind())].states[state];
  }
  print_rows("file", files);
  print_rows("operator", operators);
  print_killers(fates);
}

void print_whole(const MutantTotals& totals) {
  print_rows("", {{"all", totals}});
}

std::size_t complain_about_lists(const MutantLists& lists, const std::vector<MutantFate>& fates) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const std::string& name = lists.chosen[i].name;
    if (fates[i].killer.empty() ||
        (lists.equivalent.count(name) == 0 && lists.conforming.count(name) == 0)) {
      continue;
    }
    ++wrong;
    std::cout << fmt::format("listed as no defect, and killed by {}: {}\n", fates[i].killer, name);
  }
  return wrong;
}

bool write_mutant_table(const std::string& path, const MutantLists& lists,
                        const std::vector<MutantFate>& fates, std::string& error) {
  std::string text =
      "mutant\tline\tstate\tkilled by\tin\texecutions\truns that reach it\truns that show "
      "it\texecutions of fuzzing\tmutation\tnote\n";
  for (std::size_t i = 0; i < lists.chosen.size(); ++i) {
    const MutantEntry& mutant = lists.chosen[i];
    const MutantFate& fate = fates[i];
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", mutant.name, mutant.line,
                        name_of(state_of(lists, mutant, fate)), fate.killer, fate.run,
                        fate.executions, fate.reached, fate.seen, fate.fuzzed, mutant.about,
                        note_of(lists, mutant, fate));
  }
  return harness::write_text_file(path, text, error);
}

}  // namespace wddm::runner
