// Memory after the parts of a Transfer.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_006 {
namespace {

class Page006Parts : public PagingTest {
 protected:
  static constexpr std::uint32_t kTransfer = DXGK_OPERATION_TRANSFER;

  bool holds() { return TraceTest::holds("PAGE-006"); }
  std::uint32_t times_reached() { return TraceTest::times_reached("PAGE-006"); }
};

TEST_F(Page006Parts, APartIsWhereItsOffsetsLead) {
  built(kTransfer, {.source_segment = 1, .offset = 8192, .mdl_offset = 1});
  done(kTransfer);
  checked(kTransfer);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 1u);
}

TEST_F(Page006Parts, APartIsElsewhere) {
  built(kTransfer, {.source_segment = 1, .offset = 8192, .mdl_offset = 1});
  done(kTransfer);
  differs(kTransfer);
  EXPECT_FALSE(holds());
}

TEST_F(Page006Parts, WhatBeginsTheAllocationIsOthersMatter) {
  built(kTransfer, {.source_segment = 1});
  done(kTransfer);
  differs(kTransfer);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

}  // namespace
}  // namespace wddm::page_006
