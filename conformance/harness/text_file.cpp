#include "conformance/harness/text_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace wddm::harness {
namespace {

constexpr off_t kLargest = off_t{64} << 20;

}  // namespace

bool read_text_file(const std::string& path, std::string& text, std::string& error) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    error = fmt::format("{}: {}", path, std::strerror(errno));
    return false;
  }
  if (S_ISDIR(status.st_mode)) {
    error = fmt::format("{}: is a folder; a file was expected", path);
    return false;
  }
  if (status.st_size > kLargest) {
    error = fmt::format("{}: larger than 64 MiB", path);
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(in), {});
  if (!in.is_open() || in.bad()) {
    error = fmt::format("{}: cannot be read: {}", path, std::strerror(errno));
    return false;
  }
  return true;
}

bool write_text_file(const std::string& path, const std::string& text, std::string& error) {
  const std::string beside = path + ".new";
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << text;
    out.flush();
    if (!out) {
      error = fmt::format("{}: cannot be written: {}", beside, std::strerror(errno));
      return false;
    }
  }
  std::error_code problem;
  std::filesystem::rename(beside, path, problem);
  if (!problem) return true;
  error = fmt::format("{}: cannot be written: {}", path, problem.message());
  return false;
}

std::string complaint(const std::string& file, std::size_t line, std::string_view what) {
  return fmt::format("{}:{}: {}", file, line, what);
}

std::string trimmed(std::string_view text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

std::vector<Line> meaningful_lines(const std::string& text) {
  std::vector<Line> lines;
  std::size_t number = 0;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++number;
    std::string line = trimmed(std::string_view(text).substr(start, end - start));
    if (!line.empty() && line[0] != '#') lines.push_back({number, std::move(line)});
    start = end + 1;
  }
  return lines;
}

}  // namespace wddm::harness
