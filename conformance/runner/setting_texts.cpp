#include "conformance/runner/setting_texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/suite/text_file.h"
#include "reference/trace/op.h"

namespace wddm::runner {
namespace {

constexpr std::size_t kLineColumns = 100;
constexpr std::string_view kIndent = "      ";

// The page's marks of code mean nothing in a terminal.
std::string plain(std::string_view text) {
  std::string result = harness::trimmed(text);
  std::erase(result, '`');
  return result;
}

// "| name | default | meaning |"; other lines have no three cells.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  while (!line.empty() && line.front() == '|') {
    const std::size_t end = line.find('|', 1);
    if (end == std::string_view::npos) break;
    cells.push_back(plain(line.substr(1, end - 1)));
    line.remove_prefix(end);
  }
  return cells;
}

bool is_setting(const std::string& name) {
  const auto names = shape_values(FieldShape::Setting);
  return std::any_of(names.begin(), names.end(),
                     [&](const char* const known) { return name == known; });
}

// Words in lines, each behind the indent.
std::string wrapped(const std::string& text) {
  std::string lines(kIndent);
  std::size_t column = kIndent.size();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (at != 0 && column + 1 + (end - at) > kLineColumns) {
      lines += fmt::format("\n{}", kIndent);
      column = kIndent.size();
    } else if (at != 0) {
      lines += ' ';
      ++column;
    }
    lines.append(text, at, end - at);
    column += end - at;
    at = end + 1;
  }
  return lines + '\n';
}

}  // namespace

std::vector<SettingText> setting_texts(std::string_view page) {
  std::vector<SettingText> settings;
  std::string above;  // the last line of text
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string line = plain(page.substr(0, end));
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() == 3 && is_setting(cells[0])) {
      settings.push_back({above.ends_with(':') ? above : "", cells[0], cells[1], cells[2]});
    } else if (!line.empty() && line.front() != '|') {
      above = line;
    }
    page.remove_prefix(std::min(end + 1, page.size()));
  }
  return settings;
}

std::string told(const std::vector<SettingText>& settings) {
  std::string text, heading;
  for (const SettingText& one : settings) {
    if (one.heading != heading) text += fmt::format("\n{}\n", one.heading);
    heading = one.heading;
    text += fmt::format("  {} (default: {})\n{}", one.name, one.by_default, wrapped(one.meaning));
  }
  return text;
}

}  // namespace wddm::runner
