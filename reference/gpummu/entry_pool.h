// The entries of all small tables of a space, in one array: the walk reads one entry a level, and a
// space is copied and dropped as a whole.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "reference/gpummu/pte.h"
#include "reference/harness_assert.h"

namespace wddm::gpummu {

class EntryPool {
 public:
  /// Memory for that many entries, before any is asked for.
  void reserve(std::uint32_t count) { entries_.reserve(count); }
  /// A place for `count` entries in a row, all invalid. Places are used again.
  [[nodiscard]] std::uint32_t allocate(std::uint32_t count) {
    std::vector<std::uint32_t>& free = free_[class_of(count)];
    const std::uint32_t room = std::uint32_t{1} << class_of(count);
    if (free.empty()) {
      HARNESS_ASSERT(entries_.size() < UINT32_MAX - room);
      entries_.resize(entries_.size() + room);
      return static_cast<std::uint32_t>(entries_.size()) - room;
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    std::fill_n(entries_.begin() + place, count, Entry{});
    return place;
  }
  void release(std::uint32_t place, std::uint32_t count) {
    free_[class_of(count)].push_back(place);
  }

  [[nodiscard]] const Entry& operator[](std::uint32_t at) const { return entries_[at]; }
  [[nodiscard]] Entry& operator[](std::uint32_t at) { return entries_[at]; }
  [[nodiscard]] const Entry* data() const { return entries_.data(); }

 private:
  [[nodiscard]] static std::uint32_t class_of(std::uint32_t count) {
    return static_cast<std::uint32_t>(std::bit_width(count - 1));
  }

  std::vector<Entry> entries_;
  std::array<std::vector<std::uint32_t>, 17> free_;  // by power of two
};

}  // namespace wddm::gpummu
