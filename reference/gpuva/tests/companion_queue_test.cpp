// Updates interlocked with rendering, VA-006.
#include "reference/gpuva/companion_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace wddm::gpuva {
namespace {

constexpr MonitoredFenceId kFence{0};
constexpr MonitoredFenceId kOther{1};
using Decisions = std::vector<CompanionDecision>;

struct Queue : CompanionQueue {
  Decisions tell(const CompanionInput& input) {
    const auto decisions = step(input);
    validate();
    return {decisions.begin(), decisions.end()};
  }
  Decisions update(std::uint32_t id, std::uint64_t value, bool do_not_wait = false,
                   std::size_t operations = 1, MonitoredFenceId fence = kFence) {
    return tell(QueueUpdate{{id}, operations, fence, value, do_not_wait});
  }
};

TEST(CompanionQueue, VA_006_WaitsForTheFence) {
  Queue queue;
  EXPECT_EQ(queue.update(1, 5), Decisions{});
  EXPECT_EQ(queue.tell(FenceReached{kFence, 4}), Decisions{});
  EXPECT_EQ(queue.tell(FenceReached{kOther, 5}), Decisions{});
  EXPECT_EQ(queue.tell(FenceReached{kFence, 5}), Decisions{RunUpdate{{1}}});
}

TEST(CompanionQueue, VA_006_SignalsOneMoreWhenDone) {
  Queue queue;
  (void)queue.tell(FenceReached{kFence, 5});
  ASSERT_EQ(queue.update(1, 5), Decisions{RunUpdate{{1}}});
  EXPECT_EQ(queue.value(kFence), 5u);
  EXPECT_EQ(queue.tell(UpdateDone{}), (Decisions{SignalFence{kFence, 6}}));
  EXPECT_EQ(queue.value(kFence), 6u);
}

TEST(CompanionQueue, VA_006_DoNotWaitSkipsTheWait) {
  Queue queue;
  EXPECT_EQ(queue.update(1, 5, true), Decisions{RunUpdate{{1}}});
}

TEST(CompanionQueue, VA_006_OneThatWaitsHoldsUpTheNext) {
  Queue queue;
  (void)queue.update(1, 5);
  EXPECT_EQ(queue.update(2, 0, true), Decisions{});
  EXPECT_EQ(queue.tell(FenceReached{kFence, 5}), Decisions{RunUpdate{{1}}});
  EXPECT_EQ(queue.tell(UpdateDone{}), (Decisions{SignalFence{kFence, 6}, RunUpdate{{2}}}));
}

TEST(CompanionQueue, VA_006_AnUpdateMayWaitForTheOneBefore) {
  Queue queue;
  (void)queue.update(1, 0);
  (void)queue.update(2, 1);
  EXPECT_EQ(queue.tell(UpdateDone{}), (Decisions{SignalFence{kFence, 1}, RunUpdate{{2}}}));
}

TEST(CompanionQueue, VA_006_AFenceNeverGoesBack) {
  Queue queue;
  (void)queue.update(1, 2, true);
  (void)queue.tell(FenceReached{kFence, 9});
  EXPECT_EQ(queue.tell(UpdateDone{}), Decisions{});
  EXPECT_EQ(queue.value(kFence), 9u);
}

TEST(CompanionQueue, VA_005_TheCallerIsHeldAbove128Operations) {
  Queue queue;
  (void)queue.update(1, 5, false, 100);
  EXPECT_EQ(queue.update(2, 5, false, 28), Decisions{});
  EXPECT_EQ(queue.update(3, 5, false, 1), Decisions{HoldCaller{}});
  (void)queue.tell(FenceReached{kFence, 5});
  const Decisions done = queue.tell(UpdateDone{});
  EXPECT_EQ(done, (Decisions{SignalFence{kFence, 6}, ReleaseCaller{}, RunUpdate{{2}}}));
}

TEST(CompanionQueue, TheLastValueHasNoNext) {
  Queue queue;
  EXPECT_EQ(queue.update(1, UINT64_MAX), Decisions{UpdateRefused{}});
  EXPECT_EQ(queue.update(2, UINT64_MAX - 1, true), Decisions{RunUpdate{{2}}});
}

RC_GTEST_PROP(CompanionQueueProperty, RunsInOrderAndOnlyWhenDue, ()) {
  Queue queue;
  std::vector<std::uint64_t> due;  // of each update; 0 if it does not wait
  std::size_t ran = 0;
  const auto inputs = *rc::gen::inRange(0, 60);
  for (int i = 0; i < inputs; ++i) {
    Decisions decisions;
    const auto value = *rc::gen::inRange<std::uint64_t>(0, 12);
    if (queue.runs() && *rc::gen::arbitrary<bool>()) {
      decisions = queue.tell(UpdateDone{});
    } else if (*rc::gen::arbitrary<bool>()) {
      decisions = queue.tell(FenceReached{kFence, value});
    } else {
      const bool do_not_wait = *rc::gen::arbitrary<bool>();
      due.push_back(do_not_wait ? 0 : value);
      decisions = queue.update(static_cast<std::uint32_t>(due.size() - 1), value, do_not_wait);
    }
    for (const CompanionDecision& decision : decisions) {
      const auto* run = std::get_if<RunUpdate>(&decision);
      if (run == nullptr) continue;
      RC_ASSERT(run->update.value == ran);
      RC_ASSERT(queue.value(kFence) >= due[ran]);
      ++ran;
    }
    const bool waits = !queue.runs() && ran < due.size();
    if (waits) RC_ASSERT(queue.value(kFence) < due[ran]);
  }
}

}  // namespace
}  // namespace wddm::gpuva
