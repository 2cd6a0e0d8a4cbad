// The arena: bytes for the host's own use from below, then the stacks, pool pages from the middle
// up.
#include "conformance/host/memory/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::uint64_t kPoolBase = kArenaBase + kArenaSize / 2;
constexpr std::uint64_t kStacksBase = kPoolBase - kStackZoneBytes;
constexpr std::uint64_t kHostEnd = kStacksBase;
constexpr std::uint64_t kPoolEnd = kArenaBase + kArenaSize;
// As much of the pool is cleared in place; what lies above was used by few scenarios only.
constexpr std::uint64_t kPoolClearBytes = 4 << 20;

std::uint64_t g_host_next = kArenaBase;
std::uint64_t g_pool_next = kPoolBase;
bool g_protection_changed = false;
std::uint32_t g_mapped = 0;

}  // namespace

bool arena_owns(std::uint64_t address) {
  return (address >= kArenaBase && address < g_host_next) ||
         (address >= kStacksBase && address < g_pool_next);
}

void reset_arena(bool fresh) {
  if (fresh) ++g_mapped;
  if (!fresh && g_protection_changed) {
    protect(kArenaBase, kHostEnd - kArenaBase, PROT_READ | PROT_WRITE);
    protect(kPoolBase, kPoolEnd - kPoolBase, PROT_READ | PROT_WRITE);
  }
  if (!fresh) {
    // In place: pages that are given back cost a fault each in the next run.
    std::memset(reinterpret_cast<void*>(kArenaBase), 0, g_host_next - kArenaBase);
    const std::uint64_t pool = g_pool_next - kPoolBase;
    const std::uint64_t cleared = std::min(pool, kPoolClearBytes);
    std::memset(reinterpret_cast<void*>(kPoolBase), 0, cleared);
    discard(kPoolBase + cleared, pool - cleared);
  }
  g_protection_changed = false;
  g_host_next = kArenaBase;
  g_pool_next = kPoolBase;
}

}  // namespace internal

using namespace internal;

void* arena_allocate(std::uint64_t bytes, std::uint64_t alignment) {
  HARNESS_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0);
  const std::uint64_t address = (g_host_next + alignment - 1) & ~(alignment - 1);
  HARNESS_ASSERT(bytes <= kHostEnd - kArenaBase && address + bytes <= kHostEnd);
  g_host_next = address + bytes;
  return reinterpret_cast<void*>(address);
}

void* pool_pages(std::uint64_t count) {
  if (count > (kPoolEnd - g_pool_next) / kPageSize) return nullptr;
  void* pages = reinterpret_cast<void*>(g_pool_next);
  g_pool_next += count * kPageSize;
  return pages;
}

std::uint64_t pool_pages_used() {
  return (g_pool_next - kPoolBase) / kPageSize;
}

std::uint8_t* pool_base() {
  return reinterpret_cast<std::uint8_t*>(kPoolBase);
}

StackZone stack_zone() {
  return {reinterpret_cast<std::uint8_t*>(kStacksBase), g_mapped};
}

void arena_protect(void* address, std::uint64_t bytes, ArenaAccess access) {
  const int protection = access == ArenaAccess::None      ? PROT_NONE
                         : access == ArenaAccess::Execute ? PROT_READ | PROT_WRITE | PROT_EXEC
                                                          : PROT_READ | PROT_WRITE;
  HARNESS_ASSERT(kArena.has_address(address_of(address)));
  protect(address_of(address), bytes, protection);
  g_protection_changed = true;
}

}  // namespace wddm::memory
