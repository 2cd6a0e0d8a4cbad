// Which transfers are of several calls with TransferStart.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_008 {
namespace {

class Page008 : public PagingTest {
 protected:
  static constexpr std::uint32_t kStart = 8, kEnd = 16;
  void transfer(std::uint32_t flags, std::uint32_t passes) {
    built(DXGK_OPERATION_TRANSFER, {.flags = flags});
    done(DXGK_OPERATION_TRANSFER, 1, passes);
  }
};

TEST_F(Page008, AllOfItInSeveralCalls) {
  transfer(kStart | kEnd, 3);
  checked(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds("PAGE-008"));
  EXPECT_EQ(times_reached("PAGE-008"), 1u);
}

TEST_F(Page008, TheRestIsMissing) {
  transfer(kStart, 3);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_FALSE(holds("PAGE-008"));
}

TEST_F(Page008, OneCallSaysNothing) {
  transfer(kStart | kEnd, 1);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds("PAGE-008"));
  EXPECT_EQ(times_reached("PAGE-008"), 0u);
}

TEST_F(Page008, NorALaterPart) {
  transfer(kEnd, 3);
  differs(DXGK_OPERATION_TRANSFER);
  EXPECT_TRUE(holds("PAGE-008"));
}

}  // namespace
}  // namespace wddm::page_008
