// Walks that read a table of another level.
#include "conformance/rules/tests/space_test.h"

namespace wddm {
namespace {

class Mmu002 : public SpaceTest {
 protected:
  Mmu002() {
    root(1, 3, 0x1000);
    submitted(2);
    add(ev::WalksJudged{.walks = 3});
  }
};

TEST_F(Mmu002, WalksGoDownLevelByLevel) {
  EXPECT_TRUE(holds("MMU-002"));
  EXPECT_EQ(times_reached("MMU-002"), 1u);
}

TEST_F(Mmu002, ALevelIsLeftOut) {
  astray(2, AstrayWalk::OtherLevel);
  EXPECT_FALSE(holds("MMU-002"));
  EXPECT_TRUE(holds("MMU-007"));
}

TEST_F(Mmu002, OtherErrorsHaveClausesOfTheirOwn) {
  astray(2, AstrayWalk::FormerTable);
  EXPECT_TRUE(holds("MMU-002"));
}

using Mmu007 = Mmu002;

TEST_F(Mmu007, TheIndexIsCutElsewhere) {
  astray(2, AstrayWalk::OtherIndex);
  EXPECT_FALSE(holds("MMU-007"));
  EXPECT_TRUE(holds("MMU-002"));
}

TEST_F(Mmu007, WalksAreJudged) {
  EXPECT_TRUE(holds("MMU-007"));
  EXPECT_EQ(times_reached("MMU-007"), 1u);
}

}  // namespace
}  // namespace wddm
