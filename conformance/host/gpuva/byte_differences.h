// How two looks at the same memory differ.
#pragma once

#include <cstdint>
#include <vector>

namespace wddm::host {

/// How many bytes of a range differ, and the first that does.
struct Differences {
  std::uint32_t count = 0;
  std::uint32_t first = 0;
};
[[nodiscard]] inline Differences compare(const std::vector<std::uint8_t>& one,
                                         const std::vector<std::uint8_t>& other, std::uint64_t from,
                                         std::uint64_t end) {
  Differences found;
  for (std::uint64_t i = from; i < end; ++i) {
    if (one[i] == other[i]) continue;
    if (found.count++ == 0) found.first = static_cast<std::uint32_t>(i);
  }
  return found;
}

}  // namespace wddm::host
