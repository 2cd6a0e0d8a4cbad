// Numbers as verdicts say addresses, offsets and masks.
#pragma once

#include <cstdint>
#include <string>

namespace wddm {

/// "0x1f".
inline std::string hex_text(std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace wddm
