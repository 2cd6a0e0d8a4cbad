// Model: pool of Windows as documented at ExAllocatePool2, ExFreePoolWithTag and in "Special pool".
// Left out: quotas, sessions.
#include "conformance/host/nt/memory/pool.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/host/memory/arena.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/image/call_sites.h"
#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/memory/paged_pool.h"
#include "conformance/host/nt/memory/pool_block.h"
#include "reference/harness_assert.h"
#include "reference/types.h"

namespace wddm::nt {

using namespace pool;

namespace {

// Freed blocks rest until so many others were freed.
constexpr std::size_t kRestingSmall = 1024;
constexpr std::size_t kRestingLarge = 64;

constexpr std::size_t kKinds = 3;

// What a pool page is used for.
struct Page {
  std::uint32_t first_record;  // of the first slot, or of the large block
  std::uint8_t slot_class;     // kClasses: part of a large block; kNoUse: its guard, or unused
};
constexpr std::uint8_t kNoUse = 0xff;

struct Tag {
  std::uint32_t tag;
  std::uint64_t blocks;
  std::uint64_t bytes;
};

std::array<Page, memory::kPoolPages> g_pages;
std::vector<Record> g_records;
std::array<std::array<std::vector<std::uint32_t>, kClasses>, kKinds> g_free_slots;
std::vector<std::uint32_t> g_free_large;
std::vector<std::uint32_t> g_resting_small, g_resting_large;  // rings once full
std::size_t g_small_cursor, g_large_cursor;
std::vector<Tag> g_tags;
PoolUsage g_usage;
std::uint64_t g_ordinal;
std::uint64_t g_pages_used;
std::uint64_t g_large_blocks;

std::uint64_t page_index(const void* address) {
  return static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(address) -
                                    memory::pool_base()) /
         kPageSize;
}

bool in_pool(const void* address) {
  return address >= memory::pool_base() &&
         address < memory::pool_base() + memory::kPoolPages * kPageSize;
}

// The record whose slot or pages hold the address; null if none was ever made there.
Record* record_at(const void* address) {
  if (!in_pool(address)) return nullptr;
  const Page& page = g_pages[page_index(address)];
  if (page_index(address) >= g_pages_used || page.slot_class == kNoUse) return nullptr;
  if (page.slot_class == kClasses) return &g_records[page.first_record];
  const std::uint64_t slot_bytes = kSlotBytes[page.slot_class];
  const std::uint64_t slot = reinterpret_cast<std::uint64_t>(address) % kPageSize / slot_bytes;
  if (slot >= kPageSize / slot_bytes) return nullptr;  // the page's remainder
  return &g_records[page.first_record + slot];
}

Tag& tag_entry(std::uint32_t tag) {
  const auto found = std::find_if(g_tags.begin(), g_tags.end(),
                                  [&](const Tag& entry) { return entry.tag == tag; });
  return found != g_tags.end() ? *found : g_tags.emplace_back(Tag{tag, 0, 0});
}

void account(const Record& record, bool allocated) {
  if (record.owner != PoolOwner::Driver) return;
  Tag& tag = tag_entry(record.tag);
  const std::uint64_t one = allocated ? 1 : ~0ull;
  tag.blocks += one;
  tag.bytes += one * record.bytes;
  g_usage.blocks += one;
  g_usage.bytes += one * record.bytes;
}

// Stays for the host when a driver takes all that it can get: 64 MiB.
constexpr std::uint64_t kReservedPages = 0x4000;
// Each large block costs two mappings of the process, of which the kernel grants 65530.
constexpr std::uint64_t kMostLargeBlocks = 12288;

std::uint64_t pages_left(PoolOwner owner) {
  const std::uint64_t left = memory::kPoolPages - g_pages_used;
  if (owner == PoolOwner::Host) return left;
  return std::max(left, kReservedPages) - kReservedPages;
}

bool large_block_left(PoolOwner owner) {
  return owner == PoolOwner::Host || g_large_blocks < kMostLargeBlocks;
}

void* take_pages(std::uint64_t count, PoolOwner owner) {
  if (count > pages_left(owner)) return nullptr;
  void* pages = memory::pool_pages(count);
  if (pages) g_pages_used = page_index(pages) + count;
  return pages;
}

// ---- Small blocks ----

std::size_t class_of(std::uint64_t bytes) {
  const std::uint64_t needed = bytes + 2 * kGuardBytes;
  return static_cast<std::size_t>(std::lower_bound(kSlotBytes.begin(), kSlotBytes.end(), needed) -
                                  kSlotBytes.begin());
}

bool add_slab(PoolKind kind, std::size_t slot_class, PoolOwner owner) {
  auto* page = static_cast<std::uint8_t*>(take_pages(1, owner));
  if (!page) return false;
  if (kind == PoolKind::NonPagedExecute)
    memory::arena_protect(page, kPageSize, memory::ArenaAccess::Execute);
  if (kind == PoolKind::Paged) paged_pool_opened(page, kPageSize);
  const auto first = static_cast<std::uint32_t>(g_records.size());
  g_pages[page_index(page)] = {first, static_cast<std::uint8_t>(slot_class)};
  const std::uint64_t count = kPageSize / kSlotBytes[slot_class];
  auto& free = g_free_slots[static_cast<std::size_t>(kind)][slot_class];
  for (std::uint64_t i = 0; i < count; ++i) {
    Record& record = g_records.emplace_back();
    record = {};
    record.start = page + i * kSlotBytes[slot_class] + kGuardBytes;
    record.kind = kind;
    record.slot_class = static_cast<std::uint8_t>(slot_class);
    free.push_back(static_cast<std::uint32_t>(first + count - 1 - i));
  }
  return true;
}

Record* take_small(const PoolRequest& request) {
  const std::size_t slot_class = class_of(request.bytes);
  auto& free = g_free_slots[static_cast<std::size_t>(request.kind)][slot_class];
  if (free.empty() && !add_slab(request.kind, slot_class, request.owner)) return nullptr;
  Record& record = g_records[free.back()];
  free.pop_back();
  std::memset(record.start - kGuardBytes, kGuard, kGuardBytes);
  std::uint8_t* const end = record.start + request.bytes;
  std::memset(end, kGuard, static_cast<std::size_t>(slot_end(record) - end));
  return &record;
}

// ---- Large blocks ----

Record* reuse_large(std::uint64_t pages, PoolOwner owner) {
  // An exact fit first; a larger one only when no fresh pages are left.
  for (const bool exact : {true, false}) {
    if (!exact && pages_left(owner) > pages && large_block_left(owner)) return nullptr;
    for (auto at = g_free_large.begin(); at != g_free_large.end(); ++at) {
      Record& record = g_records[*at];
      if (exact ? record.pages != pages : record.pages < pages) continue;
      g_free_large.erase(at);
      return &record;
    }
  }
  return nullptr;
}

Record* take_large(const PoolRequest& request) {
  const std::uint64_t pages = pages_of(request.bytes);
  if (pages >= memory::kPoolPages) return nullptr;
  Record* record = reuse_large(pages, request.owner);
  if (!record) {
    if (!large_block_left(request.owner)) return nullptr;
    auto* start = static_cast<std::uint8_t*>(take_pages(pages + 1, request.owner));
    if (!start) return nullptr;
    memory::arena_protect(start + pages * kPageSize, kPageSize, memory::ArenaAccess::None);
    const auto index = static_cast<std::uint32_t>(g_records.size());
    for (std::uint64_t i = 0; i < pages; ++i) g_pages[page_index(start) + i] = {index, kClasses};
    g_pages[page_index(start) + pages] = {index, kNoUse};
    record = &g_records.emplace_back();
    *record = {};
    record->start = start;
    record->pages = static_cast<std::uint32_t>(pages);
    record->slot_class = kClasses;
    ++g_large_blocks;
  }
  const bool execute = request.kind == PoolKind::NonPagedExecute;
  memory::arena_protect(record->start, record->pages * kPageSize,
                        execute ? memory::ArenaAccess::Execute : memory::ArenaAccess::ReadWrite);
  if (request.kind == PoolKind::Paged) paged_pool_opened(record->start, record->pages * kPageSize);
  std::memset(record->start + request.bytes, kGuard, record->pages * kPageSize - request.bytes);
  return record;
}

Record* take(const PoolRequest& request) {
  const bool of_driver = request.owner == PoolOwner::Driver;
  if (of_driver && allocation_must_fail()) return nullptr;
  return request.bytes <= kLargestSmall ? take_small(request) : take_large(request);
}

constexpr CallSite kLater{"pool check", nullptr};

// Puts `index` to rest; what rested longest comes free.
void rest(std::uint32_t index) {
  Record& record = g_records[index];
  const bool large = record.pages != 0;
  auto& ring = large ? g_resting_large : g_resting_small;
  std::size_t& cursor = large ? g_large_cursor : g_small_cursor;
  if (ring.size() < (large ? kRestingLarge : kRestingSmall)) {
    ring.push_back(index);
    return;
  }
  std::swap(ring[cursor], index);
  cursor = (cursor + 1) % ring.size();
  Record& rested = g_records[index];
  check_resting(rested, kLater);
  rested.state = State::Free;
  if (large)
    g_free_large.push_back(index);
  else
    g_free_slots[static_cast<std::size_t>(rested.kind)][rested.slot_class].push_back(index);
}

void check_paged_irql(PoolKind kind, const CallSite& site) {
  if (kind == PoolKind::Paged && irql() > kApc)
    report(FindingKind::IrqlTooHigh, site.service, "paged pool above APC_LEVEL", site.code);
}

}  // namespace

