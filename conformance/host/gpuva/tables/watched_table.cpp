#include "conformance/host/gpuva/tables/watched_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wddm::host {
namespace {

constexpr std::size_t kMostDifferences = 4;
constexpr std::uint32_t kStretch = 64;  // entries that are compared at once

EntryRecord record_of(const WddmEntryTarget& target) {
  return {.address = target.address,
          .driver_protection = target.driver_protection,
          .flags = target.flags,
          .adapter = target.adapter};
}

}  // namespace

WatchedTable::WatchedTable(const Objects& objects, const gpummu::Geometry& geometry,
                           const gpummu::CreateTable& table, std::shared_ptr<TableView> view,
                           std::uint32_t physical_adapter)
    : objects_(objects),
      caps_(geometry.caps()),
      view_(std::move(view)),
      size_(static_cast<std::uint32_t>(table.bytes)),
      entries_(table.entries) {
  const bool large = table.page_size == gpummu::PageTablePageSize::Page64K;
  format_ = {.size = sizeof(format_),
             .level = table.level,
             .level_count = geometry.levels(),
             .page_bytes = static_cast<std::uint32_t>(large ? gpummu::kPageSize64K : kPageSize),
             .dual = geometry.dual_pte(),
             .adapter = physical_adapter};
  look();
  const WddmClient* const client = objects_.client();
  if (client == nullptr || client->decode_entry == nullptr) return;
  const int answer = client->decode_entry(objects_.client_instance(), &format_, nullptr, nullptr);
  if (answer > 0) entry_bytes_ = static_cast<std::uint32_t>(answer);
}

void WatchedTable::refresh() {
  bytes_ = view_ ? view_->look() : std::span<const std::uint8_t>{};
}

std::span<const std::uint8_t> WatchedTable::valid_entry() const {
  if (!readable()) return {};
  for (std::uint32_t i = 0; i < entries_; ++i) {
    const std::optional<WantedEntry> entry = read(i);
    if (!entry) continue;
    const bool valid = (entry->entry.flags & entry_flag::kValid) != 0 ||
                       (entry->second && (entry->second->flags & entry_flag::kValid) != 0);
    if (valid) return bytes_.subspan(std::size_t{i} * entry_bytes_, entry_bytes_);
  }
  return {};
}

void WatchedTable::fill_with(std::span<const std::uint8_t> entry) {
  std::uint8_t* const place = for_the_cpu();
  if (place == nullptr || entry.empty()) return;
  for (std::size_t at = 0; at < size_; ++at) place[at] = entry[at % entry.size()];
  written();
  look();
}

std::uint32_t WatchedTable::changed_bytes() {
  refresh();
  if (bytes_.size() != seen_.size() || is_as_seen(0, bytes_.size())) return 0;
  std::uint32_t changed = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) changed += bytes_[i] != seen_[i] ? 1 : 0;
  return changed;
}

std::uint32_t WatchedTable::stray_bytes() {
  refresh();
  if (!readable() || bytes_.size() != seen_.size()) return 0;
  Comparison rest;
  compare_rest(entry_bytes_, rest);
  return rest.outside;
}

// Of pointers the owner says nothing: they lead to the GPU's own tables.
WatchedTable::Likeness WatchedTable::beside(WatchedTable& other) {
  Likeness result;
  refresh();
  other.refresh();
  if (!readable() || !other.readable()) return result;
  for (std::uint32_t i = 0; i < std::min(entries_, other.entries_); ++i) {
    if (is_pending(i) || other.is_pending(i)) continue;
    const std::optional<WantedEntry> here = read(i), there = other.read(i);
    if (!here || !there) continue;
    ++result.read;
    const bool second = here->second && there->second && differs(*here->second, *there->second);
    result.unlike += differs(here->entry, there->entry) || second;
  }
  return result;
}

void WatchedTable::look() {
  refresh();
  seen_.assign(bytes_.begin(), bytes_.end());
}

void WatchedTable::pending(std::uint32_t update, EntryRange entries) {
  pending_.push_back({update, entries});
}

bool WatchedTable::is_pending(std::uint32_t index) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [index](const Pending& one) { return one.entries.has(index); });
}

bool WatchedTable::is_drivers_own(std::uint32_t index) const {
  return std::any_of(drivers_own_.begin(), drivers_own_.end(),
                     [index](const EntryRange& one) { return one.has(index); });
}

std::optional<WantedEntry> WatchedTable::read(std::uint32_t index) const {
  WddmTableEntry entry{};
  entry.size = sizeof(entry);
  const WddmClient& client = *objects_.client();
  const int answer = client.decode_entry(objects_.client_instance(), &format_,
                                         bytes_.data() + std::size_t{index} * entry_bytes_, &entry);
  if (answer < 0) return std::nullopt;
  return WantedEntry{record_of(entry.target), record_of(entry.target_64kb)};
}

// Pointers say where the table lies and no more; of pages all that the driver's caps promise. Of
// DriverProtection an entry keeps as much as it has room for. System memory is no GPU's.
bool WatchedTable::differs(const EntryRecord& wanted, const EntryRecord& seen) const {
  using namespace entry_flag;
  std::uint32_t relevant = kValid | kZero | kSystem | kLargePage;
  if ((wanted.flags & kValid) == 0) return (seen.flags & kValid) != 0;
  if ((wanted.flags & kZero) != 0) relevant = kValid | kZero;
  const bool pointer = format_.level != 0 && (wanted.flags & (kLargePage | kZero)) == 0;
  if (pointer && format_.level == 1 && format_.dual == 0) relevant |= kLeaf64K;
  if (!pointer && (wanted.flags & kZero) == 0) {
    if (caps_.read_only_memory_supported) relevant |= kReadOnly;
    if (caps_.no_execute_memory_supported) relevant |= kNoExecute;
    if (caps_.cache_coherent_memory_supported) relevant |= kCacheCoherent;
  }
  if (((wanted.flags ^ seen.flags) & relevant) != 0) return true;
  if ((wanted.flags & kZero) != 0) return false;
  if (format_.level == 0 && (seen.driver_protection & ~wanted.driver_protection) != 0) return true;
  const bool owned = !pointer && (wanted.flags & kSystem) == 0;
  return wanted.address != seen.address || (owned && wanted.adapter != seen.adapter);
}

void WatchedTable::note(std::uint32_t index, const EntryRecord& wanted, const EntryRecord& seen,
                        bool second, Comparison& result) {
  ++result.wrong;
  if (result.differences.size() == kMostDifferences) return;
  result.differences.push_back(
      {.expected = wanted, .seen = seen, .index = index, .second = second ? 1u : 0u});
}

// How many bits an entry has room for nobody knows; that it had room for these it has shown.
bool WatchedTable::loses_protection(std::uint32_t index, const EntryRecord& wanted,
                                    const EntryRecord& seen, AllocationId of) {
  using namespace entry_flag;
  const bool leads_to_page = (wanted.flags & kValid) != 0 && (wanted.flags & kZero) == 0;
  const bool has_one = format_.level == 0 && leads_to_page && wanted.driver_protection != 0;
  if (!has_one || of == kNoAllocation) return false;
  Protected& before = protected_[index];
  const bool same = before.of == of && before.wanted.flags == wanted.flags &&
                    before.wanted.adapter == wanted.adapter &&
                    before.wanted.driver_protection == wanted.driver_protection;
  if (same && (before.shown & ~seen.driver_protection) != 0) return true;
  before = {of, wanted, seen.driver_protection};
  return false;
}

void WatchedTable::compare_entry(std::uint32_t index, const WantedEntry& wanted, AllocationId of,
                                 Comparison& result) {
  const std::optional<WantedEntry> seen = read(index);
  if (wanted.doubtful) {
    takes_doubtful_ &= seen && !differs(wanted.entry, seen->entry);
    return;
  }
  if (!seen) return;
  ++result.decoded;
  if (differs(wanted.entry, seen->entry) ||
      loses_protection(index, wanted.entry, seen->entry, of)) {
    note(index, wanted.entry, seen->entry, false, result);
  }
  if (wanted.second && differs(*wanted.second, *seen->second)) {
    note(index, *wanted.second, *seen->second, true, result);
  }
}

bool WatchedTable::is_as_seen(std::size_t at, std::size_t bytes) const {
  return bytes == 0 || std::memcmp(&bytes_[at], &seen_[at], bytes) == 0;
}

// Where no update may have written, nothing changes. Most tables are as they were, and of the
// others most entries.
void WatchedTable::compare_rest(std::uint32_t entry_bytes, Comparison& result) const {
  if (is_as_seen(0, bytes_.size())) return;
  const std::size_t stretch = std::size_t{kStretch} * entry_bytes;
  for (std::size_t first = 0; first < bytes_.size(); first += entry_bytes) {
    const bool begins = first % stretch == 0 && bytes_.size() - first >= stretch;
    if (begins && is_as_seen(first, stretch)) {
      first += stretch - entry_bytes;
      continue;
    }
    const std::size_t end = std::min<std::size_t>(first + entry_bytes, bytes_.size());
    const auto index = static_cast<std::uint32_t>(first / entry_bytes);
    if (is_as_seen(first, end - first) || is_pending(index) || is_drivers_own(index)) continue;
    for (std::size_t at = first; at < end; ++at) {
      if (bytes_[at] == seen_[at]) continue;
      if (result.outside++ == 0) result.first_outside = static_cast<std::uint32_t>(at);
    }
  }
}

