// Work behind a wait for a monitored fence.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::sync_004 {
namespace {

constexpr std::uint32_t kSignalQueued = 0, kWaitQueued = 1, kReached = 2, kGoesOn = 3;

class Sync004 : public TraceTest {
 protected:
  void fence(std::uint32_t stage, std::uint64_t value, std::uint32_t context = 2) {
    add(ev::MonitoredFence{.value = value, .fence = 1, .stage = stage, .context = context});
  }
  void plans(std::uint32_t render) { add(ev::PortionPlanned{.render = render, .context = 2}); }
  void submits(std::uint32_t render, std::uint32_t context = 2) {
    add(ev::Submitted{.packet = render, .render = render, .context = context});
  }
  bool holds() { return TraceTest::holds("SYNC-004"); }
};

TEST_F(Sync004, TheValueIsThere) {
  fence(kSignalQueued, 1, 1);
  fence(kWaitQueued, 1);
  fence(kReached, 1, 1);
  fence(kGoesOn, 1);
  plans(5);
  submits(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SYNC-004"), 1u);
}

TEST_F(Sync004, ItIsNot) {
  fence(kWaitQueued, 2);
  fence(kReached, 1, 1);
  plans(5);
  submits(5);
  EXPECT_FALSE(holds());
}

TEST_F(Sync004, AGreaterValueWillDo) {
  fence(kWaitQueued, 2);
  fence(kReached, 3, 1);
  plans(5);
  submits(5);
  EXPECT_TRUE(holds());
}

TEST_F(Sync004, WhatStandsBeforeTheWaitGoes) {
  plans(5);
  fence(kWaitQueued, 1);
  submits(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SYNC-004"), 0u);
}

TEST_F(Sync004, OtherContextsGo) {
  fence(kWaitQueued, 1);
  plans(5);
  submits(5, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Sync004, NobodyIsReleased) {
  fence(kWaitQueued, 1);
  fence(kReached, 1, 1);
  add(ev::Stuck{});
  EXPECT_FALSE(holds());
}

TEST_F(Sync004, AValueThatNeverComes) {
  fence(kWaitQueued, 1);
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

TEST_F(Sync004, AResetAbandonsTheWait) {
  fence(kReached, 1, 1);
  fence(kWaitQueued, 2);
  add(ev::AdapterReset{});
  plans(5);
  submits(5);
  EXPECT_TRUE(holds());
}

TEST_F(Sync004, FencesBeginAnewAfterAReset) {
  fence(kReached, 1, 1);
  add(ev::AdapterReset{});
  fence(kWaitQueued, 1);
  add(ev::Stuck{});
  EXPECT_TRUE(holds());
}

TEST_F(Sync004, AValueFromBeforeAResetReleasesNobody) {
  fence(kReached, 5, 1);
  add(ev::AdapterReset{});
  fence(kWaitQueued, 1);
  plans(5);
  submits(5);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::sync_004
