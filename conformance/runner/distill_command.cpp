// `wddmcheck distill`: makes the corpus that `run` plays beside the scenarios of clauses, of what
// generators invent and of scenarios in files, on the built-in driver.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>

#include "conformance/harness/mutants/mutant_list.h"
#include "conformance/harness/mutants/mutant_play.h"
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/suite/corpus.h"
#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"
#include "conformance/runner/commands.h"
#include "conformance/runner/driver_choice.h"
#include "conformance/runner/process.h"
#include "conformance/runner/progress.h"
#include "fuzz/distill/candidate.h"
#include "fuzz/distill/cover.h"
#include "fuzz/session/input_file.h"

namespace wddm::runner {
namespace {

namespace fs = std::filesystem;
using fuzz::Candidate;
using fuzz::Played;

// Of an index: more would not be read.
constexpr std::size_t kClausesNamed = 6;
// Candidates that mutants are played in, where nothing that was kept kills them.
constexpr std::size_t kMostForMutants = 1500;
constexpr std::uint64_t kRunsOfMutant = 150;
// Beside the two folders of the corpus: candidates that show a defect of ours.
constexpr const char* kWrong = "wrong";

struct Chosen {
  std::size_t index = 0;  // of its candidate
  std::string adds;
};

class Distillation {
 public:
  explicit Distillation(const Options& options)
      : options_(options), configurations_(harness::default_configurations(true)) {}

  // With mutants the driver has them in it, all asleep.
  [[nodiscard]] host::DriverUnderTest driver() const {
    if (options_.distill.mutants.empty()) return {};
    return {beside_us("reference_kmd_mutants.so"), beside_us("reference_device_mutants.so"),
            beside_us("reference_client.so")};
  }

  bool make_candidates(std::string& error) {
    if (!read_files(error)) return false;
    from_files_ = candidates_.size();
    std::vector<bool> gpu_virtual;
    for (const harness::Configuration& one : configurations_)
      gpu_virtual.push_back(
          bring_up(options_.timeout_seconds, one).judged.platform.has_virtual_addresses());
    for (Candidate& one : fuzz::invent_candidates(
             configurations_, gpu_virtual, options_.distill.candidates, options_.fuzz.seed)) {
      candidates_.push_back(std::move(one));
    }
    return true;
  }

  void choose() {
    std::vector<std::size_t> all(candidates_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    played_ = play(all);
    const auto always = std::span(all).first(from_files_);
    for (const fuzz::Kept& kept : fuzz::cover(played_, options_.distill.events, always))
      chosen_.push_back({kept.index, what_it_adds(kept)});
    drop_unsteady();
    for (std::size_t i = 0; i < played_.size(); ++i) {
      if (!played_[i].wrong.empty()) wrong_.push_back(i);
    }
  }

  bool choose_by_mutants(std::string& error) {
    std::vector<harness::MutantEntry> mutants;
    if (!read_mutants(mutants, error)) return false;
    std::vector<std::size_t> known, others;
    for (const Chosen& one : chosen_) known.push_back(one.index);
    for (std::size_t i = 0; i < played_.size(); ++i) {
      const bool taken = std::find(known.begin(), known.end(), i) != known.end();
      if (!taken && played_[i].done && played_[i].wrong.empty()) others.push_back(i);
    }
    thin_out(others);
    const std::size_t before = mutants.size();
    std::map<std::size_t, std::vector<std::string>> killed;
    if (!play_mutants_in(known, options_.fuzz.runs, mutants, killed, error)) return false;
    std::cout << fmt::format("{} of {} mutants are killed by what was kept already\n",
                             before - mutants.size(), before);
    const std::size_t left = mutants.size();
    killed.clear();
    const std::uint64_t runs = options_.fuzz.runs != 0 ? options_.fuzz.runs : kRunsOfMutant;
    if (!play_mutants_in(others, runs, mutants, killed, error)) return false;
    std::cout << fmt::format("{} of the others by {} more scenarios\n", left - mutants.size(),
                             killed.size());
    for (const auto& [index, names] : killed) {
      chosen_.push_back({index, fmt::format("kills {}{}", names.front(),
                                            names.size() == 1 ? std::string()
                                                              : fmt::format(" and {} more mutants",
                                                                            names.size() - 1))});
    }
    return true;
  }

  // Short ones first: what fires is repeated from the first that shows it.
  bool write(std::string& error) {
    std::stable_sort(chosen_.begin(), chosen_.end(), [this](const Chosen& a, const Chosen& b) {
      return played_[a.index].events < played_[b.index].events;
    });
    if (!forget_former(error)) return false;
    std::string index = std::string(harness::kCorpusColumns) + '\n';
    for (const Chosen& one : chosen_) {
      const Candidate& candidate = candidates_[one.index];
      const Played& played = played_[one.index];
      const char* const folder = played.gpu_virtual ? harness::kGpuVirtual : harness::kPatchLists;
      const std::string file = fmt::format("{}/{}.yaml", folder, candidate.scenario->name);
      const std::string& settings = configurations_[candidate.configuration].name;
      index += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", file, folder, settings, candidate.family,
                           candidate.seed, played.events, one.adds);
      std::error_code code;
      fs::create_directories(fs::path(options_.result) / folder, code);
      const std::string text = print_scenario(*candidate.scenario);
      if (!harness::write_text_file(options_.result + '/' + file, text, error)) return false;
    }
    return write_wrong(error) &&
           harness::write_text_file(options_.result + "/index.tsv", index, error);
  }

