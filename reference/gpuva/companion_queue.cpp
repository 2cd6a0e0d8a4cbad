// See companion_queue.h.
#include "reference/gpuva/companion_queue.h"

#include <limits>

#include "reference/harness_assert.h"

namespace wddm::gpuva {

std::span<const CompanionDecision> CompanionQueue::step(const CompanionInput& input) {
  decisions_.clear();
  std::visit([this](const auto& what) { on(what); }, input);
  run_first();
  return decisions_;
}

void CompanionQueue::on(const QueueUpdate& input) {
  if (input.fence_value == std::numeric_limits<std::uint64_t>::max()) {
    decisions_.emplace_back(UpdateRefused{});
    return;
  }
  HARNESS_ASSERT(!holds_);  // its caller is held, and there is one for a context
  queue_.push_back(input);
  operations_ += input.operations;
  holds_ = operations_ > kMostQueued;
  if (holds_) decisions_.emplace_back(HoldCaller{});
}

void CompanionQueue::on(const FenceReached& input) {
  advance(input.fence, input.value);
}

void CompanionQueue::on(const UpdateDone&) {
  HARNESS_ASSERT(runs_);
  const QueueUpdate done = queue_.front();
  queue_.erase(queue_.begin());
  runs_ = false;
  operations_ -= done.operations;
  if (done.fence_value + 1 > value(done.fence)) {
    decisions_.emplace_back(SignalFence{done.fence, done.fence_value + 1});
  }
  advance(done.fence, done.fence_value + 1);
  if (!holds_ || operations_ > kMostQueued) return;
  holds_ = false;
  decisions_.emplace_back(ReleaseCaller{});
}

/// A monitored fence only goes up.
void CompanionQueue::advance(MonitoredFenceId fence, std::uint64_t value) {
  HARNESS_ASSERT(fence.value < 1u << 20);
  if (fence.value >= values_.size()) values_.resize(fence.value + 1);
  if (value > values_[fence.value]) values_[fence.value] = value;
}

/// Rules 1 and 2.
void CompanionQueue::run_first() {
  if (runs_ || queue_.empty()) return;
  const QueueUpdate& first = queue_.front();
  if (!first.do_not_wait && value(first.fence) < first.fence_value) return;
  runs_ = true;
  decisions_.emplace_back(RunUpdate{first.update});
}

void CompanionQueue::validate() const {
  std::size_t operations = 0;
  for (const QueueUpdate& each : queue_) operations += each.operations;
  HARNESS_ASSERT(operations == operations_ && holds_ == (operations > kMostQueued));
  HARNESS_ASSERT(!runs_ || !queue_.empty());
}

}  // namespace wddm::gpuva
