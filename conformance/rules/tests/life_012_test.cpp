// What a driver says of its sources and children.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_012 {
namespace {

constexpr std::uint32_t kFailed = 0xC0000001;

class Life012 : public TraceTest {
 protected:
  bool holds() { return TraceTest::holds("LIFE-012"); }
  std::uint32_t reached() { return times_reached("LIFE-012"); }
};

TEST_F(Life012, NoneOfEither) {
  add(ev::DeviceStarted{});
  add(ev::ChildrenReported{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Life012, TwoOfEither) {
  add(ev::DeviceStarted{.sources = 2, .children = 2});
  add(ev::ChildrenReported{.children = 2, .described = 2, .outputs = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Life012, SourcesAreNotSaid) {
  add(ev::DeviceStarted{.sources = kNone});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, ChildrenAreNotSaid) {
  add(ev::DeviceStarted{.children = kNone});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, AStartThatFailsSaysNothing) {
  add(ev::DeviceStarted{.status = kFailed, .sources = kNone, .children = kNone});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Life012, AChildIsNotDescribed) {
  add(ev::ChildrenReported{.children = 2, .described = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, TheLastElementIsWritten) {
  add(ev::ChildrenReported{.children = 1, .described = 1, .last = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, WhatFollowsIsWritten) {
  add(ev::ChildrenReported{.behind = 4});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, ChildrenThatAreThereAreDescribed) {
  add(ev::ChildrenReported{.status = kFailed, .children = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Life012, OfNoChildAnyStatusIsAccepted) {
  add(ev::ChildrenReported{.status = kFailed});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Life012, SoItIsWhereMemoryFails) {
  op(OpKind::FailPool);
  add(ev::ChildrenReported{.status = kFailed, .children = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::life_012
