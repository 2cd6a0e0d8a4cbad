// Looks for a low value that will do, where the value in hand does.
//
// Sizes and offsets often have to stay multiples, so steps of a page, of a word and of 1 are taken
// in turn. Where larger means "more of it" this finds the lowest value; where only certain values
// will do it gives up after a few tries.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wddm::fuzz {

/// `accept(v)` says whether v will do. Gives the value that was accepted last, or `value`.
template <class Accept>
std::uint64_t lower_value(std::uint64_t value, std::uint64_t lowest, Accept accept) {
  if (value <= lowest || accept(lowest)) return lowest;
  std::uint64_t floor = lowest;  // will not do, and neither will what lies below
  for (const std::uint64_t step : {4096ull, 4ull, 1ull}) {
    // In steps: `bad` will not do, `good` stands for the value, rounded up.
    std::uint64_t bad = floor / step;
    std::uint64_t good = value / step + (value % step != 0);
    const auto try_at = [&](std::uint64_t multiple) {
      if (!accept(multiple * step)) return false;
      value = multiple * step;
      good = multiple;
      return true;
    };
    if (good - bad < 2) continue;
    const bool one_less = try_at(good - 1);
    if (!one_less && (good - bad < 4 || !try_at(bad + (good - bad) / 2))) continue;
    while (good - bad > 1) {
      const std::uint64_t middle = bad + (good - bad) / 2;
      if (!try_at(middle)) bad = middle;
    }
    floor = std::max(floor, bad * step);
  }
  return value;
}

}  // namespace wddm::fuzz
