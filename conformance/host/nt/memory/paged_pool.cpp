#include "conformance/host/nt/memory/paged_pool.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "conformance/host/memory/arena.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/memory/pool.h"
#include "reference/types.h"

namespace wddm::nt {

bool g_paged_pool_is_open = false;

namespace {

std::vector<PoolPages> g_open;

// What an MDL locks begins and ends anywhere.
struct Locked {
  const std::uint8_t* start;
  std::uint64_t bytes;
};
std::vector<Locked> g_locked;
bool (*g_is_of_driver)(const void*) = nullptr;

bool is_raised() {
  return irql() >= kDispatch;
}

bool is_locked(const PoolPages& pages) {
  return std::any_of(g_locked.begin(), g_locked.end(), [&](const Locked& locked) {
    return locked.start < pages.start + pages.bytes && pages.start < locked.start + locked.bytes;
  });
}

bool is_open(const PoolPages& pages) {
  return std::any_of(g_open.begin(), g_open.end(),
                     [&](const PoolPages& open) { return open.start == pages.start; });
}

void found(const void* address, const void* code) {
  char block[128];
  char detail[192];
  block[pool_describe(address, block, sizeof block)] = '\0';
  std::snprintf(detail, sizeof detail, "an access %s, of paged pool, at IRQL %u", block, irql());
  report(FindingKind::PagedPoolAtDispatch, "memory access", detail, code);
}

}  // namespace

void set_driver_code(bool (*is_of_driver)(const void*)) {
  g_is_of_driver = is_of_driver;
}

void paged_pool_boot() {
  g_open.clear();
  g_locked.clear();
  g_paged_pool_is_open = false;
}

void paged_pool_opened(std::uint8_t* start, std::uint64_t bytes) {
  g_open.push_back({start, bytes});
  g_paged_pool_is_open = true;
}

void paged_pool_gone(const std::uint8_t* start) {
  std::erase_if(g_open, [start](const PoolPages& pages) { return pages.start == start; });
}

void paged_pool_lock(const void* start, std::uint64_t bytes) {
  PoolPages pages;
  if (!pool_paged_pages(start, &pages)) return;
  g_locked.push_back({static_cast<const std::uint8_t*>(start), bytes});
}

void paged_pool_unlock(const void* start, std::uint64_t bytes) {
  const auto at = std::find_if(g_locked.begin(), g_locked.end(), [&](const Locked& locked) {
    return locked.start == start && locked.bytes == bytes;
  });
  if (at != g_locked.end()) g_locked.erase(at);
}

void paged_pool_take_away() {
  std::erase_if(g_open, [](const PoolPages& pages) {
    if (is_locked(pages)) return false;
    memory::arena_protect(pages.start, pages.bytes, memory::ArenaAccess::None);
    return true;
  });
  g_paged_pool_is_open = !g_open.empty();
}

bool paged_pool_fault(const void* address, const void* code) {
  PoolPages pages;
  if (!pool_paged_pages(address, &pages) || is_open(pages)) return false;
  memory::arena_protect(pages.start, pages.bytes, memory::ArenaAccess::ReadWrite);
  paged_pool_opened(pages.start, pages.bytes);
  const bool by_driver = g_is_of_driver != nullptr && g_is_of_driver(code);
  if (by_driver && is_raised() && !is_locked(pages)) found(address, code);
  return true;
}

void paged_pool_accessed(const void* address, std::uint64_t bytes, const void* code) {
  PoolPages pages;
  if (!is_raised() || bytes == 0 || !pool_paged_pages(address, &pages)) return;
  if (!is_locked(pages)) found(address, code);
}

}  // namespace wddm::nt