  int report(double seconds) const {
    std::uint64_t events = 0;
    std::size_t played = 0, gpu_virtual = 0;
    for (const Played& one : played_) played += one.done ? 1 : 0;
    for (const Chosen& one : chosen_) {
      events += played_[one.index].events;
      gpu_virtual += played_[one.index].gpu_virtual ? 1 : 0;
    }
    std::cout << fmt::format(
        "{} of {} scenarios kept, {} of them with GPU virtual addresses, {} events, {:.0f} s: {}\n",
        chosen_.size(), played, gpu_virtual, events, seconds, options_.result);
    for (const std::size_t index : wrong_)
      std::cout << fmt::format("{}: {}\n", wrong_file(index), played_[index].wrong);
    if (!wrong_.empty())
      std::cout << fmt::format("{} are wrong on the built-in driver, and were left out\n",
                               wrong_.size());
    return wrong_.empty() ? kExitGood : kExitHarness;
  }

  // Former files go, and nothing else: a folder without an index is somebody's.
  bool forget_former(std::string& error) const {
    std::error_code code;
    const fs::path folder = options_.result;
    if (!fs::exists(folder, code) || fs::is_empty(folder, code)) return true;
    if (!fs::exists(folder / "index.tsv", code)) {
      error = options_.result + ": holds what is no distilled corpus; name a new folder";
      return false;
    }
    for (const char* const part : {harness::kPatchLists, harness::kGpuVirtual, kWrong})
      fs::remove_all(folder / part, code);
    if (code) error = fmt::format("{}: {}", options_.result, code.message());
    return !code;
  }

 private:
  bool read_files(std::string& error) {
    std::error_code code;
    for (const std::string& name : options_.inputs) {
      if (!fs::exists(name, code)) {
        error = name + ": no such file or folder";
        return false;
      }
      std::set<fs::path> files{name};
      if (fs::is_directory(name, code)) files = fuzz::inputs_below(name, error);
      if (!error.empty()) return false;
      for (const fs::path& file : files) {
        harness::Reproducer reproducer;
        if (!harness::read_reproducer(file, reproducer, error)) return false;
        Candidate candidate;
        candidate.family = file.parent_path().filename();
        reproducer.scenario.name = file.stem();
        reproducer.scenario.lines.clear();
        candidate.scenario = std::make_shared<const Scenario>(std::move(reproducer.scenario));
        candidates_.push_back(std::move(candidate));
      }
    }
    return true;
  }

  std::vector<Played> play(std::span<const std::size_t> which) const {
    fuzz::PlayOptions playing;
    playing.jobs = options_.jobs;
    playing.timeout_seconds = options_.timeout_seconds;
    playing.stop = &stop_on_signals();
    return fuzz::play(candidates_, which, configurations_, playing);
  }

  // In other company and order, a run is the same.
  void drop_unsteady() {
    std::vector<std::size_t> backwards;
    for (const Chosen& one : chosen_) backwards.push_back(one.index);
    std::sort(backwards.begin(), backwards.end(), std::greater<>());
    const std::vector<Played> again = play(backwards);
    for (std::size_t i = 0; i < again.size(); ++i) {
      Played& first = played_[backwards[i]];
      if (again[i].done && again[i].wrong.empty() && again[i].trace == first.trace) continue;
      if (again[i].done) first.wrong = "it is not the same twice: " + again[i].wrong;
    }
    std::erase_if(chosen_, [this](const Chosen& one) { return !played_[one.index].wrong.empty(); });
  }

  std::string wrong_file(std::size_t index) const {
    return fmt::format("{}/{}/{}.yaml", options_.result, kWrong, candidates_[index].scenario->name);
  }

  // As `repro` takes them: with the settings that they were played in.
  bool write_wrong(std::string& error) const {
    std::error_code code;
    if (!wrong_.empty()) fs::create_directories(fs::path(options_.result) / kWrong, code);
    for (const std::size_t index : wrong_) {
      const Candidate& one = candidates_[index];
      const auto& settings = configurations_[one.configuration].settings;
      const std::string text = print_scenario(harness::with_settings(*one.scenario, settings));
      if (!harness::write_text_file(wrong_file(index), text, error)) return false;
    }
    return true;
  }

