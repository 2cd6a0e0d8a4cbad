// Operations in several buffers.
#include "conformance/rules/tests/paging_test.h"

namespace wddm {
namespace {

class Page003 : public PagingTest {
 protected:
  void gives_up(std::uint32_t given, std::uint32_t status = kInsufficient) {
    add(ev::SegmentsReported{.paging_bytes = 4096});
    built(DXGK_OPERATION_TRANSFER, {}, {.status = status, .given = given});
    add(ev::PagingDone{.operation = DXGK_OPERATION_TRANSFER, .passes = 9, .gave_up = 1});
  }
  bool holds() { return TraceTest::holds("PAGE-003"); }
};

TEST_F(Page003, TogetherTheyDoIt) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER, 1, 2);
  checked(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 1u);
}

TEST_F(Page003, TogetherTheyDoNot) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER, 1, 2);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds());
}

TEST_F(Page003, OneBufferIsAnothersMatter) {
  built(DXGK_OPERATION_TRANSFER);
  done(DXGK_OPERATION_TRANSFER);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-003"), 0u);
}

TEST_F(Page003, ABufferOfTheSizeAskedForIsEnough) {
  gives_up(4096);
  EXPECT_FALSE(holds());
}

TEST_F(Page003, ASmallerOneNeedNotBe) {
  gives_up(4095);
  EXPECT_TRUE(holds());
}

TEST_F(Page003, OtherFailuresAreAnothersMatter) {
  gives_up(4096, 0xC000000D);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm
