// Pool that resources leave: by each of them, or by the first of a kind alone.
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

constexpr std::uint32_t kFailure = 0xC0000001;

class Destroy006 : public TraceTest {
 protected:
  void comes_and_goes(std::int32_t left_bytes, std::uint32_t count = 3) {
    group_ = {.count = count, .left_bytes = left_bytes, .left_blocks = left_bytes / 64};
    add(group_);
  }
  bool holds() { return TraceTest::holds("DESTROY-006"); }
  std::uint32_t reached() { return times_reached("DESTROY-006"); }

  ev::AllocationGroup group_;
};

TEST_F(Destroy006, EachLeavesSomething) {
  comes_and_goes(64);
  comes_and_goes(64);
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, TheFirstMayMakeADriverSetUpACache) {
  comes_and_goes(64);
  comes_and_goes(0);
  comes_and_goes(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Destroy006, ABlockMayBeGivenBackAgain) {
  comes_and_goes(64);
  comes_and_goes(-64);
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

TEST_F(Destroy006, OneOfAKindIsNotJudged) {
  comes_and_goes(64, 1);
  comes_and_goes(64, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006, WhatWasNotMadeIsAnotherMatter) {
  comes_and_goes(64);
  group_.status = kFailure;
  add(group_);
  EXPECT_TRUE(holds());
  group_.status = 0;
  group_.destroy_status = kFailure;
  add(group_);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006, AnAdapterThatIsStartedAgainSetsUpAgain) {
  comes_and_goes(64);
  add(ev::MappingBalance{});
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

TEST_F(Destroy006, BesideAnotherThreadPoolSaysNothing) {
  comes_and_goes(64);
  op(OpKind::Neighbour);
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
