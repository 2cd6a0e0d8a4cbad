// Accesses behind the last entry of a root.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_011 {
namespace {

class Root011 : public SpaceTest {
 protected:
  Root011() { root(1, 3, 0x1000, 8); }
  bool holds() { return TraceTest::holds("ROOT-011"); }
};

TEST_F(Root011, AnAccessBehindItFaults) {
  submitted(2);
  faulted(2, 8ull << 21);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-011"), 1u);
}

TEST_F(Root011, AnEntryBehindItIsRead) {
  submitted(2);
  astray(2, AstrayWalk::BehindRoot, kRoot, 8ull << 21);
  EXPECT_FALSE(holds());
}

TEST_F(Root011, TheLastEntryIsRead) {
  submitted(2);
  astray(2, AstrayWalk::FormerTable, kRoot, 7ull << 21);
  EXPECT_TRUE(holds());
}

TEST_F(Root011, AFaultBelowTheLimitShowsNothing) {
  submitted(2);
  faulted(2, 7ull << 21);
  EXPECT_EQ(times_reached("ROOT-011"), 0u);
}

TEST_F(Root011, ASmallerRootAtTheSamePlaceHasItsOwnLimit) {
  root(1, 3, 0x1000, 4);
  submitted(2);
  astray(2, AstrayWalk::BehindRoot, kRoot, 7ull << 21);
  EXPECT_FALSE(holds());
}

TEST_F(Root011, ALargerRootAtTheSamePlaceHasItsOwnLimit) {
  root(1, 3, 0x1000, 16);
  submitted(2);
  astray(2, AstrayWalk::FormerTable, kRoot, 9ull << 21);
  EXPECT_TRUE(holds());
  astray(2, AstrayWalk::BehindRoot, kRoot, 16ull << 21);
  EXPECT_FALSE(holds());
}

TEST_F(Root011, ThePacketHasTheLimitThatItWasSubmittedWith) {
  root(1, 3, 0x9000, 16);
  submitted(2);
  root(1, 3, 0x1000, 8);
  astray(2, AstrayWalk::FormerTable, kRoot, 9ull << 21);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_011
