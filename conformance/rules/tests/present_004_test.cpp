// What Present returns, and for what.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::present_004 {
namespace {

class Present004 : public TraceTest {
 protected:
  bool returns(NTSTATUS status, std::uint32_t source = 2, std::uint32_t context = 0,
               std::uint32_t rects = 2) {
    add(ev::PresentAsked{.render = ++render_,
                         .context = context,
                         .destination = 1,
                         .source = source,
                         .rects = rects});
    add(ev::Rendered{.render = render_, .status = static_cast<std::uint32_t>(status)});
    return holds("PRESENT-004");
  }

 private:
  std::uint32_t render_ = 0;
};

TEST_F(Present004, WhatThePageNames) {
  EXPECT_TRUE(returns(STATUS_SUCCESS));
  EXPECT_TRUE(returns(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER));
  EXPECT_TRUE(returns(STATUS_NO_MEMORY));
  EXPECT_TRUE(returns(STATUS_INSUFFICIENT_RESOURCES));
  EXPECT_EQ(times_reached("PRESENT-004"), 4u);
}

TEST_F(Present004, AnyOther) {
  EXPECT_FALSE(returns(STATUS_UNSUCCESSFUL));
}

TEST_F(Present004, SurfacesThatAreOpenHaveHandlesAndOneFormat) {
  EXPECT_FALSE(returns(STATUS_INVALID_HANDLE));
  EXPECT_FALSE(returns(STATUS_GRAPHICS_CANNOTCOLORCONVERT));
}

TEST_F(Present004, ThereIsMemoryForOneRectangle) {
  EXPECT_TRUE(returns(STATUS_NO_MEMORY, 2, 0, 9));
  EXPECT_FALSE(returns(STATUS_NO_MEMORY, 2, 0, 1));
}

TEST_F(Present004, WhereCallsFailTheyMayNotBeFound) {
  op(OpKind::FailCallback);
  EXPECT_TRUE(returns(STATUS_INVALID_HANDLE));
}

TEST_F(Present004, WhatHardwareCannotDoItCannotDoAnywhere) {
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION));
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION));
}

TEST_F(Present004, WhatItDoesAtOnePlaceItDoesAtAnother) {
  EXPECT_TRUE(returns(STATUS_SUCCESS));
  EXPECT_FALSE(returns(STATUS_ILLEGAL_INSTRUCTION));
}

TEST_F(Present004, InWhateverOrder) {
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION));
  EXPECT_FALSE(returns(STATUS_SUCCESS));
}

TEST_F(Present004, AnotherEngineMayBeOtherwise) {
  add(ev::ContextCreated{.context = 0, .node = 0});
  add(ev::ContextCreated{.context = 1, .node = 1});
  add(ev::ContextCreated{.context = 2, .node = 1});
  EXPECT_TRUE(returns(STATUS_SUCCESS, 2, 0));
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION, 2, 1));
  EXPECT_FALSE(returns(STATUS_SUCCESS, 2, 2));
}

TEST_F(Present004, OtherSurfacesMayBeOtherwise) {
  EXPECT_TRUE(returns(STATUS_SUCCESS));
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION, 3));
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION, kNone));
}

TEST_F(Present004, SoMayAnotherInTheSameSlot) {
  EXPECT_TRUE(returns(STATUS_SUCCESS));
  add(ev::AllocationCreated{.allocation = 2});
  EXPECT_TRUE(returns(STATUS_ILLEGAL_INSTRUCTION));
}

}  // namespace
}  // namespace wddm::present_004
