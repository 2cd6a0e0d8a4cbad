// How Presents of several DMA buffers go on.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::present_002 {
namespace {

constexpr std::uint32_t kIncomplete = 0xC01E0001;

class Present002 : public TraceTest {
 protected:
  Present002() { add(ev::PresentAsked{.render = 3}); }
  void called(std::uint32_t pass, std::uint32_t status, std::uint32_t from, std::uint32_t to) {
    add(ev::Rendered{
        .render = 3, .status = status, .multipass_in = from, .multipass_out = to, .pass = pass});
  }
  bool holds() { return TraceTest::holds("PRESENT-002"); }
};

TEST_F(Present002, GoesOnUntilItIsDone) {
  called(0, kIncomplete, 0, 40);
  called(1, kIncomplete, 40, 80);
  called(2, 0, 80, 90);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PRESENT-002"), 2u);
}

TEST_F(Present002, WhatEndsAtOnceSaysNothing) {
  called(0, 0, 0, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PRESENT-002"), 0u);
}

TEST_F(Present002, NobodyKnowsHowFarItHasCome) {
  called(0, kIncomplete, 0, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Present002, AnotherCallIsRefused) {
  called(0, kIncomplete, 0, 40);
  called(1, static_cast<std::uint32_t>(STATUS_ILLEGAL_INSTRUCTION), 40, 40);
  EXPECT_FALSE(holds());
}

TEST_F(Present002, MemoryMayBeShortMeanwhile) {
  called(0, kIncomplete, 0, 40);
  called(1, static_cast<std::uint32_t>(STATUS_NO_MEMORY), 40, 40);
  EXPECT_TRUE(holds());
}

TEST_F(Present002, CallsMayFailOnPurpose) {
  op(OpKind::FailPool);
  called(0, kIncomplete, 0, 40);
  called(1, static_cast<std::uint32_t>(STATUS_ILLEGAL_INSTRUCTION), 40, 40);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::present_002
