// Accesses to a place.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_018 {
namespace {

class Page018 : public PagingTest {
 protected:
  void read(const ev::PagingBuilt& call) { built(DXGK_OPERATION_READ_PHYSICAL, {}, call); }
  bool holds() { return TraceTest::holds("PAGE-018"); }
};

TEST_F(Page018, ACommandIsMade) {
  read({.used = 16});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-018"), 1u);
}

TEST_F(Page018, NoneIsMade) {
  read({});
  EXPECT_FALSE(holds());
}

TEST_F(Page018, ARestMayBeEmpty) {
  read({.multipass_in = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Page018, ACallThatFailsIsAnothersMatter) {
  read({.status = kInsufficient});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PAGE-018"), 0u);
}

TEST_F(Page018, OtherBytesChange) {
  built(DXGK_OPERATION_WRITE_PHYSICAL, {}, {.used = 16});
  done(DXGK_OPERATION_WRITE_PHYSICAL);
  differs(DXGK_OPERATION_WRITE_PHYSICAL);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::page_018
