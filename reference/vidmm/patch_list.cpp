// Well-formedness of lists, and binding leaks.
#include "reference/vidmm/patch_list.h"

#include <algorithm>
#include <limits>

#include "reference/harness_assert.h"

namespace wddm::vidmm {

ListError check_list(const PatchList& list, std::uint32_t rows) {
  HARNESS_ASSERT(list.elements.size() < std::numeric_limits<std::uint32_t>::max());
  const std::size_t allocations = list.allocations.size();
  std::uint32_t previous = 0;
  for (std::uint32_t i = 0; i < list.elements.size(); ++i) {
    const PatchElement& element = list.elements[i];
    if (element.allocation_index >= allocations) {
      return {ListFault::AllocationIndexOutOfRange, i};
    }
    if (element.slot >= rows) return {ListFault::SlotOutOfRange, i};
    if (element.split_offset < previous) return {ListFault::SplitOffsetDecreases, i};
    if (element.split_offset > list.bytes) return {ListFault::SplitOffsetBeyondEnd, i};
    previous = element.split_offset;
  }
  return {};
}

std::vector<std::uint32_t> split_points(const PatchList& list) {
  std::vector<std::uint32_t> offsets;
  for (const PatchElement& element : list.elements) offsets.push_back(element.split_offset);
  std::sort(offsets.begin(), offsets.end());
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  return offsets;
}

std::vector<BindingLeak> find_binding_leaks(const PatchList& list) {
  const auto count = static_cast<std::uint32_t>(list.elements.size());
  // Split points below U, and for each element the index of its own.
  std::vector<std::uint32_t> splits;
  std::vector<std::uint32_t> split_of(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t offset = list.elements[i].split_offset;
    if (offset < list.bytes && (splits.empty() || splits.back() != offset)) {
      splits.push_back(offset);
    }
    split_of[i] = static_cast<std::uint32_t>(splits.size()) - (offset < list.bytes ? 1 : 0);
  }
  const auto split_count = static_cast<std::uint32_t>(splits.size());
  // Elements by slot, in list order within a slot: neighbours are consecutive updates of one row.
  std::vector<std::uint32_t> by_slot(count);
  for (std::uint32_t i = 0; i < count; ++i) by_slot[i] = i;
  std::sort(by_slot.begin(), by_slot.end(), [&](std::uint32_t a, std::uint32_t b) {
    return list.elements[a].slot != list.elements[b].slot
               ? list.elements[a].slot < list.elements[b].slot
               : a < b;
  });
  std::vector<BindingLeak> leaks;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t at = by_slot[i];
    const PatchElement& element = list.elements[at];
    if (list.allocations[element.allocation_index].allocation == kNoAllocation) continue;
    const bool updated_later = i + 1 < count && list.elements[by_slot[i + 1]].slot == element.slot;
    const std::uint32_t next = updated_later ? split_of[by_slot[i + 1]] : split_count;
    if (split_of[at] + 1 >= next) continue;
    leaks.push_back({SlotId{element.slot}, at, splits[split_of[at] + 1], splits[next - 1],
                     next - split_of[at] - 1});
  }
  std::sort(leaks.begin(), leaks.end(),
            [](const BindingLeak& a, const BindingLeak& b) { return a.bound_by < b.bound_by; });
  return leaks;
}

std::vector<BindingLeak> leaks_at(std::span<const BindingLeak> leaks, std::uint32_t split_offset) {
  std::vector<BindingLeak> found;
  for (const BindingLeak& leak : leaks) {
    if (leak.first_split <= split_offset && split_offset <= leak.last_split) found.push_back(leak);
  }
  return found;
}

}  // namespace wddm::vidmm
