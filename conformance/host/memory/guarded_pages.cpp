// Guarded buffers come and go with every DDI call, so their place is laid out once: for each power
// of two pages a row of slots, each followed by a page that is never accessible. A buffer takes the
// last pages of a slot; one that no slot holds is mapped by itself. Taking and giving back change
// the protection of those pages and nothing else, and not even that where they stay open; after
// reset() slots are taken in the same order as in a new process.
#include "conformance/host/memory/guarded_pages.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <vector>

#include "conformance/host/memory/guarded_names.h"
#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/open_pages.h"
#include "reference/harness_assert.h"

namespace wddm::memory::internal {
namespace {

constexpr std::size_t kRows = 9;                       // up to 256 pages
constexpr std::uint64_t kRowPages = (32 << 20) >> 12;  // usable pages of each row
// So many slots of a row rest before the first is used again.
constexpr std::size_t kRest = 16;
// Buffers of more pages lie in adjacent frames whatever is asked for.
constexpr std::uint64_t kMostScattered = 16;
// In so many slots of a row the inaccessible page is a mapping of its own: the kernel then changes
// a protection without splitting and joining mappings, which takes half the time. The number of
// mappings that a process may have is limited.
constexpr std::uint64_t kFencedSlots = 256;

struct Live {
  std::uint8_t* base;
  std::uint64_t pages;
  const char* what = nullptr;  // null: nobody has said
  const std::uint8_t* data = nullptr;
  std::uint64_t size = 0;
};

struct Row {
  std::uint64_t first_page;  // in the zone
  std::uint64_t slot_pages;  // without the inaccessible one
  std::uint64_t slots;
  std::uint64_t unused;             // first slot never taken since reset
  std::uint64_t fenced;             // slots with an inaccessible page that is a mapping of its own
  std::vector<std::uint32_t> free;  // a queue that starts at `head`
  std::size_t head;
};

std::array<Row, kRows> make_rows() {
  std::array<Row, kRows> rows{};
  std::uint64_t page = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    rows[i].first_page = page;
    rows[i].slot_pages = 1ull << i;
    rows[i].slots = kRowPages >> i;
    page += rows[i].slots * (rows[i].slot_pages + 1);
  }
  HARNESS_ASSERT(page <= kGuarded.pages);
  return rows;
}

std::array<Row, kRows> g_rows = make_rows();
std::vector<Live> g_live;
OpenPages g_open(kGuarded);

bool has_slot(const Row& row) {
  return row.unused < row.slots || row.head < row.free.size();
}

// The row with the smallest slots that hold so many pages; null if there is none.
Row* row_for(std::uint64_t pages) {
  for (auto i = static_cast<std::size_t>(std::countr_zero(std::bit_ceil(pages))); i < kRows; ++i)
    if (has_slot(g_rows[i])) return &g_rows[i];
  return nullptr;
}

Row& row_at(std::uint64_t page) {
  std::size_t i = kRows - 1;
  while (page < g_rows[i].first_page) --i;
  return g_rows[i];
}

void fence(Row& row) {
  const std::uint64_t page = row.first_page + (row.fenced + 1) * (row.slot_pages + 1) - 1;
  map_nothing(kGuarded.view + (page << kPageShift), 1);
  ++row.fenced;
}

std::uint64_t take_slot(Row& row) {
  const std::size_t resting = row.free.size() - row.head;
  if (resting <= kRest && row.unused < row.slots) {
    if (row.unused == row.fenced && row.fenced < kFencedSlots) fence(row);
    return row.unused++;
  }
  HARNESS_ASSERT(resting != 0);
  const std::uint64_t slot = row.free[row.head++];
  if (row.head >= 1024) {
    row.free.erase(row.free.begin(), row.free.begin() + static_cast<std::ptrdiff_t>(row.head));
    row.head = 0;
  }
  return slot;
}

std::uint64_t page_of(const std::uint8_t* base) {
  return (address_of(base) - kGuarded.view) >> kPageShift;
}

void own(const std::uint8_t* base, std::uint64_t pages, FrameOwner owner) {
  set_owner(kGuarded.first_slot + page_of(base), pages, owner);
}

std::uint8_t* take_mapped(std::uint64_t pages, FrameOwner owner) {
  const Frame first = frames_allocate_contiguous(pages, owner, ~0ull);
  HARNESS_ASSERT(first != 0);
  bool registers = false;
  void* base = bus_map(first << kPageShift, pages << kPageShift, &registers);
  HARNESS_ASSERT(base);
  return static_cast<std::uint8_t*>(base);
}

Frame frame_behind(const std::uint8_t* base) {
  std::uint64_t physical = 0;
  HARNESS_ASSERT(physical_of(base, &physical));
  return physical >> kPageShift;
}

void give_mapped(std::uint8_t* base, std::uint64_t pages) {
  std::erase_if(g_live, [base](const Live& live) { return live.base == base; });
  std::vector<Frame> frames{frame_behind(base)};
  if (pages > kMostScattered) {
    alias_unmap(base);
    return frames_free_contiguous(frames[0]);
  }
  for (std::uint64_t i = 1; i < pages; ++i)
    frames.push_back(frame_behind(base + (i << kPageShift)));
  alias_unmap(base);
  frames_free(frames);
}

}  // namespace

