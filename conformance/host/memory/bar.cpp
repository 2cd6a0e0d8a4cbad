// Base address registers: video memory with bus addresses above RAM, registers below 4 GiB.
#include <algorithm>
#include <cstring>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

PageRuns g_bars(kBar.pages);
PageRuns g_registers(kRegisterBusSize >> kPageShift);

struct Pages {
  std::uint64_t first, count;
  [[nodiscard]] bool meets(const Pages& other) const {
    return first < other.first + other.count && other.first < first + count;
  }
  friend bool operator==(const Pages&, const Pages&) = default;
};
// Unused but for what was written. `g_kept`: since earlier runs, and of this one nobody's yet.
std::vector<Pages> g_unused;
std::vector<Pages> g_kept;
// A BAR of this run lies elsewhere by now: of its old place nothing is kept.
bool g_moved = false;

// So much is cleared in place: faulting the pages in anew would cost several times as much.
constexpr std::uint64_t kClearBytes = 4 << 20;

// A BAR is naturally aligned: its address register has no bits below its size.
std::uint64_t natural_pages(std::uint64_t size) {
  HARNESS_ASSERT(size >= kPageSize && (size & (size - 1)) == 0);
  return size / kPageSize;
}

std::uint8_t* bytes_of(std::uint64_t page) {
  return kBar.bytes_of(kBar.first_slot + page);
}

void fill_unused(const Pages& pages) {
  std::fill_n(reinterpret_cast<std::uint32_t*>(bytes_of(pages.first)),
              pages.count * kPageSize / sizeof kUnusedWord, kUnusedWord);
}

void clear(const Pages& pages) {
  const std::uint64_t bytes = pages.count << kPageShift;
  if (bytes <= kClearBytes) std::memset(bytes_of(pages.first), 0, bytes);
  if (bytes > kClearBytes) discard(kBar.view + (pages.first << kPageShift), bytes);
}

// Whether all memory of the run can stay as it is, but for what was written.
bool can_keep() {
  return !g_moved && !g_bars.runs().empty() &&
         g_unused.size() == g_bars.runs().size();
}

void put_right_what_was_written() {
  for (const Frame frame : written_since_reset())
    if (kBar.has_frame(frame)) fill_unused({frame - kBar.first_frame, 1});
}

// What is kept serves the same request again, and nothing else.
bool take_kept(const Pages& pages) {
  const auto same = std::find(g_kept.begin(), g_kept.end(), pages);
  const bool found = same != g_kept.end();
  if (found) g_kept.erase(same);
  std::erase_if(g_kept, [&](const Pages& kept) {
    if (!kept.meets(pages)) return false;
    std::memset(bytes_of(kept.first), 0, kept.count * kPageSize);
    return true;
  });
  return found;
}

// Memory of a BAR that is to begin at that page.
BarMemory memory_at(const Pages& pages, BarContent content) {
  const std::uint64_t size = pages.count * kPageSize;
  const bool kept = take_kept(pages);
  if (content == BarContent::Unused && size <= kMostUnusedBytes) {
    if (!kept) fill_unused(pages);
    g_unused.push_back(pages);
  } else if (kept) {
    std::memset(bytes_of(pages.first), 0, size);
  }
  return {(kBar.first_frame + pages.first) << kPageShift, bytes_of(pages.first), size};
}

}  // namespace

bool bar_owns(std::uint64_t address, std::uint64_t pages) {
  if (!kBar.has_address(address)) return false;
  std::uint64_t page = (address - kBar.view) >> kPageShift;
  for (const std::uint64_t end = page + pages; page < end;) {
    const PageRuns::Run* const run = g_bars.find(page);
    if (run == nullptr) return false;
    page = run->end();
  }
  return true;
}

bool registers_own(std::uint64_t bus_address, std::uint64_t bytes) {
  const std::uint64_t offset = bus_address - kRegisterBus;
  if (offset >= kRegisterBusSize) return false;
  const PageRuns::Run* run = g_registers.find(offset >> kPageShift);
  return run && offset + bytes <= run->end() << kPageShift;
}

void reset_bars(bool fresh) {
  if (!fresh && can_keep()) {
    put_right_what_was_written();
    g_kept.insert(g_kept.end(), g_unused.begin(), g_unused.end());
  } else {
    std::uint64_t dirty = g_bars.highest();
    for (const Pages& kept : g_kept) dirty = std::max(dirty, kept.first + kept.count);
    if (!fresh) clear({0, dirty});
    g_kept.clear();
  }
  g_moved = false;
  g_unused.clear();
  g_bars.clear();
  g_registers.clear();
}

}  // namespace internal

using namespace internal;

BarMemory bar_memory_allocate(std::uint64_t size, BarContent content) {
  const std::uint64_t pages = natural_pages(size);
  const std::uint64_t page = g_bars.take(pages, 0, pages);
  HARNESS_ASSERT(page != PageRuns::kNone);
  return memory_at({page, pages}, content);
}

std::uint64_t bar_registers_allocate(std::uint64_t size) {
  const std::uint64_t pages = natural_pages(size);
  const std::uint64_t page = g_registers.take(pages, 0, pages);
  HARNESS_ASSERT(page != PageRuns::kNone);
  return kRegisterBus + (page << kPageShift);
}

// The new place is taken before the old one is given back, so that it is another.
bool bar_memory_move(BarMemory& memory, BarContent content) {
  const std::uint64_t pages = natural_pages(memory.size);
  const std::uint64_t page = g_bars.take(pages, 0, pages);
  if (page == PageRuns::kNone) return false;
  const Pages old{(memory.bus_address >> kPageShift) - kBar.first_frame, pages};
  g_moved = true;
  std::erase(g_unused, old);
  g_bars.give(old.first);
  clear(old);
  memory = memory_at({page, pages}, content);
  return true;
}

bool bar_registers_move(std::uint64_t& bus_address, std::uint64_t size) {
  const std::uint64_t pages = natural_pages(size);
  const std::uint64_t page = g_registers.take(pages, 0, pages);
  if (page == PageRuns::kNone) return false;
  g_registers.give((bus_address - kRegisterBus) >> kPageShift);
  bus_address = kRegisterBus + (page << kPageShift);
  return true;
}

}  // namespace wddm::memory
