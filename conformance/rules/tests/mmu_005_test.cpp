// Bits of addresses and of levels.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::mmu_005 {
namespace {

class Mmu005 : public LevelsTest {
 protected:
  bool holds() { return TraceTest::holds("MMU-005"); }
};

TEST_F(Mmu005, FourLevelsMakeAllBits) {
  caps(4, 48);
  for (std::uint32_t i = 0; i < 4; ++i) level(i);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-005"), 1u);
}

// As the larger GPU of a link does.
TEST_F(Mmu005, TheSpaceMayBeSmallerThanFourLevelsMakeIt) {
  caps(4, 40);
  for (std::uint32_t i = 0; i < 4; ++i) level(i);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-005"), 1u);
}

TEST_F(Mmu005, ButTheRootHasABitOfIt) {
  caps(4, 39);
  for (std::uint32_t i = 0; i < 4; ++i) level(i);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu005, FourLevelsMakeOneLess) {
  caps(4, 49);
  for (std::uint32_t i = 0; i < 4; ++i) level(i);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu005, OfTwoLevelsTheRootHasTheRest) {
  caps(2, 40);
  level(0);
  level(1, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu005, OfTwoLevelsNothingIsLeftForTheRoot) {
  caps(2, 21);
  level(0);
  level(1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu005, MoreBitsThanAnAddressMayHave) {
  caps(2, 64);
  level(0);
  level(1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu005, EachGpuOfALinkIsJudged) {
  for (gpu = 0; gpu < 2; ++gpu) {
    caps(4, gpu == 0 ? 48 : 49);
    for (std::uint32_t i = 0; i < 4; ++i) level(i);
  }
  EXPECT_FALSE(holds());
  EXPECT_EQ(times_reached("MMU-005"), 3u);  // a failure counts as well
}

TEST_F(Mmu005, LevelsThatWereNotDescribedAreAnothersMatter) {
  caps(4, 47);
  level(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-005"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_005
