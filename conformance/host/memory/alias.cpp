// Alias mappings: what MmMapLockedPages and MmMapIoSpace return.
//
// Each mapping gets address space of its own with an inaccessible page behind; after unmapping the
// space stays inaccessible until everything behind it was used once, so stale pointers fault.
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::uint64_t kAliasPages = kAliasSize >> kPageShift;

// What a run's note says: slots in order from `value`, slots listed page by page in g_slots, or a
// register BAR at bus address `value`.
enum class Kind : std::uint64_t { Linear, Listed, Registers };
constexpr unsigned kKindShift = 60;

PageRuns g_aliases(kAliasPages);

// Slot behind each page of a Listed mapping. Address space only, until touched.
std::uint32_t* slots() {
  static std::uint32_t* const table = [] {
    void* got = mmap(nullptr, kAliasPages * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HARNESS_ASSERT(got != MAP_FAILED);
    return static_cast<std::uint32_t*>(got);
  }();
  return table;
}

std::uint64_t note_of(Kind kind, std::uint64_t value) {
  return static_cast<std::uint64_t>(kind) << kKindShift | value;
}
Kind kind_of(const PageRuns::Run& run) {
  return static_cast<Kind>(run.note >> kKindShift);
}
std::uint64_t value_of(const PageRuns::Run& run) {
  return run.note & ((1ull << kKindShift) - 1);
}

// The guard page belongs to the run, so that it stays free of others.
std::uint64_t take(std::uint64_t pages, Kind kind, std::uint64_t value) {
  return g_aliases.take(pages + 1, note_of(kind, value));
}

std::uint64_t address_of_page(std::uint64_t page) {
  return kAliasBase + (page << kPageShift);
}

const PageRuns::Run* run_of(std::uint64_t address) {
  if (address - kAliasBase >= kAliasSize) return nullptr;
  const std::uint64_t page = (address - kAliasBase) >> kPageShift;
  const PageRuns::Run* run = g_aliases.find(page);
  return run && page != run->end() - 1 ? run : nullptr;  // the guard page maps nothing
}

// Maps each maximal stretch of adjacent slots at once. False if the kernel has no mapping left.
bool map_listed(std::uint64_t first_page, std::span<const Frame> frames, int protection) {
  std::uint32_t* const listed = slots() + first_page;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Zone* zone = zone_of_frame(frames[i]);
    HARNESS_ASSERT(zone);
    listed[i] = static_cast<std::uint32_t>(zone->slot_of(frames[i]));
  }
  for (std::size_t i = 0; i < frames.size();) {
    std::size_t end = i + 1;
    while (end < frames.size() && listed[end] == listed[end - 1] + 1) ++end;
    if (!map_slots(address_of_page(first_page + i), listed[i], end - i, protection)) return false;
    i = end;
  }
  return true;
}

std::uint8_t* map_linear(std::uint64_t slot, std::uint64_t pages) {
  const std::uint64_t page = take(pages, Kind::Linear, slot);
  if (page == PageRuns::kNone) return nullptr;
  const std::uint64_t address = address_of_page(page);
  if (!map_slots(address, slot, pages, PROT_READ | PROT_WRITE)) {
    g_aliases.give(page);
    return nullptr;
  }
  return reinterpret_cast<std::uint8_t*>(address);
}

}  // namespace

void reset_aliases(bool fresh) {
  if (!fresh) map_nothing(kAliasBase, g_aliases.highest());
  g_aliases.clear();
}

}  // namespace internal

using namespace internal;

void* alias_map(std::span<const Frame> frames, bool writable) {
  if (frames.empty()) return nullptr;
  const std::uint64_t page = take(frames.size(), Kind::Listed, 0);
  if (page == PageRuns::kNone) return nullptr;
  if (!map_listed(page, frames, writable ? PROT_READ | PROT_WRITE : PROT_READ)) {
    map_nothing(address_of_page(page), frames.size());
    g_aliases.give(page);
    return nullptr;
  }
  return reinterpret_cast<void*>(address_of_page(page));
}

void alias_unmap(void* address) {
  const PageRuns::Run* run = run_of(address_of(address));
  HARNESS_ASSERT(run && address_of_page(run->first) == (address_of(address) & ~(kPageSize - 1)));
  const std::uint64_t first = run->first;
  map_nothing(address_of_page(first), run->count);
  g_aliases.give(first);
}

bool physical_of(const void* address, std::uint64_t* physical_address) {
  const std::uint64_t at = address_of(address);
  const std::uint64_t offset = at % kPageSize;
  for (const Zone* zone : kZones) {
    if (!zone->has_address(at)) continue;
    const std::uint64_t slot = zone->first_slot + ((at - zone->view) >> kPageShift);
    *physical_address = (zone->frame_of(slot) << kPageShift) + offset;
    return true;
  }
  const PageRuns::Run* run = run_of(at);
  if (!run) return false;
  const std::uint64_t page = (at - kAliasBase) >> kPageShift;
  std::uint64_t slot = 0;
  switch (kind_of(*run)) {
    case Kind::Registers:
      *physical_address = value_of(*run) + (at - address_of_page(run->first));
      return true;
    case Kind::Linear:
      slot = value_of(*run) + (page - run->first);
      break;
    case Kind::Listed:
      slot = slots()[page];
      break;
  }
  for (const Zone* zone : kZones)
    if (zone->has_slot(slot)) *physical_address = (zone->frame_of(slot) << kPageShift) + offset;
  return true;
}

void* bus_map(std::uint64_t bus_address, std::uint64_t bytes, bool* register_space) {
  *register_space = false;
  if (bytes == 0 || bus_address + bytes - 1 < bus_address) return nullptr;
  const Frame first = bus_address >> kPageShift;
  const std::uint64_t pages = ((bus_address + bytes - 1) >> kPageShift) - first + 1;
  if (registers_own(bus_address, bytes)) {
    const std::uint64_t page = take(pages, Kind::Registers, first << kPageShift);
    if (page == PageRuns::kNone) return nullptr;
    *register_space = true;
    return reinterpret_cast<void*>(address_of_page(page) + bus_address % kPageSize);
  }
  std::uint8_t* mapped = nullptr;
  const Zone* zone = zone_of_frame(first);
  if (!zone || !zone->has_frame(first + pages - 1)) return nullptr;
  for (Frame frame = first; frame < first + pages; ++frame)
    if (frame_owner(frame) == FrameOwner::Free) return nullptr;
  if (zone->scattered_bits == 0) {
    mapped = map_linear(zone->slot_of(first), pages);
  } else {
    std::vector<Frame> frames(pages);
    for (std::uint64_t i = 0; i < pages; ++i) frames[i] = first + i;
    mapped = static_cast<std::uint8_t*>(alias_map(frames, true));
  }
  return mapped ? mapped + bus_address % kPageSize : nullptr;
}

void bus_unmap(void* address) {
  alias_unmap(address);
}

bool register_of(const void* address, std::uint64_t* bus_address) {
  const PageRuns::Run* run = run_of(address_of(address));
  if (!run || kind_of(*run) != Kind::Registers) return false;
  *bus_address = value_of(*run) + (address_of(address) - address_of_page(run->first));
  return true;
}

bool mapping_at(const void* address, std::uint64_t* bytes_left) {
  const PageRuns::Run* run = run_of(address_of(address));
  if (!run) return false;
  *bytes_left = address_of_page(run->end() - 1) - address_of(address);
  return true;
}

}  // namespace wddm::memory
