// The arena: bytes for the host's own use from below, then the stacks, pool pages from the middle
// up.
#include "conformance/host/memory/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::uint64_t kPoolBase = kArenaBase + kArenaSize / 2;
constexpr std::uint64_t kStacksBase = kPoolBase - kStackZoneBytes;
constexpr std::uint64_t kHostEnd = kStacksBase;
constexpr std::uint64_t kPoolEnd = kArenaBase + kArenaSize;
// Above this a block is more likely a stack, of which a few pages were touched, than a structure.
constexpr std::uint64_t kDiscardBytes = 64 << 10;
// As much of the pool is cleared in place; what lies above was used by few scenarios only.
constexpr std::uint64_t kPoolClearBytes = 4 << 20;

struct Extent {
  std::uint64_t address;
  std::uint64_t bytes;
};

std::uint64_t g_host_next = kArenaBase;
std::uint64_t g_pool_next = kPoolBase;
std::vector<Extent> g_discard;
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
    std::uint64_t from = kArenaBase;
    for (const Extent& extent : g_discard) {
      std::memset(reinterpret_cast<void*>(from), 0, extent.address - from);
      discard(extent.address, extent.bytes);
      from = extent.address + extent.bytes;
    }
    std::memset(reinterpret_cast<void*>(from), 0, g_host_next - from);
    const std::uint64_t pool = g_pool_next - kPoolBase;
    const std::uint64_t cleared = std::min(pool, kPoolClearBytes);
    std::memset(reinterpret_cast<void*>(kPoolBase), 0, cleared);
    discard(kPoolBase + cleared, pool - cleared);
  }
  g_discard.clear();
  g_protection_changed = false;
  g_host_next = kArenaBase;
  g_pool_next = kPoolBase;
}

}  // namespace internal

using namespace internal;

void* arena_allocate(std::uint64_t bytes, std::uint64_t alignment) {
  HARNESS_ASSERT(alignment != 0 && (alignment & (alignment - 1)) == 0);
  const bool large = bytes >= kDiscardBytes;
  if (large) {
    // Whole pages of its own, so that discarding them takes nothing else along.
    if (alignment < kPageSize) alignment = kPageSize;
    bytes = pages_of(bytes) * kPageSize;
  }
  const std::uint64_t address = (g_host_next + alignment - 1) & ~(alignment - 1);
  HARNESS_ASSERT(bytes <= kHostEnd - kArenaBase && address + bytes <= kHostEnd);
  g_host_next = address + bytes;
  if (large) g_discard.push_back({address, bytes});
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
