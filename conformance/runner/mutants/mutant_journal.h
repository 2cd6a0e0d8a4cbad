// A line for each mutant that came to its end, so that a command that was broken off goes on.
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "conformance/harness/mutants/mutant_play.h"

namespace wddm::runner {

class MutantJournal {
 public:
  /// Of a journal that is there: its fates, if `subject` is what it was begun with. Whatever fates
  /// depend on stands in there.
  MutantJournal(const std::string& path, const std::string& subject);
  [[nodiscard]] const std::map<std::string, harness::MutantFate>& known() const { return known_; }
  /// False: it could not be begun.
  [[nodiscard]] bool is_good() const { return out_.good(); }
  /// Takes the place of what was added for the mutant before.
  void add(const harness::MutantEntry& mutant, const harness::MutantFate& fate);

 private:
  std::map<std::string, harness::MutantFate> known_;
  std::ofstream out_;
};

}  // namespace wddm::runner
