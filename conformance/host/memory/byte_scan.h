// Looking through buffers of which almost every byte is as it was: block by block.
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

/// Bytes up to and with the last one that is not `value`.
[[nodiscard]] inline std::size_t size_without_tail(const std::uint8_t* bytes, std::size_t size,
                                                   std::uint8_t value) {
  for (const std::size_t block : {16 * kScanBlock, kScanBlock}) {
    while (size >= block && all_bytes_are(bytes + size - block, block, value)) size -= block;
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
  while (from < size && a[from] == b[from]) ++from;
  return from;
}

}  // namespace wddm::memory
