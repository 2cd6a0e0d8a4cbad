#include "fuzz/session/afl_folder.h"

#include <fmt/format.h>

#include "fuzz/session/input_file.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;

// Of that folder of each worker.
std::vector<fs::path> AflFolder::new_files(const char* folder) {
  std::vector<fs::path> files;
  std::error_code code;
  std::set<fs::path> workers;
  for (const auto& entry : fs::directory_iterator(path_, code)) workers.insert(entry.path());
  std::string not_there_yet;
  for (const fs::path& worker : workers) {
    for (const fs::path& file : inputs_below(worker / folder, not_there_yet)) {
      const bool is_input = file.filename().string().rfind("id:", 0) == 0;
      if (is_input && seen_.insert(file).second) files.push_back(file);
    }
  }
  return files;
}

std::vector<AflFolder::End> AflFolder::new_ends() {
  std::vector<End> ends;
  for (const fs::path& file : new_files("crashes")) ends.push_back({read_input(file), false});
  for (const fs::path& file : new_files("hangs")) ends.push_back({read_input(file), true});
  return ends;
}

bool AflFolder::keep_queues(const std::string& corpus) {
  bool all = true;
  for (const fs::path& file : new_files("queue")) {
    const std::vector<std::uint8_t> input = read_input(file);
    all = write_input(fmt::format("{}/{}", corpus, digest_of(input)), input) && all;
  }
  return all;
}

}  // namespace wddm::fuzz
