// The first packet behind a root that has grown.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_007 {
namespace {

class Root007 : public SpaceTest {
 protected:
  void grows() {
    root(1, 3, 0x1000, 8);
    root(1, 3, 0x9000, 16);
    submitted(2);
  }
  bool holds() { return TraceTest::holds("ROOT-007"); }
};

TEST_F(Root007, AllIsFound) {
  grows();
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-007"), 1u);
}

TEST_F(Root007, MemoryDiffers) {
  grows();
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Root007, TheOldRootIsRead) {
  grows();
  astray(2, AstrayWalk::FormerTable);
  EXPECT_FALSE(holds());
}

TEST_F(Root007, AnAddressThatIsNewFaults) {
  grows();
  faulted(2, 9ull << 21);
  EXPECT_FALSE(holds());
}

TEST_F(Root007, AnOldAddressOrOneBehindBothIsAnothersMatter) {
  grows();
  faulted(2, 1ull << 21);
  submitted(3);
  faulted(3, 20ull << 21);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-007"), 0u);
}

TEST_F(Root007, PacketsFromBeforeKnowTheSmallerRoot) {
  root(1, 3, 0x1000, 8);
  submitted(2);
  root(1, 3, 0x9000, 16);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Root007, AnotherContextInTheSlotBeginsWithItsOwnRoot) {
  root(1, 3, 0x1000, 8);
  add(ev::ContextCreated{.context = 1});
  root(1, 4, 0x9000, 16);
  submitted(2);
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-007"), 0u);
}

TEST_F(Root007, TheFirstRootOfAContextHasNotGrown) {
  root(1, 3, 0x1000, 8);
  submitted(2);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Root007, OnlyTheFirstPacketIsJudged) {
  grows();
  right(2);
  submitted(3);
  differs(3);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_007
