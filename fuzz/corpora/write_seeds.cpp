// write_seeds OUT FOLDER...: what engines begin with, in their own forms.
//
//   OUT/seeds/   as bytes, every scenario file below the FOLDERs, and of every clause the scenario
//                and the control case
//   OUT/ops.dict every kind of op as a word
#include <filesystem>
#include <iostream>
#include <map>

#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/scenario_book.h"
#include "conformance/harness/suite/text_file.h"
#include "fuzz/corpora/op_dictionary.h"

namespace wddm::fuzz {
namespace {

namespace fs = std::filesystem;
using Seeds = std::map<std::string, std::vector<Op>>;  // by file name

bool take_files(const std::string& folder, Seeds& seeds, std::string& error) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    harness::Reproducer file;
    if (!harness::read_reproducer(entry.path(), file, error)) return false;
    seeds[entry.path().stem()] = file.scenario.ops;
  }
  return true;
}

bool take_rules(Seeds& seeds, std::string& error) {
  harness::ScenarioBook book;
  for (const Rule* rule : all_rules()) {
    for (const auto which : {harness::CaseKind::Scenario, harness::CaseKind::Control}) {
      const Scenario* const scenario = book.of(*rule, which, error);
      if (scenario == nullptr) return false;
      seeds[std::string(rule->id) + "-" + harness::name_of(which)] = scenario->ops;
    }
  }
  return true;
}

bool write(const Seeds& seeds, const fs::path& out, std::string& error) {
  for (const auto& [name, ops] : seeds) {
    const std::vector<std::uint8_t> bytes = encode(ops);
    if (!harness::write_text_file(out / "seeds" / name, {bytes.begin(), bytes.end()}, error)) {
      return false;
    }
  }
  return harness::write_text_file(out / "ops.dict", op_dictionary(), error);
}

int write_seeds(const fs::path& out, std::span<char* const> folders) {
  // What was there before may have another name by now.
  fs::remove_all(out);
  fs::create_directories(out / "seeds");
  Seeds seeds;
  std::string error;
  bool good = take_rules(seeds, error);
  for (const char* folder : folders) good = good && take_files(folder, seeds, error);
  if (good && write(seeds, out, error)) return 0;
  std::cerr << "write_seeds: " << error << '\n';
  return 1;
}

}  // namespace
}  // namespace wddm::fuzz

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "write_seeds OUT FOLDER...\n";
    return 2;
  }
  return wddm::fuzz::write_seeds(argv[1], {argv + 2, static_cast<std::size_t>(argc - 2)});
}
