// Several contexts of a process whose root is replaced.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_009 {
namespace {

class Root009 : public SpaceTest {
 protected:
  Root009() {
    root(1, 3, 0x1000);
    root(2, 3, 0x1000);
  }
  void replaced() {
    root(1, 3, 0x9000);
    root(2, 3, 0x9000);
  }
  bool holds() { return TraceTest::holds("ROOT-009"); }
};

TEST_F(Root009, BothRunWithTheNewOne) {
  replaced();
  submitted(4, 1);
  submitted(5, 2);
  right(4);
  right(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-009"), 2u);
}

TEST_F(Root009, OneGoesOnWithTheOldOne) {
  replaced();
  submitted(5, 2);
  astray(5, AstrayWalk::FormerTable);
  EXPECT_FALSE(holds());
}

TEST_F(Root009, OneFindsNoTable) {
  replaced();
  submitted(5, 2);
  astray(5, AstrayWalk::NoTable);
  EXPECT_FALSE(holds());
}

TEST_F(Root009, MemoryOfOneDiffers) {
  replaced();
  submitted(5, 2);
  differs(5);
  EXPECT_FALSE(holds());
}

TEST_F(Root009, PacketsFromBeforeKnowTheOldOne) {
  submitted(5, 2);
  replaced();
  differs(5);
  EXPECT_TRUE(holds());
}

TEST_F(Root009, TheSameRootAgainIsNoNewOne) {
  root(2, 3, 0x1000);
  submitted(5, 2);
  differs(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-009"), 0u);
}

TEST_F(Root009, AnotherContextInTheSlotBeginsWithItsOwnRoot) {
  add(ev::ContextCreated{.context = 2});
  root(2, 3, 0x9000);
  submitted(5, 2);
  right(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-009"), 0u);
}

TEST_F(Root009, OneThatIsDestroyedLeavesTheOtherAlone) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyContext), .object = 1});
  root(2, 3, 0x9000);
  submitted(5, 2);
  right(5);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-009"), 0u);
}

TEST_F(Root009, TheSlotOfADestroyedOneMayHaveAnother) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyContext), .object = 1});
  add(ev::ContextCreated{.context = 1});
  root(1, 3, 0x1000);
  replaced();
  submitted(5, 2);
  differs(5);
  EXPECT_FALSE(holds());
}

TEST_F(Root009, AProcessWithOneContextIsAnothersMatter) {
  root(7, 6, 0x3000);
  root(7, 6, 0x5000);
  submitted(5, 7);
  differs(5);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_009
