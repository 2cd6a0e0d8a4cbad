// Handles of devices, contexts and context allocations.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_007 {
namespace {

constexpr std::uint32_t kNull = 0, kOwn = 1, kAnothers = 2, kDxgkrnls = 3;
constexpr std::uint32_t kRefused = 0xC000000D;

class Life007 : public TraceTest {
 protected:
  void device(std::uint32_t handle, std::uint32_t status = 0) {
    add(ev::DeviceCreated{.status = status, .handle = handle});
  }
  void context(std::uint32_t handle, std::uint32_t status = 0) {
    add(ev::ContextCreated{.status = status, .handle = handle});
  }
  bool holds() { return TraceTest::holds("LIFE-007"); }
};

TEST_F(Life007, HandlesOfTheirOwn) {
  device(kOwn);
  context(kOwn);
  context(kDxgkrnls);
  add(ev::ContextAllocationMade{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-007"), 4u);
}

TEST_F(Life007, NoneOrThatOfAnother) {
  device(kNull);
  device(kAnothers);
  context(kNull);
  context(kAnothers);
  EXPECT_EQ(failures("LIFE-007"), 4u);
}

TEST_F(Life007, WhatWasRefusedHasNone) {
  device(kNull, kRefused);
  context(kNull, kRefused);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("LIFE-007"), 0u);
}

TEST_F(Life007, ACallbackIsGivenAnotherHandle) {
  add(ev::ContextAllocationMade{.named = 1});
  add(ev::ContextAllocationMade{.named = 2});
  EXPECT_EQ(failures("LIFE-007"), 2u);
}

}  // namespace
}  // namespace wddm::life_007