void pool_boot() {
  g_records.clear();
  g_records.reserve(4096);
  for (auto& kind : g_free_slots)
    for (auto& free : kind) free.clear();
  g_free_large.clear();
  g_resting_small.clear();
  g_resting_large.clear();
  g_small_cursor = g_large_cursor = 0;
  g_tags.clear();
  g_usage = {};
  g_ordinal = g_pages_used = g_large_blocks = 0;
  allocation_failures_boot();
}

void* pool_allocate(const PoolRequest& request, const CallSite& site) {
  check_paged_irql(request.kind, site);
  Record* record = take(request);
  if (request.owner == PoolOwner::Driver) allocation_made(record != nullptr);
  if (!record) return nullptr;
  record->bytes = request.bytes;
  record->ordinal = ++g_ordinal;
  record->asker = asker_at(site.code);
  record->tag = request.tag;
  record->kind = request.kind;
  record->owner = request.owner;
  record->state = State::Live;
  account(*record, true);
  std::memset(record->start, request.fill == PoolFill::Zero ? 0 : kPoisonAllocated, request.bytes);
  return record->start;
}

void pool_free(void* block, std::optional<std::uint32_t> tag, const CallSite& site, PoolOwner by) {
  Record* record = record_at(block);
  if (!record || record->start != block || record->state == State::Free) {
    if (record && record->state != State::Free)
      report_block(FindingKind::PoolBadPointer, *record, "not the start of %s: offset %lld",
                   static_cast<std::uint8_t*>(block) - record->start, site);
    else
      report(FindingKind::PoolBadPointer, site.service,
             block ? "not a block of the pool" : "null pointer", site.code);
    return;
  }
  if (record->state == State::Resting) {
    report_block(FindingKind::PoolDoubleFree, *record, "%s: freed already", 0, site);
    return;
  }
  if (by == PoolOwner::Driver && record->owner != PoolOwner::Driver) {
    report_block(FindingKind::PoolBadPointer, *record, "%s: not a block that the driver allocated",
                 0, site);
    return;
  }
  if (tag && *tag != record->tag) {
    char block_text[96];
    char detail[160];
    describe(*record, block_text, sizeof block_text);
    std::snprintf(detail, sizeof detail, "%s: freed with tag '%s'", block_text, TagText(*tag).text);
    report(FindingKind::PoolTagMismatch, site.service, detail, site.code);
  }
  check_paged_irql(record->kind, site);
  check_guards(*record, site);
  retire_memory(record->start, record->bytes, site.service, site.code);
  account(*record, false);
  record->freed_in = innermost_call();
  record->state = State::Resting;
  if (record->pages) {
    if (record->kind == PoolKind::Paged) paged_pool_gone(record->start);
    memory::arena_protect(record->start, record->pages * kPageSize, memory::ArenaAccess::None);
  } else {
    std::memset(record->start, kPoisonFreed, record->bytes);
  }
  rest(static_cast<std::uint32_t>(record - g_records.data()));
}

