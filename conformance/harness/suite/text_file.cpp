#include "conformance/harness/suite/text_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "conformance/harness/judge/verdict.h"

namespace wddm::harness {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;

// Our own output, if that is what the path leads to. /dev/stdout may be a file that the shell has
// opened for more than this: another one in its place would lose the rest.
std::ostream* own_stream(const std::string& path) {
  struct stat named {};
  if (::stat(path.c_str(), &named) != 0) return nullptr;
  const auto is_named = [&named](int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 && status.st_dev == named.st_dev &&
           status.st_ino == named.st_ino;
  };
  if (is_named(STDOUT_FILENO)) return &std::cout;
  return is_named(STDERR_FILENO) ? &std::cerr : nullptr;
}

// By hand, since the last link may lead to nothing yet.
fs::path behind_links(fs::path path) {
  std::error_code problem;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, problem); ++i) {
    path = path.parent_path() / fs::read_symlink(path, problem);
  }
  return path;
}

bool is_replaceable(const fs::path& path) {
  std::error_code problem;
  const fs::file_status status = fs::status(path, problem);
  return fs::is_regular_file(status) || status.type() == fs::file_type::not_found;
}

std::error_code last_error() {
  return {errno != 0 ? errno : EIO, std::generic_category()};
}

std::error_code write_to(std::ostream& out, const std::string& text) {
  errno = 0;
  out << text;
  out.flush();
  return out ? std::error_code{} : last_error();
}

std::error_code replace(const fs::path& path, const std::string& text) {
  const fs::path beside = path.string() + ".new";
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  if (!out) return last_error();
  std::error_code problem = write_to(out, text);
  out.close();
  if (!problem) fs::rename(beside, path, problem);
  std::error_code ignored;
  if (problem) fs::remove(beside, ignored);
  return problem;
}

std::error_code write(const std::string& path, const std::string& text) {
  if (std::ostream* const ours = own_stream(path)) return write_to(*ours, text);
  if (is_replaceable(path)) return replace(behind_links(path), text);
  std::ofstream out(path, std::ios::binary);
  return out ? write_to(out, text) : last_error();
}

bool tell(const std::error_code& problem, const std::string& path, std::string& error) {
  if (problem) error = fmt::format("{}: cannot be written: {}", path, problem.message());
  return !problem;
}

}  // namespace

bool read_text_file(const std::string& path, std::string& text, std::string& error,
                    std::size_t most_mib) {
  const std::size_t most = most_mib << 20;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    error = fmt::format("{}: {}", path, std::strerror(errno));
    return false;
  }
  if (S_ISDIR(status.st_mode)) {
    error = fmt::format("{}: is a folder; a file was expected", path);
    return false;
  }
  std::ifstream in(path, std::ios::binary);
  text.clear();
  // Devices and pipes have no size, and some no end.
  for (std::array<char, 65536> part{}; in && text.size() <= most;) {
    in.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.is_open() || in.bad()) {
    error = fmt::format("{}: cannot be read: {}", path, std::strerror(errno));
    return false;
  }
  if (text.size() > most) {
    error = fmt::format("{}: larger than {} MiB", path, most_mib);
    return false;
  }
  return true;
}

bool write_text_file(const std::string& path, const std::string& text, std::string& error) {
  return tell(write(path, text), path, error);
}

bool can_be_written(const std::string& path, std::string& error) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) {
    return tell(std::make_error_code(std::errc::is_a_directory), path, error);
  }
  problem.clear();
  if (own_stream(path) != nullptr) return true;
  fs::path touched = path;
  if (is_replaceable(path)) touched = fs::absolute(behind_links(path), problem).parent_path();
  if (!problem && ::access(touched.c_str(), W_OK) != 0) problem = last_error();
  return tell(problem, path, error);
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find('\t', start), line.size());
    columns.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return columns;
}

std::string complaint(const std::string& file, std::size_t line, std::string_view what) {
  return printable(fmt::format("{}:{}: {}", file, line, what));
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
  for (std::size_t start = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
       start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    ++number;
    std::string line = trimmed(std::string_view(text).substr(start, end - start));
    if (!line.empty() && line[0] != '#') lines.push_back({number, std::move(line)});
    start = end + 1;
  }
  return lines;
}

}  // namespace wddm::harness
