#include "fuzz/session/input_file.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "reference/digest.h"

namespace wddm::fuzz {
namespace fs = std::filesystem;
namespace {

bool is_note(const fs::path& name) {
  const std::string text = name.filename().string();
  return text.rfind('.', 0) == 0 || text.rfind("README", 0) == 0;
}

}  // namespace

std::vector<std::uint8_t> read_input(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool write_input(const fs::path& file, std::span<const std::uint8_t> bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  return out.good();
}

std::string digest_of(std::span<const std::uint8_t> bytes) {
  return fmt::format("{:016x}", digest(bytes));
}

std::set<fs::path> inputs_below(const fs::path& folder, std::string& error) {
  std::set<fs::path> files;
  std::error_code code;
  // One folder at a time: an iterator over all of them ends at the first that cannot be read.
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    if (is_note(at->path())) continue;
    std::error_code unknown;
    if (at->is_directory(unknown)) {
      if (!at->is_symlink(unknown)) files.merge(inputs_below(at->path(), error));
    } else if (at->is_regular_file(unknown)) {
      files.insert(at->path());
    }
  }
  if (code && error.empty()) error = fmt::format("{}: {}", folder.string(), code.message());
  return files;
}

}  // namespace wddm::fuzz
