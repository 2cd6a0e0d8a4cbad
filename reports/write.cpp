// Puts a report into a folder: whole files or none, and nothing of an earlier run beside them.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "reports/report.h"

namespace wddm::reports {
namespace {

namespace fs = std::filesystem;

// A reader never sees half a file: it is written beside its place and moved there.
bool write_file(const fs::path& path, const std::string& text, std::string& error) {
  const fs::path beside = path.string() + ".new";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      error = fmt::format("{}: cannot be written: {}", beside.string(), std::strerror(errno));
      return false;
    }
  }
  std::error_code problem;
  fs::rename(beside, path, problem);
  if (!problem) return true;
  error = fmt::format("{}: cannot be written: {}", path.string(), problem.message());
  return false;
}

bool is_ours(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const std::string_view ending : {".yaml", ".trace.txt", ".verdict.txt"}) {
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
    if (!write_file(failures / name, text, error)) return false;
  }
  return write_file(root / "failures.csv", failures_csv(report), error) &&
         write_file(root / "junit.xml", junit_xml(report), error) &&
         write_file(root / "results.json", results_json(report), error);
}

}  // namespace wddm::reports