WatchedTable::Comparison WatchedTable::carried_out(std::uint32_t update, EntryRange entries,
                                                   std::span<const WantedEntry> wanted,
                                                   AllocationId of) {
  Comparison result;
  refresh();
  if (!readable()) {
    takes_doubtful_ &= std::none_of(wanted.begin(), wanted.end(),
                                    [](const WantedEntry& one) { return one.doubtful; });
  }
  if (readable()) {
    if (bytes_.size() == seen_.size()) compare_rest(entry_bytes_, result);
    std::erase_if(pending_, [update](const Pending& one) { return one.update == update; });
    const std::size_t first = std::size_t{entries.first} * entry_bytes_;
    for (std::uint32_t i = 0; i < entries.count && !wanted.empty(); ++i) {
      const std::uint32_t index = entries.first + i;
      if (is_pending(index) || is_drivers_own(index)) continue;
      if ((index + 1ull) * entry_bytes_ > bytes_.size()) continue;
      compare_entry(index, wanted[std::min<std::size_t>(i, wanted.size() - 1)], of, result);
      const bool one_for_all =
          wanted.size() == 1 && !is_pending(entries.first) && !is_drivers_own(entries.first);
      result.unequal +=
          one_for_all && std::memcmp(&bytes_[first], &bytes_[std::size_t{index} * entry_bytes_],
                                     entry_bytes_) != 0;
    }
  } else {
    std::erase_if(pending_, [update](const Pending& one) { return one.update == update; });
  }
  seen_.assign(bytes_.begin(), bytes_.end());
  return result;
}

std::optional<std::uint32_t> WatchedTable::become(WatchedTable& from, std::uint32_t from_first,
                                                  EntryRange entries) {
  refresh();
  from.refresh();
  if (!readable() || !from.readable() || bytes_.size() != seen_.size()) return std::nullopt;
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < entries.count; ++i) {
    const std::size_t here = (std::size_t{entries.first} + i) * entry_bytes_;
    const std::size_t there = (std::size_t{from_first} + i) * entry_bytes_;
    if (here + entry_bytes_ > bytes_.size() || there + entry_bytes_ > from.bytes_.size()) break;
    const bool changed = std::memcmp(&bytes_[here], &seen_[here], entry_bytes_) != 0;
    found += changed && std::memcmp(&bytes_[here], &from.bytes_[there], entry_bytes_) == 0;
  }
  return found;
}

std::uint32_t WatchedTable::rest_of(std::span<const EntryRange> named, std::uint32_t entry_bytes) {
  Comparison rest;
  for (const EntryRange& range : named) pending_.push_back({kNone, range});
  compare_rest(entry_bytes, rest);
  pending_.erase(pending_.end() - static_cast<std::ptrdiff_t>(named.size()), pending_.end());
  return rest.outside;
}

std::uint32_t WatchedTable::changed_beside(std::span<const EntryRange> named,
                                           std::uint32_t walked) {
  refresh();
  const std::uint32_t size = entry_bytes_ != 0 ? entry_bytes_ : walked;
  const bool seen = has_entries_of(size) && bytes_.size() == seen_.size();
  const std::uint32_t changed = seen ? rest_of(named, size) : 0;
  seen_.assign(bytes_.begin(), bytes_.end());
  return changed;
}

WatchedTable::Copied WatchedTable::copied(WatchedTable& from, std::uint32_t from_first,
                                          EntryRange entries, std::span<const EntryRange> named,
                                          std::uint32_t walked) {
  Copied result;
  refresh();
  from.refresh();
  const std::uint32_t size = entry_bytes_ != 0 ? entry_bytes_ : walked;
  const bool seen = has_entries_of(size) && from.has_entries_of(size);
  if (seen && bytes_.size() == seen_.size()) {
    result.outside = rest_of(named, size);
    for (std::uint32_t i = 0; i < entries.count; ++i) {
      const std::size_t here = (std::size_t{entries.first} + i) * size;
      const std::size_t there = (std::size_t{from_first} + i) * size;
      if (here + size > bytes_.size() || there + size > from.bytes_.size()) break;
      ++result.read;
      result.unlike += std::memcmp(&bytes_[here], &from.bytes_[there], size) != 0;
    }
  }
  seen_.assign(bytes_.begin(), bytes_.end());
  return result;
}

}  // namespace wddm::host
