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

struct Pages {
  const std::uint8_t* start;
  std::uint64_t bytes;
  [[nodiscard]] bool meets(const Pages& other) const {
    return start < other.start + other.bytes && other.start < start + bytes;
  }
};
std::vector<Pages> g_open, g_locked;
bool (*g_is_of_driver)(const void*) = nullptr;

bool is_raised() {
  return irql() >= kDispatch;
}

bool is_locked(const Pages& pages) {
  return std::any_of(g_locked.begin(), g_locked.end(),
                     [&](const Pages& locked) { return locked.meets(pages); });
}

bool is_open(const Pages& pages) {
  return std::any_of(g_open.begin(), g_open.end(),
                     [&](const Pages& open) { return open.start == pages.start; });
}

void protect(const Pages& pages, memory::ArenaAccess access) {
  memory::arena_protect(const_cast<std::uint8_t*>(pages.start), pages.bytes, access);
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
  std::erase_if(g_open, [start](const Pages& pages) { return pages.start == start; });
}

void paged_pool_lock(const void* start, std::uint64_t bytes) {
  PoolPages pages;
  if (!pool_paged_pages(start, &pages)) return;
  g_locked.push_back({static_cast<const std::uint8_t*>(start), bytes});
}

void paged_pool_unlock(const void* start, std::uint64_t bytes) {
  const auto at = std::find_if(g_locked.begin(), g_locked.end(), [&](const Pages& locked) {
    return locked.start == start && locked.bytes == bytes;
  });
  if (at != g_locked.end()) g_locked.erase(at);
}

void paged_pool_take_away() {
  std::erase_if(g_open, [](const Pages& pages) {
    if (is_locked(pages)) return false;
    protect(pages, memory::ArenaAccess::None);
    return true;
  });
  g_paged_pool_is_open = !g_open.empty();
}

bool paged_pool_fault(const void* address, const void* code) {
  PoolPages found_pages;
  if (!pool_paged_pages(address, &found_pages)) return false;
  const Pages pages{found_pages.start, found_pages.bytes};
  if (is_open(pages)) return false;
  protect(pages, memory::ArenaAccess::ReadWrite);
  paged_pool_opened(found_pages.start, pages.bytes);
  const bool by_driver = g_is_of_driver != nullptr && g_is_of_driver(code);
  if (by_driver && is_raised() && !is_locked(pages)) found(address, code);
  return true;
}

void paged_pool_accessed(const void* address, std::uint64_t bytes, const void* code) {
  PoolPages pages;
  if (!is_raised() || bytes == 0 || !pool_paged_pages(address, &pages)) return;
  if (!is_locked({pages.start, pages.bytes})) found(address, code);
}

}  // namespace wddm::nt
