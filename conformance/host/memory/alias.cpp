// Alias mappings: what MmMapLockedPages and MmMapIoSpace return.
//
// Each mapping gets address space of its own with an inaccessible page behind; after unmapping the
// space stays inaccessible until everything behind it was used once, so stale pointers fault. Where
// pages stay open (GivenBack) so do mappings, and the next one that is the same costs nothing.
//
// A large mapping that stays open is write-protected until its driver writes there, a chunk at a
// time: what was not written need be neither compared nor cleared. Video memory of 128 MiB, of
// which a scenario touches little, would cost more than all else.
//
// The kernel grants a process 65530 mappings, and each stretch of adjacent frames takes up to two:
// its own and the gap behind it. Beyond a limit of stretches address space counts as exhausted.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

constexpr std::uint64_t kAliasPages = kAliasSize >> kPageShift;

// What a run's note says: slots in order from `value`, slots listed page by page in mapped(), or a
// register BAR at bus address `value`.
enum class Kind : std::uint64_t { Linear, Listed, Registers };
constexpr unsigned kKindShift = 60;

// Stretches of all runs together, and those that are mapped, left-overs of earlier runs included.
constexpr std::uint64_t kMostStretches = 16384;
constexpr std::uint64_t kMostMapped = kMostStretches + 2048;

PageRuns g_aliases(kAliasPages);
std::uint64_t g_stretches = 0;
std::uint64_t g_mapped = 0;   // at most; counted anew when left-overs are cleared away
std::uint64_t g_highest = 0;  // one past the last page that anything is mapped at

