#include "conformance/harness/mutants/mutant_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "conformance/harness/suite/text_file.h"
#include "reference/digest.h"

namespace wddm::harness {
namespace {

// All but the number: mutations of an operator in a function count from 1.
std::string_view without_number(std::string_view name) {
  return name.substr(0, name.rfind(':') + 1);
}

// What a mutation that lost its number is called now: " is now A, B", or nothing.
std::string called_now(const std::vector<MutantEntry>& mutants, const std::string& name,
                       const std::string& mutation) {
  std::string now;
  for (const MutantEntry& one : mutants) {
    if (without_number(one.name) != without_number(name) || one.about != mutation) continue;
    now += (now.empty() ? "; it is now " : ", ") + one.name;
  }
  return now;
}

std::uint64_t place_in_sample(const MutantEntry& mutant) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(mutant.name.data());
  return digest({bytes, mutant.name.size()});
}

}  // namespace

std::string_view MutantEntry::file() const {
  return std::string_view(name).substr(0, name.find(':'));
}

std::string_view MutantEntry::kind() const {
  const std::size_t last = name.rfind(':');
  const std::size_t before = name.rfind(':', last - 1);
  return std::string_view(name).substr(before + 1, last - before - 1);
}

bool read_mutants(const std::string& path, std::vector<MutantEntry>& mutants, std::string& error) {
  std::string text;
  if (!read_text_file(path, text, error)) return false;
  const std::vector<Line> lines = meaningful_lines(text);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> columns = columns_of(lines[i].text);
    MutantEntry one;
    if (columns.size() != 4 ||
        std::from_chars(columns[0].data(), columns[0].data() + columns[0].size(), one.number).ec !=
            std::errc{} ||
        one.number != i || std::count(columns[1].begin(), columns[1].end(), ':') < 3) {
      error = complaint(path, lines[i].number, "no mutant");
      return false;
    }
    one.name = columns[1];
    one.line = columns[2];
    one.about = columns[3];
    mutants.push_back(std::move(one));
  }
  return true;
}

bool read_reasons(const std::string& path, const std::vector<MutantEntry>& mutants,
                  std::map<std::string, std::string>& reasons, std::string& error) {
  std::string text;
  if (!read_text_file(path, text, error)) return false;
  std::map<std::string_view, std::string_view> known;  // mutations, by name
  for (const MutantEntry& one : mutants) known[one.name] = one.about;
  for (const Line& line : meaningful_lines(text)) {
    const std::vector<std::string> columns = columns_of(line.text);
    if (columns.size() != 3 || trimmed(columns[2]).empty()) {
      error = complaint(path, line.number, "expected a name, a mutation and a reason, with tabs");
    } else if (const auto found = known.find(columns[0]);
               found == known.end() || found->second != columns[1]) {
      error = complaint(path, line.number,
                        "there is no mutant " + columns[0] + " with " + columns[1] +
                            called_now(mutants, columns[0], columns[1]));
    } else if (!reasons.emplace(columns[0], columns[2]).second) {
      error = complaint(path, line.number, columns[0] + " is listed already");
    }
    if (!error.empty()) return false;
  }
  return true;
}

std::vector<MutantEntry> sample_of(std::vector<MutantEntry> mutants, std::size_t count) {
  std::sort(mutants.begin(), mutants.end(), [](const MutantEntry& a, const MutantEntry& b) {
    return place_in_sample(a) < place_in_sample(b);
  });
  mutants.resize(std::min(count, mutants.size()));
  std::sort(mutants.begin(), mutants.end(),
            [](const MutantEntry& a, const MutantEntry& b) { return a.number < b.number; });
  return mutants;
}

}  // namespace wddm::harness
