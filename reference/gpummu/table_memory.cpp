#include "reference/gpummu/table_memory.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "reference/harness_assert.h"

namespace wddm::gpummu {

bool TableMemory::Contents::knows(std::uint32_t index) const {
  const auto after = known.upper_bound(index);
  return after != known.begin() && std::prev(after)->second > index;
}

void TableMemory::Contents::learn(std::uint32_t first, std::uint32_t end) {
  if (first == end) return;
  unlearn(first, end);
  const auto before = known.lower_bound(first);
  if (before != known.begin() && std::prev(before)->second == first) {
    first = std::prev(before)->first;
    known.erase(std::prev(before));
  }
  const auto behind = known.find(end);
  if (behind != known.end()) {
    end = behind->second;
    known.erase(behind);
  }
  known.emplace(first, end);
}

void TableMemory::Contents::unlearn(std::uint32_t first, std::uint32_t end) {
  auto at = known.upper_bound(first);
  if (at != known.begin()) --at;
  while (at != known.end() && at->first < end) {
    const auto [old_first, old_end] = *at;
    if (old_end <= first) {
      ++at;
      continue;
    }
    at = known.erase(at);
    if (old_first < first) known.emplace(old_first, first);
    if (old_end > end) known.emplace(end, old_end);
  }
}

void TableMemory::update(const Update& update) {
  HARNESS_ASSERT(update.count <= UINT32_MAX - update.first);
  HARNESS_ASSERT(update.entries.size() >= (update.repeat ? 1 : update.count));
  const bool dual = !update.entries_64kb.empty();
  HARNESS_ASSERT(!dual || update.entries_64kb.size() == update.entries.size());
  Contents& contents = tables_[update.table];
  if (contents.level != update.level || contents.page_size != update.page_size) {
    contents = Contents{};
    contents.level = update.level;
    contents.page_size = update.page_size;
  }
  const std::uint32_t end = update.first + update.count;
  const bool clears = update.repeat && update.entries[0] == invalid_entry() &&
                      (!dual || update.entries_64kb[0] == invalid_entry());
  if (clears) {  // a huge root costs by what it held
    for (EntryArray* array : {&contents.entries, &contents.second}) {
      for (auto i = array->next_written(update.first); i < end; i = array->next_written(i + 1)) {
        array->set(i, invalid_entry());
      }
    }
    return contents.learn(update.first, end);
  }
  for (std::uint32_t i = 0; i < update.count; ++i) {
    const std::uint32_t element = update.repeat ? 0 : i;
    const std::uint32_t index = update.first + i;
    contents.entries.set(index, update.entries[element]);
    contents.second.set(index, dual ? update.entries_64kb[element] : invalid_entry());
  }
  contents.learn(update.first, end);
}

void TableMemory::copy(const PhysicalAddress& from, std::uint32_t from_first,
                       const PhysicalAddress& to, std::uint32_t to_first, std::uint32_t count) {
  const Contents* source = find(from);
  if (source == nullptr) return forget(to);
  // Into a list first: the tables may be one.
  std::vector<std::pair<Entry, Entry>> entries;
  std::vector<bool> known;
  for (std::uint32_t i = 0; i < count; ++i) {
    entries.emplace_back(source->entries[from_first + i], source->second[from_first + i]);
    known.push_back(source->knows(from_first + i));
  }
  const std::uint32_t level = source->level;
  const PageTablePageSize page_size = source->page_size;
  Contents& target = tables_[to];
  if (target.level != level || target.page_size != page_size) {
    target = Contents{};
    target.level = level;
    target.page_size = page_size;
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t index = to_first + i;
    target.entries.set(index, entries[i].first);
    target.second.set(index, entries[i].second);
    known[i] ? target.learn(index, index + 1) : target.unlearn(index, index + 1);
  }
}

void TableMemory::relocate(const PhysicalAddress& from, const PhysicalAddress& to) {
  HARNESS_ASSERT(from != to);
  auto node = tables_.extract(from);
  tables_.erase(to);
  if (node.empty()) return;
  node.key() = to;
  tables_.insert(std::move(node));
}

const Entry* TableMemory::entry(const PhysicalAddress& table, std::uint32_t index) const {
  const Contents* contents = find(table);
  return contents == nullptr || !contents->knows(index) ? nullptr : &contents->entries[index];
}

}  // namespace wddm::gpummu
