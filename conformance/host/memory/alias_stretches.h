// Pages of an alias in stretches whose slots are adjacent: what the kernel maps at once.
//
// `slot_of(i)` is the slot of page i. Internal to this folder.
#pragma once

#include <cstdint>

namespace wddm::memory::internal {

/// Slots of adjacent pages that are adjacent as well.
struct Adjacent {
  std::uint64_t first;
  std::uint64_t operator()(std::uint64_t i) const { return first + i; }
};

/// One past the last of those adjacent to slot i.
inline std::uint64_t end_of_stretch(const Adjacent&, std::uint64_t, std::uint64_t count) {
  return count;
}
template <class SlotOf>
std::uint64_t end_of_stretch(const SlotOf& slot_of, std::uint64_t i, std::uint64_t count) {
  std::uint64_t end = i + 1;
  for (std::uint64_t slot = slot_of(i); end < count && slot_of(end) == slot + 1; ++end) ++slot;
  return end;
}

template <class SlotOf>
std::uint64_t count_stretches(const SlotOf& slot_of, std::uint64_t pages) {
  std::uint64_t stretches = 0;
  for (std::uint64_t i = 0; i < pages; i = end_of_stretch(slot_of, i, pages)) ++stretches;
  return stretches;
}

}  // namespace wddm::memory::internal
