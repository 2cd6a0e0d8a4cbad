#include "conformance/host/adapter/package.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace wddm::host {
namespace {

constexpr std::size_t kLargest = 4u << 20;
// What Windows reads of a line, and more values than one section has.
constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kMostValues = 64, kLongestValue = 256;

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

struct Trouble {
  std::size_t line;
  std::string what;
};

// ASCII stays as it is, and nothing else matters here.
bool from_utf16(std::string_view bytes, std::string& out, Trouble& trouble) {
  std::size_t line = 1;
  for (std::size_t i = 2; i + 1 < bytes.size(); i += 2) {
    const auto low = static_cast<unsigned char>(bytes[i]);
    const auto high = static_cast<unsigned char>(bytes[i + 1]);
    out += high == 0 && low < 0x80 ? static_cast<char>(low) : '?';
    line += out.back() == '\n';
  }
  if (bytes.size() % 2 == 0) return true;
  trouble = {line, "half a UTF-16 character at the end; expected an even number of bytes"};
  return false;
}

bool to_text(std::string_view bytes, std::string& out, Trouble& trouble) {
  const auto begins_with = [bytes](std::string_view mark) {
    return bytes.substr(0, mark.size()) == mark;
  };
  if (begins_with("\xff\xfe")) return from_utf16(bytes, out, trouble);
  if (begins_with("\xfe\xff")) {
    trouble = {1, "UTF-16BE; expected UTF-8, or UTF-16LE with a byte order mark"};
    return false;
  }
  if (begins_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const std::size_t zero = bytes.find('\0');
  if (zero != std::string_view::npos) {
    const auto line =
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(zero), '\n');
    trouble = {static_cast<std::size_t>(line) + 1,
               "a zero byte; expected text in UTF-8, or in UTF-16LE with a byte order mark"};
    return false;
  }
  out = bytes;
  return true;
}

// Without its comment.
std::string_view uncommented(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == ';' && !quoted) return line.substr(0, i);
  }
  return line;
}

std::string unquoted(std::string_view text) {
  std::string result;
  for (const char c : trimmed(text)) {
    if (c != '"') result += c;
  }
  return result;
}

class Reader {
 public:
  bool read(std::string_view text, Trouble& trouble) {
    std::size_t line = 0;
    std::string joined;
    std::size_t begun = 1;
    while (!text.empty()) {
      ++line;
      const std::size_t end = std::min(text.find('\n'), text.size());
      if (joined.empty()) begun = line;
      joined += trimmed(uncommented(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
      if (joined.size() > kLongestLine) {
        trouble = {begun, "a line of more than 4096 characters; expected shorter ones"};
        return false;
      }
      if (!joined.empty() && joined.back() == '\\' && !text.empty()) {
        joined.pop_back();
        continue;
      }
      if (!take(joined, begun, trouble)) return false;
      joined.clear();
    }
    if (has_version_) return true;
    trouble = {std::max<std::size_t>(line, 1), "the end; expected a [Version] section"};
    return false;
  }

  [[nodiscard]] std::string entries() const {
    std::string result;
    for (const auto& [key, value] : classes_) {
      std::string shown = expanded(value).substr(0, kLongestValue);
      for (char& c : shown) {
        if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
      }
      result += key + "=" + shown + "\n";
    }
    return result;
  }

 private:
  bool take(std::string_view line, std::size_t number, Trouble& trouble) {
    if (line.empty()) return true;
    if (line.front() == '[') {
      const std::size_t end = line.find(']');
      if (end == std::string_view::npos) {
        trouble = {number, "a section name without its end; expected ]"};
        return false;
      }
      section_ = lower(trimmed(line.substr(1, end - 1)));
      has_version_ |= section_ == "version";
      begun_ = true;
      return true;
    }
    if (!begun_) {
      trouble = {number,
                 "an entry before the first section; expected [Version] or another section"};
      return false;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return true;  // a list of files, or the like
    const std::string key = lower(unquoted(line.substr(0, equals)));
    const std::string value = unquoted(line.substr(equals + 1));
    if (section_ == "strings") strings_.emplace(key, value);
    if (section_ != "version" || classes_.size() == kMostValues) return true;
    if (key == "class") classes_.emplace_back("Class", value);
    if (key == "classguid") classes_.emplace_back("ClassGuid", value);
    return true;
  }

  // %% is a percent sign; a token that nobody has defined stays.
  [[nodiscard]] std::string expanded(std::string_view value) const {
    std::string result;
    while (!value.empty()) {
      const std::size_t first = value.find('%');
      const std::size_t second =
          first == std::string_view::npos ? first : value.find('%', first + 1);
      if (second == std::string_view::npos) return result.append(value);
      result.append(value.substr(0, first));
      const std::string_view token = value.substr(first + 1, second - first - 1);
      const auto found = strings_.find(lower(token));
      if (token.empty()) {
        result += '%';
      } else if (found != strings_.end()) {
        result += found->second;
      } else {
        result.append(value.substr(first, second - first + 1));
      }
      value.remove_prefix(second + 1);
    }
    return result;
  }

  std::string section_;
  bool begun_ = false, has_version_ = false;
  std::map<std::string, std::string> strings_;
  std::vector<std::pair<std::string, std::string>> classes_;
};

bool all_of_file(const std::string& path, std::string& bytes, std::string& why) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    why = std::strerror(errno);
    return false;
  }
  if (!S_ISREG(status.st_mode)) {
    why = "not a file; expected an INF";
    return false;
  }
  if (static_cast<std::uint64_t>(status.st_size) > kLargest) {
    why = "larger than 4 MiB; expected an INF";
    return false;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    why = std::strerror(errno);
    return false;
  }
  std::array<char, 1 << 16> part;
  for (std::size_t read; (read = std::fread(part.data(), 1, part.size(), file.get())) != 0;) {
    bytes.append(part.data(), read);
    if (bytes.size() > kLargest) break;
  }
  return true;
}

}  // namespace

bool parse_package(std::string_view bytes, const std::string& name, std::string& entries,
                   std::string& error) {
  std::string text;
  Trouble trouble{};
  Reader reader;
  if (!to_text(bytes, text, trouble) || !reader.read(text, trouble)) {
    error = name + ":" + std::to_string(trouble.line) + ": " + trouble.what;
    return false;
  }
  entries = reader.entries();
  return true;
}

bool read_package(const std::string& path, std::string& entries, std::string& error) {
  std::string bytes, why;
  if (all_of_file(path, bytes, why)) return parse_package(bytes, path, entries, error);
  error = path + ": " + why;
  return false;
}

}  // namespace wddm::host
