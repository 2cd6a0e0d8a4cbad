// Puts a report into a folder: whole files or none, and nothing of an earlier run beside them.
#include <fmt/format.h>

#include <filesystem>

#include "conformance/harness/suite/text_file.h"
#include "reports/report.h"

namespace wddm::reports {
namespace {

namespace fs = std::filesystem;

bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view ending : {".yaml", ".trace", ".trace.txt", ".verdict.txt"}) {
    if (name.size() > ending.size() &&
        name.compare(name.size() - ending.size(), ending.size(), ending) == 0) {
      return name.find('.') < name.size() - ending.size();  // "Split.SPLIT_007.yaml"
    }
  }
  return false;
}

void remove_older(const fs::path& folder) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    if (is_ours(entry.path())) fs::remove(entry.path(), problem);
  }
}

}  // namespace

bool write_report(const Report& report, const std::string& folder, std::string& error) {
  const fs::path root(folder);
  const fs::path failures = root / "failures";
  std::error_code problem;
  fs::create_directories(failures, problem);
  if (problem) {
    error = fmt::format("{}: cannot be created: {}", failures.string(), problem.message());
    return false;
  }
  remove_older(failures);
  for (const auto& [name, text] : failure_files(report)) {
    if (!harness::write_text_file(failures / name, text, error)) return false;
  }
  fs::remove(root / "code.tsv", problem);
  if (!report.code.empty() &&
      !harness::write_text_file(root / "code.tsv", code_tsv(report), error)) {
    return false;
  }
  return harness::write_text_file(root / "failures.csv", failures_csv(report), error) &&
         harness::write_text_file(root / "junit.xml", junit_xml(report), error) &&
         harness::write_text_file(root / "results.json", results_json(report), error);
}

}  // namespace wddm::reports
