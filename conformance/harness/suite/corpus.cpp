#include "conformance/harness/suite/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "conformance/harness/suite/reproducer.h"
#include "conformance/harness/suite/text_file.h"

namespace wddm::harness {
namespace {

bool read_entry(const std::string& folder, const std::vector<std::string>& columns,
                CorpusScenario& entry, std::string& error) {
  if (columns.size() < 3 || (columns[1] != kPatchLists && columns[1] != kGpuVirtual)) {
    error = fmt::format("expected a file, {} or {}, and settings", kPatchLists, kGpuVirtual);
    return false;
  }
  const std::string& file = columns[0];
  Reproducer reproducer;
  if (!read_reproducer(folder + '/' + file, reproducer, error)) return false;
  Scenario scenario = std::move(reproducer.scenario);
  const std::size_t slash = file.rfind('/') + 1;  // 0 without one
  scenario.name = file.substr(slash, file.rfind(".yaml") - slash);
  // Who repeats a failure has a file of ours, with other lines.
  scenario.lines.clear();
  entry.gpu_virtual = columns[1] == kGpuVirtual;
  entry.settings = columns[2];
  entry.scenario = std::make_shared<const Scenario>(std::move(scenario));
  return true;
}

}  // namespace

bool read_corpus(const std::string& folder, std::vector<CorpusScenario>& corpus,
                 std::string& error) {
  const std::string index = folder + "/index.tsv";
  std::string text;
  if (!read_text_file(index, text, error)) return false;
  bool head = true;
  for (const Line& line : meaningful_lines(text)) {
    if (std::exchange(head, false)) {
      if (line.text == kCorpusColumns) continue;
      error = complaint(index, line.number, fmt::format("expected \"{}\"", kCorpusColumns));
      return false;
    }
    CorpusScenario entry;
    std::string problem;
    if (!read_entry(folder, columns_of(line.text), entry, problem)) {
      error = complaint(index, line.number, problem);
      return false;
    }
    corpus.push_back(std::move(entry));
  }
  return true;
}

std::vector<RunSpec> plan_of_corpus(std::span<const CorpusScenario> corpus,
                                    std::span<const Configuration> configurations,
                                    std::span<const std::optional<bool>> gpu_virtual,
                                    bool built_in) {
  std::vector<RunSpec> plan;
  for (const CorpusScenario& entry : corpus) {
    const auto found_in = [&entry](const Configuration& one) { return one.name == entry.settings; };
    const bool by_name =
        built_in && std::any_of(configurations.begin(), configurations.end(), found_in);
    for (std::uint32_t i = 0; i < configurations.size(); ++i) {
      if (by_name ? !found_in(configurations[i]) : gpu_virtual[i] != entry.gpu_virtual) continue;
      plan.push_back({.rule = nullptr,
                      .which = CaseKind::Corpus,
                      .configuration = i,
                      .corpus = entry.scenario,
                      .number = static_cast<std::uint32_t>(plan.size())});
    }
  }
  return plan;
}

std::vector<std::optional<bool>> addressing_seen(std::span<const RunRecord> records,
                                                 std::size_t configurations) {
  std::vector<std::optional<bool>> seen(configurations);
  for (const RunRecord& record : records) {
    std::optional<bool>& here = seen[record.spec.configuration];
    const Platform& platform = record.run.judged.platform;
    if (!here && platform.started) here = platform.has_virtual_addresses();
  }
  return seen;
}

}  // namespace wddm::harness
