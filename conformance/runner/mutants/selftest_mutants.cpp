// `wddmcheck selftest --mutants`: which clause kills each mutant of the reference driver and
// device.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <iostream>

#include "conformance/runner/commands.h"
#include "conformance/runner/corpus_choice.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/mutants/mutant_journal.h"
#include "conformance/runner/mutants/mutant_survivors.h"
#include "conformance/runner/mutants/mutant_table.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"

namespace wddm::runner {
namespace {

using harness::MutantEntry;
using harness::MutantFate;

// About two minutes of a build with debug information on two processors.
constexpr std::uint64_t kRunsOfSample = 80;

std::uint64_t most_runs(const Options& options) {
  if (options.fuzz.runs != 0 && !options.by_fuzzing) return options.fuzz.runs;
  return options.sample ? kRunsOfSample : 0;
}

// What fates depend on: other files, other fates.
std::string fingerprint(const Options& options) {
  std::string text = fmt::format("wddmcheck mutants 2 {}", most_runs(options));
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

// Every run that may kill one.
bool read_runs(const Options& options, std::vector<harness::MutantRun>& runs, std::string& error) {
  std::vector<harness::CorpusScenario> corpus;
  if (!read_corpus_of(Depth::Normal, corpus, error)) return false;
  if (!options.by_corpus) runs = harness::runs_of_suite();
  for (harness::MutantRun& run : harness::runs_of_corpus(corpus)) runs.push_back(std::move(run));
  return true;
}

bool play(const Options& options, const MutantLists& lists, const host::DriverUnderTest& driver,
          std::span<const harness::MutantRun> runs, MutantJournal& journal,
          std::vector<MutantFate>& fates, std::string& error) {
  std::vector<MutantEntry> played;
  std::copy_if(lists.chosen.begin(), lists.chosen.end(), std::back_inserter(played),
               [&lists](const MutantEntry& one) { return lists.plays(one); });
  Progress progress(played.size(), !options.quiet);
  std::size_t alive = 0;
  harness::MutantPlayOptions playing;
  playing.known = journal.known();
  playing.jobs = options.jobs;
  playing.most_runs = most_runs(options);
  playing.images = {driver.driver, driver.device};
  playing.most = lists.all.back().number;
  playing.stop = &stop_on_signals();
  playing.ended = [&](const MutantEntry& mutant, const MutantFate& fate) {
    journal.add(mutant, fate);
    alive += state_of(lists, mutant, fate) == MutantState::Alive ? 1 : 0;
    progress.step(mutant.name, alive);
  };
  std::vector<MutantFate> ends;
  if (!harness::play_mutants(played, {runs.begin(), runs.end()}, playing, ends, error))
    return false;
  fates.resize(lists.chosen.size());
  auto end = ends.begin();
  for (std::size_t i = 0; i < fates.size(); ++i) {
    if (lists.plays(lists.chosen[i])) fates[i] = std::move(*end++);
  }
  return true;
}

int conclude(const Options& options, const MutantTotals& totals, std::size_t wrong) {
  if (const std::size_t missing = totals.of(MutantState::NotPlayed); missing > 0) {
    std::cout << fmt::format("Stopped: {} were not played; the same command goes on with them.\n",
                             missing);
    return kExitUnexpected;
  }
  if (totals.killed() < options.least_score) {
    std::cout << fmt::format("That is less than {} %.\n", options.least_score);
    return kExitUnexpected;
  }
  return wrong == 0 ? kExitGood : kExitUnexpected;
}

}  // namespace

int selftest_mutants(const Options& options) {
  std::string error;
  MutantLists lists;
  std::error_code problem;
  if (!std::filesystem::exists(beside_us("reference_mutants.tsv"), problem))
    return complain("there are no mutants beside this program; build the target wddm_mutants");
  if (!read_mutant_lists(options, lists, error)) return complain(error);
  const host::DriverUnderTest driver{beside_us("reference_kmd_mutants.so"),
                                     beside_us("reference_device_mutants.so"),
                                     beside_us("reference_client.so")};
  if (!load_carefully(driver, options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  std::filesystem::create_directories(options.output, problem);
  const std::string path = options.output + "/mutants.journal";
  MutantJournal journal(path, fingerprint(options));
  if (!journal.is_good()) return complain(path + ": cannot be written");

  const auto begun = std::chrono::steady_clock::now();
  std::vector<harness::MutantRun> runs;
  std::vector<MutantFate> fates;
  if (!read_runs(options, runs, error) ||
      !play(options, lists, driver, runs, journal, fates, error)) {
    return complain(error);
  }
  if (options.by_fuzzing && !fuzz_survivors(options, lists, driver, journal, fates, error))
    return complain(error);

  const MutantTotals totals = totals_of(lists, fates);
  if (!options.quiet) print_parts(lists, fates);
  print_whole(totals);
  const std::size_t wrong = complain_about_lists(lists, fates);
  const std::string table = options.output + "/mutants.tsv";
  if (!write_mutant_table(table, lists, fates, error)) return complain(error);
  std::uint64_t played = 0, executions = 0, fuzzed = 0;
  for (const MutantFate& fate : fates) {
    played += fate.played ? 1 : 0;
    executions += fate.executions;
    fuzzed += fate.fuzzed;
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  std::cout << fmt::format(
      "{} mutants in {} runs of {}, {:.0f} s: {:.1f} % of what is neither equivalent nor "
      "conforming is killed\n",
      played, executions, runs.size(), seconds, totals.killed_by_run());
  if (options.by_fuzzing) {
    std::cout << fmt::format("with {} executions of fuzzing {:.1f} %\n", fuzzed, totals.killed());
  }
  std::cout << fmt::format("Each: {}\n", table);
  return conclude(options, totals, wrong);
}

}  // namespace wddm::runner
