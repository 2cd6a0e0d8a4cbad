// Writes scenarios as YAML: one style, stable, so that equal scenarios are equal files.
//
// Left out: comments and the layout of a file that was read; they are not part of a scenario.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "reference/trace/field_text.h"
#include "reference/trace/op.h"
#include "reference/trace/op_text.h"
#include "reference/trace/text.h"

namespace wddm {
namespace {

using text::is_control;

// Text that the reader accepts: valid UTF-8, no control characters but those in `allowed`, cut to
// `longest` bytes. What does not fit becomes U+FFFD.
std::string readable(std::string_view given, std::string_view allowed, std::size_t longest) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  while (!given.empty()) {
    const std::size_t length = text::utf8_length(given);
    const bool bad =
        length == 0 || (is_control(given[0]) && allowed.find(given[0]) == std::string_view::npos);
    const std::string_view piece = bad ? kReplacement : given.substr(0, length);
    if (out.size() + piece.size() > longest) break;
    out += piece;
    given.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Safe as a plain scalar: begins with a letter, no sign that YAML gives a meaning to, none of the
// spellings of null. What is not certainly safe is quoted.
bool is_plain(std::string_view line) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kOthers = "0123456789 _.,;/()'+=-";
  if (line.empty() || kLetters.find(line.front()) == std::string_view::npos) return false;
  if (line.back() == ' ' || line == "null" || line == "Null" || line == "NULL") return false;
  return std::all_of(line.begin(), line.end(), [&](char c) {
    return kLetters.find(c) != std::string_view::npos || kOthers.find(c) != std::string_view::npos;
  });
}

// Fit for a literal block: several lines, none of which begins or ends with white space, and no
// empty line at either end.
bool is_block(std::string_view given) {
  if (given.find('\n') == std::string_view::npos || given.front() == '\n') return false;
  if (given.size() >= 2 && given.substr(given.size() - 2) == "\n\n") return false;
  const auto white = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool starts = i == 0 || given[i - 1] == '\n';
    const bool ends = i + 1 == given.size() || given[i + 1] == '\n';
    if (white(given[i]) && (starts || ends)) return false;
    // Some readers take these for line breaks (U+0085, U+2028, U+2029) or drop them (U+FEFF).
    if (static_cast<unsigned char>(given[i]) >= 0x80) return false;
  }
  return true;
}

std::string block(std::string_view given) {
  std::string out = given.back() == '\n' ? "|\n" : "|-\n";
  if (given.back() == '\n') given.remove_suffix(1);
  while (true) {
    const std::size_t end = given.find('\n');
    const std::string_view line = given.substr(0, end);
    if (!line.empty()) out += fmt::format("  {}", line);
    out += '\n';
    if (end == std::string_view::npos) return out;
    given.remove_prefix(end + 1);
  }
}

// A double-quoted scalar of one line. Letters of other scripts stand as they are, except in the two
// ranges that hold marks which some readers treat as line breaks or byte order marks.
std::string double_quoted(std::string_view given) {
  std::string out = "\"";
  while (!given.empty()) {
    const std::size_t length = text::utf8_length(given);
    const std::string_view piece = given.substr(0, length);
    given.remove_prefix(length);
    const std::uint32_t point = text::code_point(piece);
    if (piece == "\"" || piece == "\\")
      out += fmt::format("\\{}", piece);
    else if (piece == "\n")
      out += "\\n";
    else if (piece == "\t")
      out += "\\t";
    else if ((point >= 0x80 && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
             (point >= 0xfe00 && point <= 0xffff))
      out += fmt::format("\\u{:04X}", point);
    else if ((point & 0xfffe) == 0xfffe)  // the last two of each plane are no characters
      out += fmt::format("\\U{:08X}", point);
    else
      out += piece;
  }
  return out + '"';
}

std::string scalar(std::string_view given) {
  if (is_plain(given)) return fmt::format("{}\n", given);
  if (is_block(given)) return block(given);
  return fmt::format("{}\n", double_quoted(given));
}

}  // namespace

std::string print_op(const Op& given) {
  const Op op = canonical(given);
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return kNoneOpName;
  std::string fields;
  for (const FieldInfo& field : info->fields) {
    const std::uint64_t value = field_of(op, field.member);
    if (value == field.fallback) continue;
    fields +=
        fmt::format("{}{}: {}", fields.empty() ? "" : ", ", field.name, value_text(field, value));
  }
  return fields.empty() ? info->name : fmt::format("{}: {{{}}}", info->name, fields);
}

std::string print_scenario(const Scenario& scenario) {
  std::string out;
  const std::string name = readable(scenario.name, "", kMaxNameBytes);
  const std::string about = readable(scenario.about, "\n\t", kMaxAboutBytes);
  if (!name.empty()) out += "name: " + scalar(name);
  if (!about.empty()) out += "about: " + scalar(about);
  const std::size_t count = std::min(scenario.ops.size(), kMaxOps);
  out += count == 0 ? "ops: []\n" : "ops:\n";
  for (std::size_t i = 0; i < count; ++i) out += "- " + print_op(scenario.ops[i]) + "\n";
  return out;
}

}  // namespace wddm
