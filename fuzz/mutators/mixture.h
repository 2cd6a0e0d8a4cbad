// How much of what a fuzzer tries is made from nothing: most of it at first, a quarter later.
//
// What lies near the start is reached sooner by scenarios of all families than by changes to the
// few that are known; what lies deep takes many small changes to inputs that were kept because they
// reached something new, and these need something to begin with.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fuzz/random/random.h"

namespace wddm::fuzz {

class Mixture {
 public:
  /// Whether the next input is to be generated instead of derived from known ones.
  bool from_nothing(Random& random) {
    const std::uint32_t derived = std::min(made_++ / kPerStep, kMostDerived);
    return random.below(kOf) >= derived;
  }

 private:
  static constexpr std::uint32_t kOf = 16, kMostDerived = 12, kPerStep = 32;
  std::uint32_t made_ = 0;
};

}  // namespace wddm::fuzz
