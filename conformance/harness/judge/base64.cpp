#include "conformance/harness/judge/base64.h"

#include <cstdint>

namespace wddm::harness {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr char kPad = '=';

constexpr std::uint32_t byte_at(std::string_view bytes, std::size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t three =
        byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    text += kDigits[three >> 18];
    text += kDigits[three >> 12 & 63];
    text += at + 1 < bytes.size() ? kDigits[three >> 6 & 63] : kPad;
    text += at + 2 < bytes.size() ? kDigits[three & 63] : kPad;
  }
  return text;
}

bool from_base64(std::string_view text, std::string& bytes) {
  bytes.clear();
  if (text.size() % 4 != 0) return false;
  bytes.reserve(text.size() / 4 * 3);
  const std::size_t digits = text.find_last_not_of(kPad) + 1;
  if (text.size() - digits > 2) return false;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : text.substr(0, digits)) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return false;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  // What is left of the last digit is no byte, and zero.
  return (bits & ((1u << held) - 1)) == 0;
}

}  // namespace wddm::harness