  static std::string what_it_adds(const fuzz::Kept& kept) {
    std::string clauses;
    std::size_t number = 0;
    for (const std::uint32_t feature : kept.added) {
      const Rule* const rule = fuzz::clause_of(feature);
      if (rule == nullptr || ++number > kClausesNamed) continue;
      clauses += fmt::format("{}{}", clauses.empty() ? "" : " ", rule->id);
    }
    if (number > kClausesNamed) clauses += fmt::format(" and {} more", number - kClausesNamed);
    return fmt::format("{}{}{} new in all", clauses.empty() ? "" : "reaches ",
                       clauses.empty() ? "" : clauses + ", ", kept.added.size());
  }

  // Those that `selftest --mutants` did not see killed, of its table; or the names in a file.
  bool read_mutants(std::vector<harness::MutantEntry>& mutants, std::string& error) {
    std::vector<harness::MutantEntry> all;
    std::string text;
    if (!harness::read_mutants(beside_us("reference_mutants.tsv"), all, error) ||
        !harness::read_text_file(options_.distill.mutants, text, error)) {
      return false;
    }
    most_ = all.back().number;
    std::set<std::string> wanted;
    for (const harness::Line& line : harness::meaningful_lines(text)) {
      const std::size_t name = line.text.find('\t');
      const std::size_t place = line.text.find('\t', name + 1);
      const std::string state =
          place == std::string::npos
              ? ""
              : line.text.substr(place + 1, line.text.find('\t', place + 1) - place - 1);
      if (state != "killed" && state != "equivalent" && state != "conforming")
        wanted.insert(line.text.substr(0, name));
    }
    for (harness::MutantEntry& one : all) {
      if (wanted.count(one.name) != 0) mutants.push_back(std::move(one));
    }
    if (mutants.empty()) error = options_.distill.mutants + ": names no mutant of this build";
    return !mutants.empty();
  }

  static void thin_out(std::vector<std::size_t>& indices) {
    if (indices.size() <= kMostForMutants) return;
    for (std::size_t i = 0; i < kMostForMutants; ++i)
      indices[i] = indices[i * indices.size() / kMostForMutants];
    indices.resize(kMostForMutants);
  }

  // Mutants that survive stay in the list.
  bool play_mutants_in(const std::vector<std::size_t>& indices, std::uint64_t most_runs,
                       std::vector<harness::MutantEntry>& mutants,
                       std::map<std::size_t, std::vector<std::string>>& killed,
                       std::string& error) const {
    std::vector<harness::MutantRun> runs;
    std::map<std::string, std::size_t> by_name;
    for (const std::size_t index : indices) {
      const Candidate& one = candidates_[index];
      runs.push_back(
          {one.scenario->name,
           harness::with_settings(*one.scenario, configurations_[one.configuration].settings)});
      by_name[one.scenario->name] = index;
    }
    Progress progress(mutants.size(), !options_.quiet);
    std::size_t alive = 0;
    harness::MutantPlayOptions playing;
    playing.jobs = options_.jobs;
    playing.images = {driver().driver, driver().device};
    playing.most = most_;
    playing.most_runs = most_runs;
    playing.stop = &stop_on_signals();
    playing.ended = [&](const harness::MutantEntry& mutant, const harness::MutantFate& fate) {
      alive += fate.killer.empty() ? 1 : 0;
      progress.step(mutant.name, alive);
    };
    std::vector<harness::MutantFate> fates;
    if (!harness::play_mutants(mutants, runs, playing, fates, error)) return false;
    std::vector<harness::MutantEntry> survivors;
    for (std::size_t i = 0; i < mutants.size(); ++i) {
      if (fates[i].killer.empty()) {
        survivors.push_back(mutants[i]);
      } else {
        killed[by_name.at(fates[i].run)].push_back(mutants[i].name);
      }
    }
    mutants = std::move(survivors);
    return true;
  }

  const Options& options_;
  std::vector<harness::Configuration> configurations_;
  std::vector<Candidate> candidates_;
  std::size_t from_files_ = 0;  // the first of them
  std::vector<Played> played_;  // by candidate
  std::vector<Chosen> chosen_;
  std::vector<std::size_t> wrong_;  // by candidate
  unsigned most_ = 0;               // the highest number of a mutant
};

}  // namespace

int distill_command(const Options& options) {
  const auto begun = std::chrono::steady_clock::now();
  Distillation distillation(options);
  std::string error;
  std::error_code code;
  if (fs::exists(options.result, code) && !fs::is_empty(options.result, code) &&
      !fs::exists(fs::path(options.result) / "index.tsv", code)) {
    return complain(options.result + ": holds what is no distilled corpus; name a new folder");
  }
  if (!load_carefully(distillation.driver(), options.timeout_seconds, error)) {
    complain(error);
    return kExitNothingJudged;
  }
  if (!distillation.make_candidates(error)) return complain(error);
  distillation.choose();
  if (!options.distill.mutants.empty() && !distillation.choose_by_mutants(error))
    return complain(error);
  if (stop_on_signals().load()) return complain("stopped; nothing is written");
  if (!distillation.write(error)) return complain(error);
  return distillation.report(
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
}

}  // namespace wddm::runner
