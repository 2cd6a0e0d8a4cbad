// Which operations begin in the middle of a paging buffer.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_004 {
namespace {

class Page004 : public PagingTest {
 protected:
  void begins_a_buffer(bool right) {
    built(DXGK_OPERATION_FILL, {.start = 0});
    done(DXGK_OPERATION_FILL, 7);
    checked(DXGK_OPERATION_FILL, 7);
    if (!right) differs(DXGK_OPERATION_FILL, 7);
  }
};

TEST_F(Page004, WhatIsWrongAtTheStartTooIsAnotherClauses) {
  begins_a_buffer(false);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds("PAGE-004"));
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

TEST_F(Page004, WhatNeverBeganABufferSaysNothing) {
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds("PAGE-004"));
}

TEST_F(Page004, BehindAnotherItDoesWhatItShould) {
  begins_a_buffer(true);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  checked(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds("PAGE-004"));
  EXPECT_EQ(times_reached("PAGE-004"), 1u);
}

TEST_F(Page004, BehindAnotherItDoesNot) {
  begins_a_buffer(true);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_FALSE(holds("PAGE-004"));
}

TEST_F(Page004, WithoutPoolItMayDoNothing) {
  begins_a_buffer(true);
  op(OpKind::FailPool);
  op(OpKind::PowerCycle);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds("PAGE-004"));
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

// Nor does what went wrong then at the start of a buffer speak for what comes later.
TEST_F(Page004, WithPoolAgainItIsJudged) {
  begins_a_buffer(true);
  op(OpKind::FailPool);
  op(OpKind::PowerCycle);
  begins_a_buffer(false);
  op(OpKind::PowerCycle);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_FALSE(holds("PAGE-004"));
}

TEST_F(Page004, AtTheStartItIsAnotherClauses) {
  built(DXGK_OPERATION_FILL, {.start = 0});
  done(DXGK_OPERATION_FILL);
  differs(DXGK_OPERATION_FILL);
  EXPECT_TRUE(holds("PAGE-004"));
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

TEST_F(Page004, AtALaterPageItIsAlignedAsAtTheStart) {
  begins_a_buffer(true);
  built(DXGK_OPERATION_FILL, {.start = 4096});
  done(DXGK_OPERATION_FILL);
  checked(DXGK_OPERATION_FILL);
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

TEST_F(Page004, BehindAMapDiffersWhatOthersWrote) {
  built(DXGK_OPERATION_MAP_APERTURE_SEGMENT, {.start = 0});
  done(DXGK_OPERATION_MAP_APERTURE_SEGMENT, 7);
  checked(DXGK_OPERATION_MAP_APERTURE_SEGMENT, 7);
  built(DXGK_OPERATION_MAP_APERTURE_SEGMENT, {.start = 48});
  done(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  differs(DXGK_OPERATION_MAP_APERTURE_SEGMENT);
  EXPECT_TRUE(holds("PAGE-004"));
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

TEST_F(Page004, WhatTheCpuDoesIsInNoBuffer) {
  begins_a_buffer(true);
  built(DXGK_OPERATION_FILL, {.start = 48});
  done(DXGK_OPERATION_FILL, kNone);
  checked(DXGK_OPERATION_FILL, kNone);
  EXPECT_EQ(times_reached("PAGE-004"), 0u);
}

}  // namespace
}  // namespace wddm::page_004
