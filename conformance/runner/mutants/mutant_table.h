// What `selftest --mutants` knows of each mutant, as the table that it writes and prints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "conformance/harness/mutants/mutant_list.h"
#include "conformance/harness/mutants/mutant_play.h"
#include "conformance/runner/options.h"

namespace wddm::runner {

enum class MutantState : std::uint8_t {
  Killed,
  KilledByFuzzing,
  Alive,
  Unseen,
  Unreached,
  Equivalent,
  Conforming,
  NotPlayed
};

/// All mutants, those that were asked for, and those that are no defects by name, with the reason.
struct MutantLists {
  std::vector<harness::MutantEntry> all, chosen;
  std::map<std::string, std::string> equivalent, conforming;
  bool plays_listed = false;  ///< what is no defect is played too: is it still none?

  [[nodiscard]] bool plays(const harness::MutantEntry& mutant) const;
};

/// The lists beside this program, with what the options choose. False with one line in `error`.
[[nodiscard]] bool read_mutant_lists(const Options& options, MutantLists& lists,
                                     std::string& error);

[[nodiscard]] MutantState state_of(const MutantLists& lists, const harness::MutantEntry& mutant,
                                   const harness::MutantFate& fate);
/// Whether it is a defect that no run has killed.
[[nodiscard]] bool has_survived(MutantState state);

struct MutantTotals {
  std::map<MutantState, std::size_t> states;

  [[nodiscard]] std::size_t of(MutantState state) const;
  /// Percent of what is neither equivalent nor conforming.
  [[nodiscard]] double killed_by_run() const;
  [[nodiscard]] double killed() const;

 private:
  [[nodiscard]] double percent(std::size_t count) const;
};

[[nodiscard]] MutantTotals totals_of(const MutantLists& lists,
                                     const std::vector<harness::MutantFate>& fates);
/// By file, by operator and by clause.
void print_parts(const MutantLists& lists, const std::vector<harness::MutantFate>& fates);
void print_whole(const MutantTotals& totals);
/// Mutants that nobody could tell from the original, and that were told from it.
std::size_t complain_about_lists(const MutantLists& lists,
                                 const std::vector<harness::MutantFate>& fates);
[[nodiscard]] bool write_mutant_table(const std::string& path, const MutantLists& lists,
                                      const std::vector<harness::MutantFate>& fates,
                                      std::string& error);

}  // namespace wddm::runner
