// `wddmcheck selftest --mutants`: which clause kills each mutant of the reference driver and
// device.
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>

#include "conformance/harness/mutants/mutant_list.h"
#include "conformance/harness/mutants/mutant_play.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/corpus_choice.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"

namespace wddm::runner {
namespace {

using harness::MutantEntry;
using harness::MutantFate;

// About two minutes of a build with debug information on two processors.
constexpr std::size_t kSample = 200;
constexpr std::uint64_t kRunsOfSample = 80;

enum class State : std::uint8_t {
  Killed,
  Alive,
  Unseen,
  Unreached,
  Equivalent,
  Conforming,
  NotPlayed
};

const char* name_of(State state) {
  switch (state) {
    case State::Killed:
      return "killed";
    case State::Alive:
      return "alive";
    case State::Unseen:
      return "unseen";
    case State::Unreached:
      return "unreached";
    case State::Equivalent:
      return "equivalent";
    case State::Conforming:
      return "conforming";
    case State::NotPlayed:
      return "not played";
  }
  return "";
}

struct Lists {
  std::vector<MutantEntry> all, chosen;
  std::map<std::string, std::string> equivalent, conforming;
};

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

bool read_lists(const Options& options, Lists& lists, std::string& error) {
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
  if (options.sample) lists.chosen = harness::sample_of(std::move(lists.chosen), kSample);
  return true;
}

State state_of(const Lists& lists, const MutantEntry& mutant, const MutantFate& fate) {
  if (!fate.played) return State::NotPlayed;
  if (!fate.killer.empty()) return State::Killed;
  if (lists.equivalent.count(mutant.name) != 0) return State::Equivalent;
  if (lists.conforming.count(mutant.name) != 0) return State::Conforming;
  if (fate.reached == 0) return State::Unreached;
  return fate.seen == 0 ? State::Unseen : State::Alive;
}

std::uint64_t most_runs(const Options& options) {
  return options.sample && options.fuzz.runs == 0 ? kRunsOfSample : options.fuzz.runs;
}

// -- the journal: a line for each mutant that came to its end

constexpr const char* kJournal = "mutants.journal";

// What fates depend on: other files, other fates.
std::string fingerprint(const Options& options) {
  std::string text = fmt::format("wddmcheck mutants 1 {}", most_runs(options));
  if (options.by_corpus) text += " corpus";
  for (const std::string& file :
       {std::string("/proc/self/exe"), beside_us("reference_kmd_mutants.so"),
        beside_us("reference_device_mutants.so"), beside_us("reference_client.so")}) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;
    text += fmt::format(" {}.{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
  }
  return text;
}

std::string row_of(const MutantEntry& mutant, const MutantFate& fate) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", mutant.name, fate.killer, fate.run,
                     fate.executions, fate.reached, fate.seen, fate.refused ? 1 : 0, fate.harness);
}

std::map<std::string, MutantFate> read_journal(const std::string& path, const Options& options) {
  std::map<std::string, MutantFate> known;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != fingerprint(options)) return known;
  while (std::getline(in, line)) {
    std::vector<std::string> columns;
    for (std::size_t start = 0; start <= line.size();) {
      const std::size_t end = std::min(line.find('\t', start), line.size());
      columns.push_back(line.substr(start, end - start));
      start = end + 1;
    }
    if (columns.size() != 8 || in.eof()) continue;  // a last line that was cut
    MutantFate& fate = known[columns[0]];
    fate.played = true;
    fate.killer = columns[1];
    fate.run = columns[2];
    fate.executions = static_cast<std::uint32_t>(std::strtoul(columns[3].c_str(), nullptr, 10));
    fate.reached = static_cast<std::uint32_t>(std::strtoul(columns[4].c_str(), nullptr, 10));
    fate.seen = static_cast<std::uint32_t>(std::strtoul(columns[5].c_str(), nullptr, 10));
    fate.refused = columns[6] == "1";
    fate.harness = columns[7];
  }
  return known;
}

// -- the report

struct Totals {
  std::map<State, std::size_t> states;

  [[nodiscard]] std::size_t of(State state) const {
    const auto found = states.find(state);
    return found == states.end() ? 0 : found->second;
  }
  [[nodiscard]] std::size_t judged() const {
    return of(State::Killed) + of(State::Alive) + of(State::Unseen) + of(State::Unreached);
  }
  [[nodiscard]] double score() const {
    return judged() == 0
               ? 100
               : 100.0 * static_cast<double>(of(State::Killed)) / static_cast<double>(judged());
  }
};

void print_totals(const std::string& title, const std::map<std::string, Totals>& rows) {
  std::cout << fmt::format("{:<32} {:>7} {:>7} {:>7} {:>7} {:>9} {:>10} {:>10}\n", title, "score",
                           "killed", "alive", "unseen", "unreached", "equivalent", "conforming");
  for (const auto& [name, totals] : rows) {
    std::cout << fmt::format("{:<32} {:>6.1f}% {:>7} {:>7} {:>7} {:>9} {:>10} {:>10}\n", name,
                             totals.score(), totals.of(State::Killed), totals.of(State::Alive),
                             totals.of(State::Unseen), totals.of(State::Unreached),
                             totals.of(State::Equivalent), totals.of(State::Conforming));
  }
  std::cout << '\n';
}