bool pool_find(const void* address, PoolBlock* block) {
  const Record* record = record_at(address);
  if (!record || record->state == State::Free) return false;
  const auto offset = static_cast<const std::uint8_t*>(address) - record->start;
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= record->bytes) return false;
  *block = {record->start, record->bytes, record->tag, record->kind,
            record->state == State::Resting};
  return true;
}

bool pool_paged_pages(const void* address, PoolPages* pages) {
  if (!in_pool(address) || page_index(address) >= g_pages_used) return false;
  const Page& page = g_pages[page_index(address)];
  if (page.slot_class == kNoUse) return false;
  const Record& record = g_records[page.first_record];
  if (record.kind != PoolKind::Paged || (record.pages != 0 && record.state != State::Live))
    return false;
  std::uint8_t* const start = memory::pool_base() + page_index(address) * kPageSize;
  *pages = record.pages != 0 ? PoolPages{record.start, record.pages * kPageSize}
                             : PoolPages{start, kPageSize};
  return true;
}

bool pool_check() {
  PoolUsage live{};
  for (Record& record : g_records) {
    if (record.state == State::Live) check_guards(record, kLater);
    if (record.state == State::Resting) check_resting(record, kLater);
    if (record.state == State::Live && record.owner == PoolOwner::Driver) {
      ++live.blocks;
      live.bytes += record.bytes;
    }
  }
  return live.blocks == g_usage.blocks && live.bytes == g_usage.bytes;
}

