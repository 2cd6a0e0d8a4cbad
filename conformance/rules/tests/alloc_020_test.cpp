// Resources that allocations were to be added to when there was no memory.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_020 {
namespace {

constexpr std::uint32_t kInvalidParameter = 0xC000000D;

class Alloc020 : public TraceTest {
 protected:
  void grew(const ev::AllocationGroup& group) { add(group); }
  bool holds() { return TraceTest::holds("ALLOC-020"); }
  std::uint32_t reached() { return times_reached("ALLOC-020"); }
};

TEST_F(Alloc020, ItGrowsWhenThereIsMemoryAgain) {
  grew({.count = 4, .pool_failed = 1, .calls = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc020, TheResourceIsNotKnownAnyMore) {
  grew({.count = 4, .status = kInvalidParameter, .pool_failed = 1, .calls = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Alloc020, ItCannotBeDestroyedAnyMore) {
  grew({.count = 4, .destroy_status = kInvalidParameter, .pool_failed = 1, .calls = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Alloc020, WhatFailsWithMemoryIsAnothersToJudge) {
  grew({.count = 4, .status = kInvalidParameter, .calls = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Alloc020, OtherCallsMayFailForTheScenariosReasons) {
  op(OpKind::FailPool);
  grew({.count = 4, .status = kInvalidParameter, .pool_failed = 1, .calls = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::alloc_020
