// Reads a scenario file, which is hostile until it has been read.
//
// Bytes are checked before the YAML library sees them (size, UTF-8, control characters), the
// grammar while it speaks (scenario_reader.h), and what it would keep in memory is bounded by what
// it is fed. Whatever is thrown becomes one line.
#include <fmt/format.h>

#include <algorithm>

#include "reference/trace/op.h"
#include "reference/trace/op_text.h"
#include "reference/trace/scenario_reader.h"
#include "reference/trace/text.h"
#include "reference/trace/yaml_events.h"

namespace wddm {
namespace {

void check_bytes(std::string_view text) {
  if (text.size() > kMaxFileBytes)
    throw yaml::Problem{1, fmt::format("a file of {} bytes", text.size()),
                        fmt::format("at most {}", kMaxFileBytes)};
  std::size_t line = 1;
  while (!text.empty()) {
    const std::size_t length = text::utf8_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    if (length == 0)
      throw yaml::Problem{line, fmt::format("the byte 0x{:02x}", byte), "text in UTF-8"};
    if (text::is_control(text[0]) && byte != '\t' && byte != '\n' && byte != '\r')
      throw yaml::Problem{line, fmt::format("the control character 0x{:02x}", byte), "text"};
    if (byte == '\n') ++line;
    text.remove_prefix(length);
  }
}

void read(const std::string& text, Scenario& out) {
  check_bytes(text);
  yaml::Reader events(text, kMaxPieceBytes);
  ScenarioReader reader(out);
  while (const yaml::Event* const event = events.next()) reader.read(*event);
  reader.finish();
}

// What is missing at the end of a file is missed behind its last line.
std::size_t lines_of(const std::string& text) {
  const auto breaks = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  return std::max<std::size_t>(1, text.empty() || text.back() == '\n' ? breaks : breaks + 1);
}

// A file name may hold anything; the message stays one line.
std::string one_line(std::string text) {
  for (char& c : text)
    if (text::is_control(c)) c = '?';
  return text;
}

}  // namespace

bool parse_scenario(const std::string& text, const std::string& file, Scenario& out,
                    TextError& error) {
  out = Scenario{};
  try {
    read(text, out);
    return true;
  } catch (const yaml::Problem& problem) {
    error.message =
        fmt::format("{}:{}: found {}; expected {}", one_line(file),
                    std::min(problem.line, lines_of(text)), problem.found, problem.expected);
    return false;
  }
}

}  // namespace wddm
