// What workers of AFL++ leave in the folder that they share (-o).
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace wddm::fuzz {

class AflFolder {
 public:
  explicit AflFolder(std::filesystem::path path) : path_(std::move(path)) {}

  struct End {
    std::vector<std::uint8_t> input;
    bool took_too_long = false;
  };
  /// Inputs that ended or stopped a target and were not given before: AFL++ goes on by itself.
  [[nodiscard]] std::vector<End> new_ends();
  /// Copies what is new in the queues to a corpus, under names that equal inputs share. False if
  /// some of it cannot be written.
  [[nodiscard]] bool keep_queues(const std::string& corpus);

 private:
  [[nodiscard]] std::vector<std::filesystem::path> new_files(const char* folder);

  std::filesystem::path path_;
  std::set<std::filesystem::path> seen_;
};

}  // namespace wddm::fuzz
