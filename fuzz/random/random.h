// Random choices that are the same on every machine and with every standard library. The
// distributions of <random> are left out: their results are not portable.
#pragma once

#include <cstdint>
#include <span>

#include "reference/harness_assert.h"
#include "reference/splitmix.h"

namespace wddm::fuzz {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : numbers_(seed) {}

  constexpr std::uint64_t next() { return numbers_.next(); }

  /// A number below `n`, which must not be 0.
  constexpr std::uint32_t below(std::uint32_t n) {
    HARNESS_ASSERT(n != 0);
    return numbers_.below(n);
  }

  /// A number in lowest..highest, both included.
  constexpr std::uint32_t between(std::uint32_t lowest, std::uint32_t highest) {
    const std::uint32_t size = highest - lowest;
    return size == UINT32_MAX ? static_cast<std::uint32_t>(next()) : lowest + below(size + 1);
  }

  /// True once in `n` times.
  constexpr bool one_in(std::uint32_t n) { return below(n) == 0; }

  template <class T>
  constexpr const T& pick(std::span<const T> choices) {
    return choices[below(static_cast<std::uint32_t>(choices.size()))];
  }

 private:
  SplitMix numbers_;
};

}  // namespace wddm::fuzz
