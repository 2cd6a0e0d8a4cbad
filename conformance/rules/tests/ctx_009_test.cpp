// How often a context allocation is initialized.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_009 {
namespace {

class Ctx009 : public TraceTest {
 protected:
  void initializes(std::uint32_t number, std::uint32_t status = 0) {
    add(ev::ContextAllocationWritten{
        .operation = DXGK_OPERATION_INIT_CONTEXT_RESOURCE, .number = number, .status = status});
  }
};

TEST_F(Ctx009, OnceForEach) {
  initializes(0);
  initializes(1);
  add(ev::ContextAllocationMoved{.number = 0});
  EXPECT_TRUE(holds("CTX-009"));
  EXPECT_EQ(times_reached("CTX-009"), 2u);
}

TEST_F(Ctx009, AgainAfterAMove) {
  initializes(0);
  add(ev::ContextAllocationMoved{.number = 0});
  initializes(0);
  EXPECT_FALSE(holds("CTX-009"));
}

TEST_F(Ctx009, TheNumberMayBeOfAnother) {
  initializes(0);
  add(ev::ContextAllocationMade{.number = 0});
  initializes(0);
  EXPECT_TRUE(holds("CTX-009"));
}

TEST_F(Ctx009, WhatWasRefusedMayBeAskedAgain) {
  initializes(0, 0xC0000001);
  initializes(0);
  EXPECT_TRUE(holds("CTX-009"));
}

TEST_F(Ctx009, AResetLosesContents) {
  initializes(0);
  add(ev::AdapterReset{});
  initializes(0);
  EXPECT_TRUE(holds("CTX-009"));
}

}  // namespace
}  // namespace wddm::ctx_009
