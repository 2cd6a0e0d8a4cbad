// Alias mappings: what MmMapLockedPages and MmMapIoSpace return.
//
// Each mapping gets address space of its own with an inaccessible page behind; after unmapping the
// space stays inaccessible until everything behind it was used once, so stale pointers fault. Where
// pages stay open (GivenBack) so do mappings, and the next one that is the same costs nothing.
//
// A large mapping is write-protected until its driver writes there, a chunk at a time: what was not
// written need be neither noted nor compared nor cleared. Video memory of 128 MiB, of which a
// scenario touches little, would cost more than all else.
//
// The kernel grants a process 65530 mappings, and each stretch of adjacent frames takes up to two:
// its own and the gap behind it. Beyond a limit of stretches address space counts as exhausted.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/host/memory/alias_pages.h"
#include "conformance/host/memory/alias_stretches.h"
#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/page_runs.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace internal {
namespace {

// What a run's note says: slots in order from `value`, slots listed page by page in g_pages, or a
// register BAR at bus address `value`.
// Address space that is reserved: `value` pages are mapped now, and listed; the others map nothing.
enum class Kind : std::uint64_t { Linear, Listed, Registers, Reserved };
constexpr unsigned kKindShift = 60;

// Stretches of all runs together, and those that are mapped, left-overs of earlier runs included.
constexpr std::uint64_t kMostStretches = 16384;
constexpr std::uint64_t kMostMapped = kMostStretches + 2048;

PageRuns g_aliases(kAliasPages);
std::uint64_t g_stretches = 0;
std::uint64_t g_mapped = 0;   // at most; counted anew when left-overs are cleared away
std::uint64_t g_highest = 0;  // one past the last page that anything is mapped at

AliasPages g_pages;

// Runs of so many pages are write-protected, and opened by chunks.
constexpr std::uint64_t kProtectedPages = 256;
std::array<bool, kAliasPages / kChunkPages> g_opened{};  // chunks with a page that is kOpened

std::uint64_t note_of(Kind kind, std::uint64_t value) {
  return static_cast<std::uint64_t>(kind) << kKindShift | value;
}
Kind kind_of(const PageRuns::Run& run) {
  return static_cast<Kind>(run.note >> kKindShift);
}
std::uint64_t value_of(const PageRuns::Run& run) {
  return run.note & ((1ull << kKindShift) - 1);
}

// One past the last page that the run maps: the guard page maps nothing.
std::uint64_t end_of_mapped(const PageRuns::Run& run) {
  return kind_of(run) == Kind::Reserved ? run.first + value_of(run) : run.end() - 1;
}

const PageRuns::Run* run_of(std::uint64_t address) {
  if (address - kAliasBase >= kAliasSize) return nullptr;
  const std::uint64_t page = (address - kAliasBase) >> kPageShift;
  const PageRuns::Run* run = g_aliases.find(page);
  return run && page < end_of_mapped(*run) ? run : nullptr;
}

const PageRuns::Run& reserved_run(const void* address) {
  const PageRuns::Run* run = g_aliases.find((address_of(address) - kAliasBase) >> kPageShift);
  HARNESS_ASSERT(run && kind_of(*run) == Kind::Reserved);
  return *run;
}

// Maps nothing at pages where something still is.
void clear(std::uint64_t page, std::uint64_t count) {
  std::uint64_t mapped = 0;  // pages before the part
  const auto unmap_before = [&](std::uint64_t end) {
    map_nothing(address_of_page(end - mapped), mapped);
    mapped = 0;
  };
  g_pages.for_each_part(page, page + count,
                        [&](std::uint64_t first, std::uint64_t end, AliasEntry entry) {
                          if (entry == 0) return unmap_before(first);
                          mapped += end - first;
                        });
  unmap_before(page + count);
  g_pages.erase(page, count);
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
  if (kind == Kind::Registers || kind == Kind::Reserved) clear(page, pages);
  clear(page + pages, 1);
  return page;
}

// How many of the pages from `page` on map what they are to map, with adjacent slots from `entry`'s
// on: those kept together, or one. `may_have`: bits that make no difference.
std::uint64_t mapped_alike(const Adjacent&, std::uint64_t page, AliasEntry entry,
                           AliasEntry may_have) {
  return (g_pages.at(page) & ~may_have) == entry ? g_pages.end_of_part(page) - page : 0;
}
template <class SlotOf>
std::uint64_t mapped_alike(const SlotOf&, std::uint64_t page, AliasEntry entry,
                           AliasEntry may_have) {
  return (g_pages.at(page) & ~may_have) == entry ? 1 : 0;
}

void note_exposed(std::uint64_t slot, std::uint64_t pages) {
  for (std::uint64_t i = 0; i < pages; ++i) note_exposed_slot(slot + i);
}

// Each maximal stretch of adjacent slots at once, but for pages that map theirs already. False if
// there are too many of them.
template <class SlotOf>
bool map_run(std::uint64_t first_page, std::uint64_t count, const SlotOf& slot_of, int protection) {
  const bool writable = (protection & PROT_WRITE) != 0;
  const bool protects = count >= kProtectedPages && writable;
  const AliasEntry may_have = protects ? kProtected | kOpened : kOpened;
  const std::uint64_t stretches = count_stretches(slot_of, count);
  if (g_stretches + stretches > kMostStretches) return false;
  g_stretches += stretches;
  for (std::uint64_t i = 0; i < count;) {
    const std::uint64_t slot = slot_of(i);
    const std::uint64_t page = first_page + i;
    if (std::uint64_t alike = mapped_alike(slot_of, page, entry_of(slot, writable), may_have)) {
      alike = std::min(alike, count - i);
      if (writable && (g_pages.at(page) & kProtected) == 0) note_exposed(slot, alike);
      i += alike;
      continue;
    }
    const std::uint64_t end = end_of_stretch(slot_of, i, count);
    if (g_mapped == kMostMapped) clear_leftovers();
    ++g_mapped;
    if (!map_slots(address_of_page(page), slot, end - i, protects ? PROT_READ : protection)) {
      g_stretches -= stretches;
      return false;
    }
    g_pages.set(page, end - i, entry_of(slot, writable) | (protects ? kProtected : 0));
    if (writable && !protects) note_exposed(slot, end - i);
    i = end;
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
  const bool done = map_run(page, pages, Adjacent{slot}, PROT_READ | PROT_WRITE);
  return static_cast<std::uint8_t*>(done ? reinterpret_cast<void*>(address_of_page(page))
                                         : give_up(page, pages));
}

// What a driver may have written through the mapping.
void note_mapping(const PageRuns::Run& run) {
  if (kind_of(run) == Kind::Registers) return;
  g_pages.for_each_part(run.first, end_of_mapped(run),
                        [](std::uint64_t first, std::uint64_t end, AliasEntry entry) {
                          if ((entry & kProtected) != 0) return;
                          HARNESS_ASSERT(entry != 0);
                          const std::uint64_t slot = slot_of_entry(entry);
                          for (std::uint64_t i = 0; i < end - first; ++i)
                            note_written_slot(slot + i);
                        });
}

// What was written in this run is protected again for the next.
void protect_opened() {
  for (std::uint64_t chunk = 0; chunk * kChunkPages < g_highest; ++chunk) {
    if (!g_opened[chunk]) continue;
    g_opened[chunk] = false;
    g_pages.for_each_stretch(chunk, kOpened, [](std::uint64_t first, std::uint64_t end) {
      protect(address_of_page(first), (end - first) << kPageShift, PROT_READ);
      g_pages.flip(first, end, kProtected | kOpened);
      for (std::uint64_t page = first; page < end; ++page) note_hidden_slot(g_pages.slot_at(page));
    });
  }
}

}  // namespace

// Called by the fault handler.
bool open_for_writing(std::uint64_t address) {
  if (address - kAliasBase >= kAliasSize) return false;
  const std::uint64_t page = (address - kAliasBase) >> kPageShift;
  if ((g_pages.at(page) & kProtected) == 0) return false;
  const std::uint64_t chunk = page / kChunkPages;
  g_opened[chunk] = true;
  g_pages.for_each_stretch(chunk, kProtected, [](std::uint64_t first, std::uint64_t end) {
    protect(address_of_page(first), (end - first) << kPageShift, PROT_READ | PROT_WRITE);
    g_pages.flip(first, end, kProtected | kOpened);
    for (std::uint64_t each = first; each < end; ++each) note_exposed_slot(g_pages.slot_at(each));
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
  // Some that were shown are so no more: by mappings that were closed, or gave way to others.
  note_all_hidden();
  g_pages.erase(0, g_highest);
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
  if (kind_of(*run) == Kind::Linear) --g_stretches;
  if (kind_of(*run) == Kind::Listed) {
    const auto slot_of = [first](std::uint64_t i) { return g_pages.slot_at(first + i); };
    g_stretches -= count_stretches(slot_of, run->count - 1);
  }
  if (closes_given_back()) clear(first, run->count);
  g_aliases.give(first);
}

// Each page may become a stretch of its own, and must have room when it does.
void* alias_reserve(std::uint64_t pages) {
  if (pages == 0 || pages > kMostStretches - g_stretches) return nullptr;
  const std::uint64_t page = take(pages, Kind::Reserved, 0);
  if (page == PageRuns::kNone) return nullptr;
  g_stretches += pages;
  return reinterpret_cast<void*>(address_of_page(page));
}

void alias_map_reserved(void* reserved, std::span<const Frame> frames) {
  const PageRuns::Run& run = reserved_run(reserved);
  const std::uint64_t pages = run.count - 1;
  HARNESS_ASSERT(value_of(run) == 0 && frames.size() <= pages);
  const std::uint64_t counted = g_stretches;
  g_stretches -= pages;
  HARNESS_ASSERT(map_listed(run.first, frames, PROT_READ | PROT_WRITE));
  g_stretches = counted;
  g_aliases.annotate(run.first, note_of(Kind::Reserved, frames.size()));
}

// Closed at once, whatever else stays open: a driver comes back to these very addresses.
void alias_unmap_reserved(void* reserved) {
  const PageRuns::Run& run = reserved_run(reserved);
  note_mapping(run);
  clear(run.first, value_of(run));
  g_aliases.annotate(run.first, note_of(Kind::Reserved, 0));
}

void alias_release(void* reserved) {
  const PageRuns::Run& run = reserved_run(reserved);
  HARNESS_ASSERT(value_of(run) == 0);
  g_stretches -= run.count - 1;
  g_aliases.give(run.first);
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
    case Kind::Reserved:
      slot = g_pages.slot_at(page);
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
  if (!zone || !all_owned(*zone, first, pages)) return nullptr;
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
  *bytes_left = address_of_page(end_of_mapped(*run)) - address_of(address);
  return true;
}

}  // namespace wddm::memory
