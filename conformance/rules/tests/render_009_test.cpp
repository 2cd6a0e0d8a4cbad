// Statuses of Render, documented and not.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/op.h"

namespace wddm::render_009 {
namespace {

class Render009 : public TraceTest {
 protected:
  bool may_return(NTSTATUS status) {
    add(ev::Rendered{.status = static_cast<std::uint32_t>(status)});
    return holds("RENDER-009");
  }
};

TEST_F(Render009, WhatThePageNames) {
  EXPECT_TRUE(may_return(STATUS_SUCCESS));
  EXPECT_TRUE(may_return(STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER));
  EXPECT_TRUE(may_return(STATUS_PRIVILEGED_INSTRUCTION));
  EXPECT_TRUE(may_return(STATUS_GRAPHICS_GPU_EXCEPTION_ON_DEVICE));
  EXPECT_EQ(times_reached("RENDER-009"), 4u);
}

TEST_F(Render009, AnExceptionAsItWasRaised) {
  EXPECT_FALSE(may_return(STATUS_ACCESS_VIOLATION));
}

TEST_F(Render009, MemoryThatTheFirstBufferLacks) {
  EXPECT_FALSE(may_return(STATUS_NO_MEMORY));
}

TEST_F(Render009, OneThatUserModeHasAltered) {
  add(ev::Rendered{.status = static_cast<std::uint32_t>(STATUS_NO_MEMORY), .hostile = 1});
  EXPECT_TRUE(holds("RENDER-009"));
}

TEST_F(Render009, EarlierBuffersMayHoldWhatIsThere) {
  EXPECT_TRUE(may_return(STATUS_SUCCESS));
  EXPECT_TRUE(may_return(STATUS_NO_MEMORY));
}

TEST_F(Render009, AllocationsMayFailOnPurpose) {
  op(OpKind::FailPool);
  EXPECT_TRUE(may_return(STATUS_NO_MEMORY));
}

TEST_F(Render009, OtherOpsTakeNothing) {
  op(OpKind::CreateContext);
  EXPECT_FALSE(may_return(STATUS_NO_MEMORY));
}

TEST_F(Render009, ASuccessOfAnotherKind) {
  EXPECT_FALSE(may_return(STATUS_PENDING));
}

}  // namespace
}  // namespace wddm::render_009