// What each page maps, be it for a run or still from an earlier one: a slot and how it can be
// written, or nothing (0). Address space only, until touched.
std::uint32_t* mapped() {
  static std::uint32_t* const table = [] {
    void* got = mmap(nullptr, kAliasPages * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    HARNESS_ASSERT(got != MAP_FAILED);
    return static_cast<std::uint32_t*>(got);
  }();
  return table;
}
// Bits of such an entry below the slot.
constexpr std::uint32_t kWritable = 1;   // by whoever has the run
constexpr std::uint32_t kProtected = 2;  // and not yet written
constexpr std::uint32_t kOpened = 4;     // it was protected in this run
constexpr unsigned kSlotShift = 3;
static_assert(kFileSlots < 1u << (32 - kSlotShift));

std::uint32_t entry_of(std::uint64_t slot, int protection) {
  return static_cast<std::uint32_t>(slot + 1) << kSlotShift |
         ((protection & PROT_WRITE) != 0 ? kWritable : 0);
}
std::uint64_t slot_at(std::uint64_t page) {
  HARNESS_ASSERT(mapped()[page] != 0);
  return (mapped()[page] >> kSlotShift) - 1;
}

// Runs of so many pages are write-protected where mappings stay open, and opened by chunks.
constexpr std::uint64_t kProtectedPages = 256;
constexpr std::uint64_t kChunkPages = 64;
std::array<bool, kAliasPages / kChunkPages> g_opened{};  // chunks with a page that is kOpened

// Calls `change(first, end)` for each stretch of pages of the chunk whose entries have the bit.
template <class Change>
void for_each_stretch(std::uint64_t chunk, std::uint32_t bit, Change change) {
  const std::uint32_t* const entries = mapped();
  const std::uint64_t end = (chunk + 1) * kChunkPages;
  for (std::uint64_t page = chunk * kChunkPages; page < end;) {
    std::uint64_t next = page;
    while (next < end && (entries[next] & bit) != 0) ++next;
    if (next != page) change(page, next);
    page = next + 1;
  }
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

std::uint64_t address_of_page(std::uint64_t page) {
  return kAliasBase + (page << kPageShift);
}

const PageRuns::Run* run_of(std::uint64_t address) {
  if (address - kAliasBase >= kAliasSize) return nullptr;
  const std::uint64_t page = (address - kAliasBase) >> kPageShift;
  const PageRuns::Run* run = g_aliases.find(page);
  return run && page != run->end() - 1 ? run : nullptr;  // the guard page maps nothing
}

// Maps nothing at pages where something still is.
void clear(std::uint64_t page, std::uint64_t count) {
  const std::uint64_t end = page + count;
  while (page < end) {
    std::uint64_t next = page;
    while (next < end && mapped()[next] != 0) ++next;
    map_nothing(address_of_page(page), next - page);
    std::fill(mapped() + page, mapped() + next, 0u);
    page = next + 1;
  }
}

// Clears what earlier runs left mapped.
void clear_leftovers() {
  std::uint64_t page = 0;
  for (const PageRuns::Run& run : g_aliases.runs()) {
    clear(page, run.first - page);
    page = run.end();
  }
  if (page < g_highest) clear(page, g_highest - page);
  g_mapped = g_stretches;
}

// The guard page belongs to the run, so that it stays free of others.
std::uint64_t take(std::uint64_t pages, Kind kind, std::uint64_t value) {
  const std::uint64_t page = g_aliases.take(pages + 1, note_of(kind, value));
  if (page == PageRuns::kNone) return page;
  if (kind == Kind::Registers) clear(page, pages);
  clear(page + pages, 1);
  return page;
}

template <class SlotOf>
std::uint64_t count_stretches(std::uint64_t pages, SlotOf slot_of) {
  std::uint64_t stretches = 1;
  for (std::uint64_t i = 1; i < pages; ++i) stretches += slot_of(i) == slot_of(i - 1) + 1 ? 0 : 1;
  return stretches;
}

// Each maximal stretch of adjacent slots at once, but for pages that map theirs already. False if
// there are too many of them.
template <class SlotOf>
bool map_run(std::uint64_t first_page, std::uint64_t count, SlotOf slot_of, int protection) {
  const bool protects = keeps_open() && count >= kProtectedPages && (protection & PROT_WRITE) != 0;
  const std::uint32_t may_have = protects ? kProtected | kOpened : kOpened;
  const std::uint64_t stretches = count_stretches(count, slot_of);
  if (g_stretches + stretches > kMostStretches) return false;
  g_stretches += stretches;
  std::uint32_t* const entries = mapped() + first_page;
  for (std::uint64_t i = 0; i < count;) {
    const std::uint64_t slot = slot_of(i);
    if ((entries[i] & ~may_have) == entry_of(slot, protection)) {
      if ((entries[i] & (kWritable | kProtected)) == kWritable) note_exposed_slot(slot);
      ++i;
      continue;
    }
    std::uint64_t end = i + 1;
    while (end < count && slot_of(end) == slot + (end - i)) ++end;
    if (g_mapped == kMostMapped) clear_leftovers();
    ++g_mapped;
    if (!map_slots(address_of_page(first_page + i), slot, end - i,
                   protects ? PROT_READ : protection)) {
      g_stretches -= stretches;
      return false;
    }
    for (; i < end; ++i) {
      entries[i] = entry_of(slot_of(i), protection) | (protects ? kProtected : 0);
      if (!protects && (protection & PROT_WRITE) != 0) note_exposed_slot(slot_of(i));
    }
  }
  g_highest = std::max(g_highest, first_page + count);
  return true;
}

bool map_listed(std::uint64_t first_page, std::span<const Frame> frames, int protection) {
  const auto slot_of = [frames](std::uint64_t i) {
    const Zone* zone = zone_of_frame(frames[i]);
    HARNESS_ASSERT(zone);
    return zone->slot_of(frames[i]);
  };
  return map_run(first_page, frames.size(), slot_of, protection);
}

// Gives address space back that could not be mapped.
void* give_up(std::uint64_t page, std::uint64_t pages) {
  clear(page, pages);
  g_aliases.give(page);
  return nullptr;
}

std::uint8_t* map_linear(std::uint64_t slot, std::uint64_t pages) {
  const std::uint64_t page = take(pages, Kind::Linear, slot);
  if (page == PageRuns::kNone) return nullptr;
  const auto slot_of = [slot](std::uint64_t i) { return slot + i; };
  const bool done = map_run(page, pages, slot_of, PROT_READ | PROT_WRITE);
  return static_cast<std::uint8_t*>(done ? reinterpret_cast<void*>(address_of_page(page))
                                         : give_up(page, pages));
}

// What a driver may have written through the mapping.
void note_mapping(const PageRuns::Run& run) {
  if (kind_of(run) == Kind::Registers) return;
  const std::uint32_t* const entries = mapped();
  for (std::uint64_t page = run.first; page < run.end() - 1; ++page) {
    if ((entries[page] & kProtected) == 0) note_written_slot(slot_at(page));
  }
}

// What was written in this run is protected again for the next.
void protect_opened() {
  for (std::uint64_t chunk = 0; chunk * kChunkPages < g_highest; ++chunk) {
    if (!g_opened[chunk]) continue;
    g_opened[chunk] = false;
    for_each_stretch(chunk, kOpened, [](std::uint64_t first, std::uint64_t end) {
      protect(address_of_page(first), (end - first) << kPageShift, PROT_READ);
      for (std::uint64_t page = first; page < end; ++page) {
        mapped()[page] ^= kProtected | kOpened;
        note_hidden_slot(slot_at(page));
      }
    });
  }
}

}  // namespace

// Called by the fault handler.
bool open_for_writing(std::uint64_t address) {
  if (address - kAliasBase >= kAliasSize) return false;
  const std::uint64_t page = (address - kAliasBase) >> kPageShift;
  if ((mapped()[page] & kProtected) == 0) return false;
  const std::uint64_t chunk = page / kChunkPages;
  g_opened[chunk] = true;
  for_each_stretch(chunk, kProtected, [](std::uint64_t first, std::uint64_t end) {
    protect(address_of_page(first), (end - first) << kPageShift, PROT_READ | PROT_WRITE);
    for (std::uint64_t each = first; each < end; ++each) {
      mapped()[each] ^= kProtected | kOpened;
      note_exposed_slot(slot_at(each));
    }
  });
  return true;
}

void note_mapped() {
  for (const PageRuns::Run& run : g_aliases.runs()) note_mapping(run);
}

void reset_aliases(bool fresh) {
  if (!fresh) {
    note_mapped();
    protect_opened();
  }
  g_aliases.clear();
  g_stretches = 0;
  if (!fresh && keeps_open() && g_mapped <= kMostMapped / 2) return;
  if (!fresh) map_nothing(kAliasBase, g_highest);
  for (std::uint64_t page = 0; page < g_highest; ++page) {
    if (mapped()[page] != 0) note_hidden_slot(slot_at(page));
    mapped()[page] = 0;
  }
  g_highest = g_mapped = 0;
}

}  // namespace internal

using namespace internal;

void* alias_map(std::span<const Frame> frames, bool writable) {
  if (frames.empty()) return nullptr;
  const std::uint64_t page = take(frames.size(), Kind::Listed, 0);
  if (page == PageRuns::kNone) return nullptr;
  if (!map_listed(page, frames, writable ? PROT_READ | PROT_WRITE : PROT_READ)) {
    return give_up(page, frames.size());
  }
  return reinterpret_cast<void*>(address_of_page(page));
}

void alias_unmap(void* address) {
  const PageRuns::Run* run = run_of(address_of(address));
  HARNESS_ASSERT(run && address_of_page(run->first) == (address_of(address) & ~(kPageSize - 1)));
  const std::uint64_t first = run->first;
  note_mapping(*run);
  if (kind_of(*run) != Kind::Registers) {
    g_stretches -=
        count_stretches(run->count - 1, [first](std::uint64_t i) { return slot_at(first + i); });
  }
  if (closes_given_back()) clear(first, run->count);
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
      slot = slot_at(page);
      break;
  }
  if (const Zone* const zone = zone_of_slot(slot)) {
    *physical_address = (zone->frame_of(slot) << kPageShift) + offset;
  }
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
