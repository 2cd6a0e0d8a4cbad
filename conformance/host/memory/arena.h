// The parts of the arena that only the NT kernel uses: pool and stacks.
#pragma once

#include <cstdint>

namespace wddm::memory {

/// Pages in the pool's half of the arena.
inline constexpr std::uint64_t kPoolPages = (1ull << 29) / 4096;

/// The next `count` pages of the pool's half, zeroed; null when it is exhausted. Freed by reset().
[[nodiscard]] void* pool_pages(std::uint64_t count);
/// Pages handed out by pool_pages() since map() or reset().
[[nodiscard]] std::uint64_t pool_pages_used();
/// First byte of the pool's half.
[[nodiscard]] std::uint8_t* pool_base();

inline constexpr std::uint64_t kStackZoneBytes = 160ull << 20;
/// The part of the arena that reset() leaves alone, protections included: the stacks of the NT
/// kernel, which clears those that it used. Discarding them would cost more than everything else.
struct StackZone {
  std::uint8_t* base;
  std::uint32_t mapped;  ///< changes when map() made the zone anew: all zero, all accessible
};
[[nodiscard]] StackZone stack_zone();

enum class ArenaAccess : std::uint8_t { ReadWrite, Execute, None };
/// Changes the protection of whole pages of the arena until reset(). Execute includes ReadWrite.
void arena_protect(void* address, std::uint64_t bytes, ArenaAccess access);

}  // namespace wddm::memory
