// Quoting and UTF-8 checks; the table of well-formed sequences is table 3-7 of the Unicode
// standard.
#include "reference/trace/text.h"

#include "reference/harness_assert.h"

namespace wddm::text {
namespace {

void append_escaped(std::string& out, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (byte >= 0x20 && byte <= 0x7e) {
    out += static_cast<char>(byte);
    return;
  }
  out += "\\x";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

bool in(unsigned char byte, unsigned char lowest, unsigned char highest) {
  return byte >= lowest && byte <= highest;
}

}  // namespace

std::string quoted(std::string_view bytes, std::size_t longest) {
  std::string out = "\"";
  for (const char byte : bytes.substr(0, longest))
    append_escaped(out, static_cast<unsigned char>(byte));
  out += '"';
  if (bytes.size() > longest) out += "...";
  return out;
}

std::size_t utf8_length(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  const std::size_t length = in(first, 0xc2, 0xdf)   ? 2
                             : in(first, 0xe0, 0xef) ? 3
                             : in(first, 0xf0, 0xf4) ? 4
                                                     : 0;
  if (length == 0 || bytes.size() < length) return 0;
  // The second byte keeps out overlong forms, surrogates and what is beyond U+10FFFF.
  const unsigned char lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  const unsigned char highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  if (!in(at(1), lowest, highest)) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!in(at(i), 0x80, 0xbf)) return 0;
  return length;
}

std::uint32_t code_point(std::string_view sequence) {
  const std::size_t length = sequence.size();
  HARNESS_ASSERT(length >= 1 && utf8_length(sequence) == length);
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (length == 1) return first;
  std::uint32_t point = first & (0x7fu >> length);
  for (const char byte : sequence.substr(1))
    point = point << 6 | (static_cast<unsigned char>(byte) & 0x3fu);
  return point;
}

}  // namespace wddm::text