namespace {

// Who asked for the blocks of a tag that are left, the earliest first.
std::string askers_of(const Tag& tag) {
  std::vector<const Record*> left;
  for (const Record& record : g_records) {
    const bool driver = record.state == State::Live && record.owner == PoolOwner::Driver;
    if (driver && record.tag == tag.tag) left.push_back(&record);
  }
  std::sort(left.begin(), left.end(),
            [](const Record* a, const Record* b) { return a->ordinal < b->ordinal; });
  std::vector<Asker> askers;
  for (const Record* record : left) askers.push_back(record->asker);
  return from_askers(askers);
}

}  // namespace

void report_pool_leaks() {
  for (const Tag& tag : g_tags) {
    if (tag.blocks == 0) continue;
    char detail[96];
    std::snprintf(detail, sizeof detail, "tag '%s': %llu blocks, %llu bytes", TagText(tag.tag).text,
                  static_cast<unsigned long long>(tag.blocks),
                  static_cast<unsigned long long>(tag.bytes));
    report(FindingKind::PoolLeak, "DriverUnload", detail + askers_of(tag), nullptr);
  }
}

std::size_t pool_describe(const void* address, char* text, std::size_t capacity) {
  const Record* record = record_at(address);
  if (!record && in_pool(address) && page_index(address) < g_pages_used) {
    const Page& page = g_pages[page_index(address)];
    if (page.slot_class == kNoUse) record = &g_records[page.first_record];  // a large block's guard
  }
  if (!record || record->state == State::Free) return 0;
  const long long offset = static_cast<const std::uint8_t*>(address) - record->start;
  const long long behind = offset - static_cast<long long>(record->bytes);
  char block[96];
  describe(*record, block, sizeof block);
  const int length =
      std::snprintf(text, capacity, "%lld bytes %s %s%s",
                    behind >= 0  ? behind
                    : offset < 0 ? -offset
                                 : offset,
                    behind >= 0  ? "behind the end of"
                    : offset < 0 ? "before the start of"
                                 : "into",
                    record->state == State::Resting ? "freed pool " : "pool ", block);
  return length < 0 ? 0 : std::min(static_cast<std::size_t>(length), capacity - 1);
}

PoolUsage pool_usage() {
  return g_usage;
}

}  // namespace wddm::nt
