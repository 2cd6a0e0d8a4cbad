// Roots of more than two levels, and what is asked of them.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::root_001 {
namespace {

class Root001 : public LevelsTest {
 protected:
  Root001() {
    platform_.page_table_levels = 3;
    caps(3);
    for (std::uint32_t i = 0; i < 3; ++i) level(i);
  }
  void root(std::uint32_t entries) { add(ev::RootSet{.context = 1, .entries = entries}); }
};

TEST_F(Root001, AllOfIt) {
  root(512);
  EXPECT_TRUE(holds("ROOT-001"));
  EXPECT_EQ(times_reached("ROOT-001"), 1u);
}

TEST_F(Root001, HalfOfIt) {
  root(256);
  EXPECT_FALSE(holds("ROOT-001"));
}

class Root001SmallSpace : public LevelsTest {
 protected:
  Root001SmallSpace() {
    platform_.page_table_levels = 3;
    caps(3, 38);
    for (std::uint32_t i = 0; i < 3; ++i) level(i);
  }
};

TEST_F(Root001SmallSpace, AllThatTheSpaceHas) {
  add(ev::RootSet{.context = 1, .entries = 256});
  EXPECT_TRUE(holds("ROOT-001"));
  EXPECT_EQ(times_reached("ROOT-001"), 1u);
}

TEST_F(Root001SmallSpace, AllThatTheTableHas) {
  add(ev::RootSet{.context = 1, .entries = 512});
  EXPECT_FALSE(holds("ROOT-001"));
}

TEST_F(Root001, ItsSizeIsAskedFor) {
  add(ev::RootSizeReported{.bytes = 4096, .asked = 1, .answered = 512});
  EXPECT_FALSE(holds("ROOT-001"));
}

TEST_F(Root001, OfTwoLevelsBothMayBe) {
  platform_.page_table_levels = 2;
  root(256);
  add(ev::RootSizeReported{.bytes = 4096, .asked = 1, .answered = 512});
  EXPECT_TRUE(holds("ROOT-001"));
  EXPECT_EQ(times_reached("ROOT-001"), 0u);
}

}  // namespace
}  // namespace wddm::root_001
