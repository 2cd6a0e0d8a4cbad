// Levels of page tables as somebody counts them who begins at the root (MMU-001).
#pragma once

#include <cstdint>

namespace wddm::mmu {

[[nodiscard]] constexpr std::uint32_t mirrored(std::uint32_t level, std::uint32_t levels) {
  return level < levels ? levels - 1 - level : level;
}

/// `said` is `level`, counted from the wrong end.
[[nodiscard]] constexpr bool is_mirrored(std::uint32_t said, std::uint32_t level,
                                         std::uint32_t levels) {
  return said != level && said == mirrored(level, levels);
}

}  // namespace wddm::mmu
