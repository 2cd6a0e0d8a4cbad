// Base address registers: video memory with bus addresses above RAM, registers below 4 GiB.
#include <cstring>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

PageRuns g_bars(kBar.pages);
PageRuns g_registers(kRegisterBusSize >> kPageShift);

// So much is cleared in place: faulting the pages in anew would cost several times as much.
constexpr std::uint64_t kClearBytes = 4 << 20;

// A BAR is naturally aligned: its address register has no bits below its size.
std::uint64_t natural_pages(std::uint64_t size) {
  HARNESS_ASSERT(size >= kPageSize && (size & (size - 1)) == 0);
  return size / kPageSize;
}

}  // namespace

bool bar_owns(std::uint64_t address) {
  return kBar.has_address(address) && g_bars.find((address - kBar.view) >> kPageShift) != nullptr;
}

bool registers_own(std::uint64_t bus_address, std::uint64_t bytes) {
  const std::uint64_t offset = bus_address - kRegisterBus;
  if (offset >= kRegisterBusSize) return false;
  const PageRuns::Run* run = g_registers.find(offset >> kPageShift);
  return run && offset + bytes <= run->end() << kPageShift;
}

void reset_bars(bool fresh) {
  const std::uint64_t bytes = g_bars.highest() << kPageShift;
  if (!fresh && bytes <= kClearBytes) std::memset(kBar.bytes_of(kBar.first_slot), 0, bytes);
  if (!fresh && bytes > kClearBytes) discard(kBar.view, bytes);
  g_bars.clear();
  g_registers.clear();
}

}  // namespace internal

using namespace internal;

BarMemory bar_memory_allocate(std::uint64_t size) {
  const std::uint64_t pages = natural_pages(size);
  const std::uint64_t page = g_bars.take(pages, 0, pages);
  HARNESS_ASSERT(page != PageRuns::kNone);
  return {(kBar.first_frame + page) << kPageShift, kBar.bytes_of(kBar.first_slot + page), size};
}

std::uint64_t bar_registers_allocate(std::uint64_t size) {
  const std::uint64_t pages = natural_pages(size);
  const std::uint64_t page = g_registers.take(pages, 0, pages);
  HARNESS_ASSERT(page != PageRuns::kNone);
  return kRegisterBus + (page << kPageShift);
}

}  // namespace wddm::memory
