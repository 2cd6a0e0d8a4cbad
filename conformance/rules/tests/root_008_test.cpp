// The first packet behind a root that has shrunk.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_008 {
namespace {

class Root008 : public SpaceTest {
 protected:
  void shrinks() {
    root(1, 3, 0x1000, 16);
    root(1, 3, 0x9000, 8);
    submitted(2);
  }
  bool holds() { return TraceTest::holds("ROOT-008"); }
};

TEST_F(Root008, WhatIsMappedIsFound) {
  shrinks();
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-008"), 1u);
}

TEST_F(Root008, MemoryDiffers) {
  shrinks();
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Root008, WhatIsMappedFaults) {
  shrinks();
  faulted(2, 1ull << 21);
  EXPECT_FALSE(holds());
}

TEST_F(Root008, TheRootIsReadAtAnotherIndex) {
  shrinks();
  astray(2, AstrayWalk::OtherIndex);
  EXPECT_FALSE(holds());
}

TEST_F(Root008, TablesBelowAreAnothersMatter) {
  shrinks();
  astray(2, AstrayWalk::FormerTable, kLeaf);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-008"), 0u);
}

TEST_F(Root008, AnotherContextInTheSlotBeginsWithItsOwnRoot) {
  root(1, 3, 0x1000, 16);
  add(ev::ContextCreated{.context = 1});
  root(1, 4, 0x9000, 8);
  submitted(2);
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-008"), 0u);
}

TEST_F(Root008, PacketsFromBeforeKnowTheLargerRoot) {
  root(1, 3, 0x1000, 16);
  submitted(2);
  root(1, 3, 0x9000, 8);
  differs(2);
  EXPECT_TRUE(holds());
}

TEST_F(Root008, ARootThatGrowsIsAnothersMatter) {
  root(1, 3, 0x1000, 8);
  root(1, 3, 0x9000, 16);
  submitted(2);
  differs(2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_008
