#include "conformance/host/boundary/anomaly.h"

namespace wddm::host {
namespace {

// Choices among which the changes of priority lie; an op seldom asks for more.
constexpr std::uint64_t kChoicesOfAnOp = 256;

}  // namespace

void SeededSchedule::begin(Policy policy, std::uint32_t seed) {
  policy_ = policy;
  seed_ = seed;
  random_ = SplitMix(seed);
  choices_ = 0;
  changed_ = 0;
  for (std::uint64_t& at : change_at_) at = random_.next() % kChoicesOfAnOp;
}

std::uint32_t SeededSchedule::choose(std::uint32_t ready) {
  return static_cast<std::uint32_t>(random_.next() % ready);
}

// The later a thread was put behind, the lower it is; all that were not stand above.
std::uint64_t SeededSchedule::priority(std::uint32_t thread) const {
  for (std::size_t i = changed_; i-- != 0;) {
    if (behind_[i] == thread) return kChanges - 1 - i;
  }
  return mixed(seed_ * 0x100000001b3 + thread) | kChanges;
}

std::uint32_t SeededSchedule::choose_among(std::span<const std::uint32_t> threads) {
  if (policy_ != Policy::Pct) return choose(static_cast<std::uint32_t>(threads.size()));
  const auto highest = [&] {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < threads.size(); ++i) {
      if (priority(threads[i]) > priority(threads[best])) best = i;
    }
    return best;
  };
  const std::uint64_t now = choices_++;
  for (const std::uint64_t at : change_at_) {
    if (at == now) behind_[changed_++] = threads[highest()];
  }
  return highest();
}

}  // namespace wddm::host
