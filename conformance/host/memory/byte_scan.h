// Looking through buffers of which almost every byte is as it was: by block, by word, by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

namespace wddm::memory {

inline constexpr std::size_t kScanBlock = 256;

[[nodiscard]] inline bool all_bytes_are(const std::uint8_t* bytes, std::size_t size,
                                        std::uint8_t value) {
  return size == 0 || (bytes[0] == value && std::memcmp(bytes, bytes + 1, size - 1) == 0);
}

[[nodiscard]] inline std::uint64_t word_at(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Bytes up to and with the last one that is not `value`.
[[nodiscard]] inline std::size_t size_without_tail(const std::uint8_t* bytes, std::size_t size,
                                                   std::uint8_t value) {
  for (const std::size_t block : {16 * kScanBlock, kScanBlock}) {
    while (size >= block && all_bytes_are(bytes + size - block, block, value)) size -= block;
  }
  const std::uint64_t words = std::uint64_t{value} * 0x0101010101010101;
  while (size >= sizeof words && word_at(bytes + size - sizeof words) == words) {
    size -= sizeof words;
  }
  while (size != 0 && bytes[size - 1] == value) --size;
  return size;
}

/// First index from `from` on where the two differ; `size` if there is none.
[[nodiscard]] inline std::size_t first_difference(const std::uint8_t* a, const std::uint8_t* b,
                                                  std::size_t from, std::size_t size) {
  for (const std::size_t block : {16 * kScanBlock, kScanBlock}) {
    while (size - from >= block && std::memcmp(a + from, b + from, block) == 0) from += block;
  }
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  while (size - from >= kWord && word_at(a + from) == word_at(b + from)) from += kWord;
  while (from < size && a[from] == b[from]) ++from;
  return from;
}

}  // namespace wddm::memory
