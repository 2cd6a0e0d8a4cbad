// What a scenario does to one op: a callback that fails, and another schedule.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "conformance/host/nt/core/kernel.h"
#include "reference/splitmix.h"
#include "reference/trace/op.h"

namespace wddm::host {

/// The k-th call of one callback fails, and perhaps all after it.
class CallbackFailure {
 public:
  void arm(FallibleCallback which, std::uint32_t kth, bool every) {
    which_ = which;
    left_ = kth;
    every_ = every;
  }
  void disarm() { left_ = 0; }
  /// Counts a call; whether it fails.
  [[nodiscard]] bool strikes(FallibleCallback called) {
    if (left_ == 0 || called != which_) return false;
    if (--left_ != 0) return false;
    left_ = every_ ? 1 : 0;
    return true;
  }

 private:
  FallibleCallback which_ = FallibleCallback::MapMemory;
  std::uint32_t left_ = 0;
  bool every_ = false;
};

/// Chooses who runs next from a seed, at random or by priorities.
class SeededSchedule final : public nt::SchedulePolicy {
 public:
  void begin(Policy policy, std::uint32_t seed);
  std::uint32_t choose(std::uint32_t ready) override;
  std::uint32_t choose_among(std::span<const std::uint32_t> threads) override;

 private:
  [[nodiscard]] std::uint64_t priority(std::uint32_t thread) const;

  Policy policy_ = Policy::Random;
  std::uint64_t seed_ = 0;
  SplitMix random_{0};
  std::uint64_t choices_ = 0;
  // Points at which the thread that would run goes behind all others, and who has.
  static constexpr std::size_t kChanges = 3;
  std::array<std::uint64_t, kChanges> change_at_{};
  std::array<std::uint32_t, kChanges> behind_{};
  std::size_t changed_ = 0;
};

}  // namespace wddm::host