std::uint8_t* take_sealed(std::uint64_t pages, FrameOwner owner) {
  Row* const row = row_for(pages);
  if (!row) return take_mapped(pages, owner);
  const std::uint64_t end_page =
      row->first_page + take_slot(*row) * (row->slot_pages + 1) + row->slot_pages;
  std::uint8_t* const base = kGuarded.bytes_of(kGuarded.first_slot + end_page - pages);
  own(base, pages, owner);
  g_live.push_back({.base = base, .pages = pages});
  return base;
}

void unseal(const std::uint8_t* base, std::uint64_t pages) {
  if (kGuarded.has_address(address_of(base))) g_open.open(page_of(base), pages);
}

std::uint8_t* take_guarded(std::uint64_t pages, FrameOwner owner) {
  std::uint8_t* const base = take_sealed(pages, owner);
  unseal(base, pages);
  return base;
}

// Slots have frames of their own, which follow each other. Of the address space for others the
// driver needs some too.
std::uint8_t* take_scattered(std::uint64_t pages, FrameOwner owner) {
  if (pages > kMostScattered) return take_guarded(pages, owner);
  std::vector<Frame> frames(pages);
  frames_allocate(frames, owner);
  auto* const base = static_cast<std::uint8_t*>(alias_map(frames, true));
  if (base == nullptr) {
    frames_free(frames);
    return take_guarded(pages, owner);
  }
  g_live.push_back({.base = base, .pages = pages});
  return base;
}

void give_guarded(std::uint8_t* base, std::uint64_t pages) {
  if (!kGuarded.has_address(address_of(base))) return give_mapped(base, pages);
  // Most are given back soon after they were taken.
  std::size_t at = g_live.size();
  while (at > 0 && g_live[at - 1].base != base) --at;
  HARNESS_ASSERT(at > 0 && g_live[at - 1].pages == pages);
  if (closes_given_back()) g_open.close(page_of(base), pages);
  own(base, pages, FrameOwner::Free);
  g_live[at - 1] = g_live.back();
  g_live.pop_back();
  const std::uint64_t page = page_of(base);
  Row& row = row_at(page);
  row.free.push_back(static_cast<std::uint32_t>((page - row.first_page) / (row.slot_pages + 1)));
}

void reset_guarded(bool fresh) {
  if (fresh || !keeps_open()) g_open.close_all(fresh);
  for (const Live& buffer : g_live) {
    if (kGuarded.has_address(address_of(buffer.base))) {
      own(buffer.base, buffer.pages, FrameOwner::Free);
    }
  }
  g_live.clear();
  for (Row& row : g_rows) {
    row.unused = 0;
    if (fresh) row.fenced = 0;
    row.free.clear();
    row.head = 0;
  }
}

}  // namespace wddm::memory::internal

namespace wddm::memory {

using internal::g_live;

void name_buffer(const GuardedBuffer& buffer, const char* what) {
  // Mostly the one that was taken last.
  for (std::size_t at = g_live.size(); at > 0; --at) {
    internal::Live& live = g_live[at - 1];
    if (buffer.data() < live.base || buffer.data() >= live.base + live.pages * kPageSize) continue;
    live.what = what;
    live.data = buffer.data();
    live.size = buffer.size();
    return;
  }
}

std::size_t describe_guarded(const void* address, char* text, std::size_t capacity) {
  const auto* const at = static_cast<const std::uint8_t*>(address);
  for (const internal::Live& live : g_live) {
    const std::uint8_t* const end = live.base + live.pages * kPageSize;
    if (at < live.base || at >= end + kPageSize) continue;
    const std::uint8_t* const data = live.what != nullptr ? live.data : live.base;
    const std::uint8_t* const data_end = live.what != nullptr ? live.data + live.size : end;
    const char* const name = live.what != nullptr ? live.what : "a buffer of Dxgkrnl";
    const char* const article = live.what != nullptr ? "the " : "";
    const int length =
        at >= data_end ? std::snprintf(text, capacity, "%lld bytes behind %s%s",
                                       static_cast<long long>(at - data_end), article, name)
        : at < data    ? std::snprintf(text, capacity, "%lld bytes before %s%s",
                                       static_cast<long long>(data - at), article, name)
                       : std::snprintf(text, capacity, "%lld bytes into %s%s",
                                       static_cast<long long>(at - data), article, name);
    return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), capacity - 1);
  }
  return 0;
}

}  // namespace wddm::memory
