// SplitMix64 (Steele, Lea, Flood 2014): random numbers that are the same on every machine and with
// every standard library. One word of state, so that a seed is all there is to write down.
#pragma once

#include <cstdint>

namespace wddm {

/// A word of which every bit depends on all bits of `z`.
[[nodiscard]] constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

class SplitMix {
 public:
  explicit constexpr SplitMix(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() { return mixed(state_ += 0x9e3779b97f4a7c15); }

  /// A number below `n`, which must not be 0. Its bias is below n / 2^32.
  constexpr std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace wddm