bool write_table(const Options& options, const Lists& lists, const std::vector<MutantFate>& fates,
                 std::string& error) {
  std::string text =
      "mutant\tline\tstate\tkilled by\tin\texecutions\truns that reach it\truns that show "
      "it\tmutation\tnote\n";
  for (std::size_t i = 0; i < lists.chosen.size(); ++i) {
    const MutantEntry& mutant = lists.chosen[i];
    const MutantFate& fate = fates[i];
    const State state = state_of(lists, mutant, fate);
    std::string note = fate.refused ? "does not start" : "";
    if (!fate.harness.empty()) note = "HARNESS: " + fate.harness;
    const auto reason = [&](const std::map<std::string, std::string>& list) {
      const auto found = list.find(mutant.name);
      if (found != list.end()) note = found->second;
    };
    reason(lists.equivalent);
    reason(lists.conforming);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", mutant.name, mutant.line,
                        name_of(state), fate.killer, fate.run, fate.executions, fate.reached,
                        fate.seen, mutant.about, note);
  }
  return harness::write_text_file(options.output + "/mutants.tsv", text, error);
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

// A mutant that nobody could tell from the original was told from it.
std::size_t complain_about_lists(const Lists& lists, const std::vector<MutantFate>& fates) {
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

}  // namespace

int selftest_mutants(const Options& options) {
  std::string error;
  Lists lists;
  std::error_code missing;
  if (!std::filesystem::exists(beside_us("reference_mutants.tsv"), missing))
    return complain("there are no mutants beside this program; build the target wddm_mutants");
  if (!read_lists(options, lists, error)) return complain(error);
  const host::DriverUnderTest driver{beside_us("reference_kmd_mutants.so"),
                                     beside_us("reference_device_mutants.so"),
                                     beside_us("reference_client.so")};
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  std::error_code problem;
  std::filesystem::create_directories(options.output, problem);
  const std::string path = options.output + '/' + kJournal;
  harness::MutantPlayOptions playing;
  playing.known = read_journal(path, options);
  std::ofstream journal(path, playing.known.empty() ? std::ios::trunc : std::ios::app);
  if (playing.known.empty()) journal << fingerprint(options) << '\n';
  journal.flush();
  if (!journal) return complain(path + ": cannot be written");

  const auto begun = std::chrono::steady_clock::now();
  Progress progress(lists.chosen.size(), !options.quiet);
  std::size_t alive = 0;
  playing.jobs = options.jobs;
  playing.most_runs = most_runs(options);
  playing.images = {driver.driver, driver.device};
  playing.most = lists.all.back().number;
  playing.stop = &stop_on_signals();
  playing.ended = [&](const MutantEntry& mutant, const MutantFate& fate) {
    journal << row_of(mutant, fate) << std::flush;
    alive += state_of(lists, mutant, fate) == State::Alive ? 1 : 0;
    progress.step(mutant.name, alive);
  };
  std::vector<harness::CorpusScenario> corpus;
  if (!read_corpus_of(Depth::Normal, corpus, error)) return complain(error);
  std::vector<harness::MutantRun> runs;
  if (!options.by_corpus) runs = harness::runs_of_suite();
  for (harness::MutantRun& run : harness::runs_of_corpus(corpus)) runs.push_back(std::move(run));
  std::vector<MutantFate> fates;
  if (!play_mutants(lists.chosen, runs, playing, fates, error)) return complain(error);

  std::map<std::string, Totals> files, kinds, whole;
  std::uint64_t executions = 0;
  for (std::size_t i = 0; i < fates.size(); ++i) {
    const MutantEntry& mutant = lists.chosen[i];
    const State state = state_of(lists, mutant, fates[i]);
    ++files[std::string(mutant.file())].states[state];
    ++kinds[std::string(mutant.kind())].states[state];
    ++whole["all"].states[state];
    executions += fates[i].executions;
  }
  if (!options.quiet) {
    print_totals("file", files);
    print_totals("operator", kinds);
    print_killers(fates);
  }
  print_totals("", whole);
  const std::size_t wrong = complain_about_lists(lists, fates);
  if (!write_table(options, lists, fates, error)) return complain(error);
  const Totals& all = whole["all"];
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::cout << fmt::format(
      "{} mutants in {} runs of {}, {:.0f} s: {:.1f} % of what is neither equivalent nor "
      "conforming is killed\nEach: {}/mutants.tsv\n",
      fates.size(), executions, runs.size(), seconds, all.score(), options.output);
  if (all.of(State::NotPlayed) > 0) {
    std::cout << fmt::format("Stopped: {} were not played; the same command goes on with them.\n",
                             all.of(State::NotPlayed));
    return kExitUnexpected;
  }
  if (all.score() < options.least_score) {
    std::cout << fmt::format("That is less than {} %.\n", options.least_score);
    return kExitUnexpected;
  }
  return wrong == 0 ? kExitGood : kExitUnexpected;
}

}  // namespace wddm::runner
