// Memory after special-lock transfers.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_017 {
namespace {

class Page017 : public PagingTest {
 protected:
  static constexpr std::uint32_t kSpecial = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;

  bool holds() { return TraceTest::holds("PAGE-017"); }
  std::uint32_t times_reached() { return TraceTest::times_reached("PAGE-017"); }
};

TEST_F(Page017, WhatWasSeenIsThere) {
  built(kSpecial, {.source_segment = 1});
  done(kSpecial);
  checked(kSpecial);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 1u);
}

TEST_F(Page017, SomethingElseIsThere) {
  built(kSpecial, {.source_segment = 1});
  done(kSpecial);
  differs(kSpecial);
  EXPECT_FALSE(holds());
}

TEST_F(Page017, SomethingElseComesBack) {
  built(kSpecial, {.source_segment = 1});
  done(kSpecial);
  checked(kSpecial);
  built(kSpecial, {.destination_segment = 1});
  done(kSpecial, 2);
  differs(kSpecial, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Page017, APartThatIsElsewhere) {
  built(kSpecial, {.source_segment = 1, .offset = 8192});
  done(kSpecial);
  differs(kSpecial);
  EXPECT_FALSE(holds());
}

TEST_F(Page017, DoneByTheCpuItIsJudgedAsWell) {
  built(kSpecial, {.source_segment = 1});
  done(kSpecial, kNone);
  differs(kSpecial, kNone);
  EXPECT_FALSE(holds());
}

TEST_F(Page017, ATransferIsAnothersMatter) {
  built(DXGK_OPERATION_TRANSFER, {.source_segment = 1});
  done(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Page017, OneThatFailedChangedNothingYet) {
  built(kSpecial, {.source_segment = 1}, {.status = 0xC00000BB});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
  EXPECT_FALSE(TraceTest::holds("PAGE-002"));
}

}  // namespace
}  // namespace wddm::page_017
