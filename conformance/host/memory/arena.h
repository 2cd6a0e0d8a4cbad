// The arena's second half, which only the pool of the NT kernel uses.
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

enum class ArenaAccess : std::uint8_t { ReadWrite, Execute, None };
/// Changes the protection of whole pages of the arena until reset(). Execute includes ReadWrite.
void arena_protect(void* address, std::uint64_t bytes, ArenaAccess access);

}  // namespace wddm::memory
