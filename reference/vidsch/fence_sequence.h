// The fence numbers of one engine: submissions and preemption requests draw from one sequence.
//
// The documents give neither the first number nor what happens after 2^32 of them. Here the caller
// picks the first (a scenario may start just below the wrap), 0 is never issued because drivers
// report it as "nothing completed yet", and numbers are never ordered by value: order is that of
// submission (`fence_ledger.h`). Source: DXGKARG_SUBMITCOMMAND, DXGKARG_PREEMPTCOMMAND.
#pragma once

#include <cstdint>

#include "reference/harness_assert.h"
#include "reference/types.h"

namespace wddm::vidsch {

class FenceSequence {
 public:
  /// `first` is the first number issued; 0 stands for 1.
  explicit constexpr FenceSequence(std::uint32_t first = 1) : next_(first == 0 ? 1 : first) {}

  /// The next number. Each comes once: an engine never gets through all 2^32 - 1.
  constexpr FenceId next() {
    HARNESS_ASSERT(issued_ != UINT32_MAX);
    ++issued_;
    const FenceId fence{next_};
    next_ = next_ == UINT32_MAX ? 1 : next_ + 1;
    return fence;
  }

  /// How many numbers were issued.
  [[nodiscard]] constexpr std::uint32_t issued() const { return issued_; }

 private:
  std::uint32_t next_;
  std::uint32_t issued_ = 0;
};

}  // namespace wddm::vidsch
