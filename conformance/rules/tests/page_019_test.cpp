// Paging buffers that Patch was not called for.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_019 {
namespace {

class Page019 : public PagingTest {
 protected:
  void operation(std::uint32_t packet, std::uint32_t patched) {
    built(DXGK_OPERATION_TRANSFER);
    done(DXGK_OPERATION_TRANSFER, packet, 1, patched);
  }
  bool holds() { return TraceTest::holds("PAGE-019"); }
};

TEST_F(Page019, ItDoesItsWork) {
  operation(1, 0);
  checked(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-019"), 1u);
}

TEST_F(Page019, ItDoesNot) {
  operation(1, 0);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds());
}

TEST_F(Page019, OneThatWasPatchedIsAnothersMatter) {
  operation(1, 1);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
}

TEST_F(Page019, WhatTheCpuDidHasNoBuffer) {
  operation(kNone, 0);
  differs(DXGK_OPERATION_TRANSFER, kNone);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-019"), 0u);
}

}  // namespace
}  // namespace wddm::page_019
