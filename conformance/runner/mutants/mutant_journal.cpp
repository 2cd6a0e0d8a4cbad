#include "conformance/runner/mutants/mutant_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "conformance/harness/suite/text_file.h"

namespace wddm::runner {
namespace {

constexpr std::size_t kColumns = 9;

std::uint64_t number(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

std::map<std::string, harness::MutantFate> read(const std::string& path,
                                                const std::string& subject) {
  std::map<std::string, harness::MutantFate> known;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || line != subject) return known;
  while (std::getline(in, line)) {
    const std::vector<std::string> columns = harness::columns_of(line);
    if (columns.size() != kColumns || in.eof()) continue;  // a last line that was cut
    harness::MutantFate& fate = known[columns[0]];
    fate.played = true;
    fate.killer = columns[1];
    fate.run = columns[2];
    fate.executions = static_cast<std::uint32_t>(number(columns[3]));
    fate.reached = static_cast<std::uint32_t>(number(columns[4]));
    fate.seen = static_cast<std::uint32_t>(number(columns[5]));
    fate.refused = columns[6] == "1";
    fate.harness = columns[7];
    fate.fuzzed = number(columns[8]);
  }
  return known;
}

}  // namespace

MutantJournal::MutantJournal(const std::string& path, const std::string& subject)
    : known_(read(path, subject)), out_(path, known_.empty() ? std::ios::trunc : std::ios::app) {
  if (known_.empty()) out_ << subject << '\n';
  out_.flush();
}

void MutantJournal::add(const harness::MutantEntry& mutant, const harness::MutantFate& fate) {
  out_ << fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", mutant.name, fate.killer, fate.run,
                      fate.executions, fate.reached, fate.seen, fate.refused ? 1 : 0, fate.harness,
                      fate.fuzzed)
       << std::flush;
}

}  // namespace wddm::runner
