// Small helpers for text that others wrote: it is checked, quoted and cut before it is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace wddm::text {

/// In double quotes on one line of ASCII: quotes and backslashes escaped, newline and tab as \n and
/// \t, every other byte outside 0x20..0x7e as \xHH. More than `longest` bytes are cut and "..."
/// follows the closing quote.
[[nodiscard]] std::string quoted(std::string_view bytes, std::size_t longest = std::string::npos);

/// Length in bytes of the well-formed UTF-8 sequence at the start of `bytes` (1..4), or 0 if there
/// is none: a stray or missing continuation byte, an overlong form, a surrogate, beyond U+10FFFF.
[[nodiscard]] std::size_t utf8_length(std::string_view bytes);

/// The character of one well-formed UTF-8 sequence.
[[nodiscard]] std::uint32_t code_point(std::string_view sequence);

/// A control character of ASCII, tab and line breaks among them.
[[nodiscard]] constexpr bool is_control(char byte) {
  const auto value = static_cast<unsigned char>(byte);
  return value < 0x20 || value == 0x7f;
}

}  // namespace wddm::text
