// When an update of a context allocation may return.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_012 {
namespace {

class Ctx012 : public TraceTest {
 protected:
  void carries_out(std::uint32_t bytes = 16, std::uint64_t passed = 1) {
    add(ev::ContextAllocationWritten{.passed = passed,
                                     .operation = DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION,
                                     .number = 2,
                                     .bytes = bytes});
  }
  void returns(std::uint32_t status = 0) {
    add(ev::ContextAllocationUpdated{.given = 1, .number = 2, .bytes = 16, .status = status});
  }
};

TEST_F(Ctx012, CarriedOutTwiceAndReturned) {
  carries_out();
  carries_out();
  returns();
  EXPECT_TRUE(holds("CTX-012"));
  EXPECT_EQ(times_reached("CTX-012"), 1u);
}

TEST_F(Ctx012, ReturnsFirst) {
  returns();
  carries_out();
  EXPECT_FALSE(holds("CTX-012"));
}

TEST_F(Ctx012, TheNextOneIsAnUpdateOfItsOwn) {
  carries_out();
  returns();
  returns();
  EXPECT_EQ(failures("CTX-012"), 1u);
}

TEST_F(Ctx012, OtherData) {
  carries_out(16, 0);
  returns();
  EXPECT_FALSE(holds("CTX-012"));
}

TEST_F(Ctx012, LessData) {
  carries_out(8);
  returns();
  EXPECT_FALSE(holds("CTX-012"));
}

TEST_F(Ctx012, WhatFailsSaysNothing) {
  returns(0xC0000001);
  EXPECT_TRUE(holds("CTX-012"));
  EXPECT_EQ(times_reached("CTX-012"), 0u);
}

}  // namespace
}  // namespace wddm::ctx_012
