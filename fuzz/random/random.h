// Random numbers that are the same on every machine and with every standard library.
//
// SplitMix64 (Steele, Lea, Flood 2014): one word of state, so that a seed is all there is to write
// down. The distributions of <random> are left out: their results are not portable.
#pragma once

#include <cstdint>
#include <span>

#include "reference/harness_assert.h"

namespace wddm::fuzz {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// A number below `n`, which must not be 0. Its bias is below n / 2^32.
  constexpr std::uint32_t below(std::uint32_t n) {
    HARNESS_ASSERT(n != 0);
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
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
  std::uint64_t state_;
};

}  // namespace wddm::fuzz
