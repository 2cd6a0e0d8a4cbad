// Entries above the leaf that lead to large pages, and what packets that use them come to.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pte_007 {
namespace {

class Pte007 : public TablesTest {
 protected:
  static constexpr EntryRecord kPage{.address = 0x200000, .flags = kValid | kLargePage};

  Pte007() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void large_page() { one(kPage, kPage, {.process = 3, .level = 1}); }
  void draws(std::uint32_t context) {
    add(ev::Submitted{.packet = 9, .render = 7, .fence = 9, .context = context});
  }
  void walks(AstrayWalk why) {
    add(ev::WalkAstray{.fence = 9, .why = static_cast<std::uint32_t>(why)});
  }
  bool holds() { return TraceTest::holds("PTE-007"); }
};

TEST_F(Pte007, AsAsked) {
  large_page();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PTE-007"), 1u);
}

TEST_F(Pte007, AnotherPage) {
  one(kPage, {.address = 0x400000, .flags = kValid | kLargePage}, {.process = 3, .level = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Pte007, ATableThere) {
  one(kPage, {.address = 0x200000, .flags = kValid}, {.process = 3, .level = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Pte007, AtAHigherLevelToo) {
  one(kPage, {}, {.process = 3, .level = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Pte007, WhatLeadsToATableIsAnothersMatter) {
  const EntryRecord table{.address = 0x200000, .flags = kValid};
  one(table, kPage, {.process = 3, .level = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PTE-007"), 0u);
}

TEST_F(Pte007, ItIsReadAsATable) {
  large_page();
  draws(1);
  walks(AstrayWalk::NoTable);
  EXPECT_FALSE(holds());
}

TEST_F(Pte007, OtherWalksAreAnothersMatter) {
  large_page();
  draws(1);
  walks(AstrayWalk::OtherSpace);
  EXPECT_TRUE(holds());
}

TEST_F(Pte007, ItsBytesLieElsewhere) {
  large_page();
  draws(1);
  add(ev::MemoryDiffers{.cause_object = 9});
  EXPECT_FALSE(holds());
}

TEST_F(Pte007, AProcessWithoutSuchIsAnothersMatter) {
  large_page();
  draws(2);
  add(ev::MemoryDiffers{.cause_object = 9});
  EXPECT_TRUE(holds());
}

TEST_F(Pte007, SoIsWhatWasSubmittedBefore) {
  draws(1);
  large_page();
  add(ev::MemoryDiffers{.cause_object = 9});
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pte_007
