// Leaf tables of 64 KB pages, and the entries that lead to them.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pgsz_007 {
namespace {

constexpr std::uint32_t kLeaf64K = entry_flag::kLeaf64K;

class Pgsz007 : public TablesTest {
 protected:
  static constexpr EntryRecord kPage{.address = 0x30000, .flags = kValid};
};

TEST_F(Pgsz007, AsAsked) {
  one(kPage, kPage, {.flags = kUse64KBPages});
  EXPECT_TRUE(holds("PGSZ-007"));
  EXPECT_EQ(times_reached("PGSZ-007"), 1u);
}

TEST_F(Pgsz007, Another) {
  one(kPage, {}, {.flags = kUse64KBPages});
  EXPECT_FALSE(holds("PGSZ-007"));
}

TEST_F(Pgsz007, WhatAccessesAreLikeIsOthersMatter) {
  one({.address = 0x30000, .flags = kValid | kReadOnly}, kPage, {.flags = kUse64KBPages});
  one({.flags = kValid | kZero}, {.flags = kValid}, {.flags = kUse64KBPages});
  EXPECT_TRUE(holds("PGSZ-007"));
  EXPECT_EQ(times_reached("PGSZ-007"), 2u);
}

TEST_F(Pgsz007, LeavesOf4KBPagesAreOthersMatter) {
  one(kPage, {});
  EXPECT_TRUE(holds("PGSZ-007"));
  EXPECT_EQ(times_reached("PGSZ-007"), 0u);
}

class Pgsz008 : public TablesTest {
 protected:
  static constexpr EntryRecord kTo64K{.address = 0x3000, .flags = kValid | kLeaf64K};
  static constexpr EntryRecord kTo4K{.address = 0x3000, .flags = kValid};
  static constexpr ev::TableUpdated kAbove{.level = 1};
};

TEST_F(Pgsz008, AsTheLastUpdateSays) {
  one(kTo64K, kTo64K, kAbove);
  one(kTo4K, kTo4K, kAbove);
  EXPECT_TRUE(holds("PGSZ-008"));
  EXPECT_EQ(times_reached("PGSZ-008"), 2u);
}

TEST_F(Pgsz008, AsBefore) {
  one(kTo4K, kTo64K, kAbove);
  EXPECT_FALSE(holds("PGSZ-008"));
}

TEST_F(Pgsz008, AnotherTableIsAnothersMatter) {
  one(kTo4K, {.address = 0x5000, .flags = kValid}, kAbove);
  EXPECT_TRUE(holds("PGSZ-008"));
}

TEST_F(Pgsz008, AnInvalidEntryLeadsToNoLeaf) {
  one({}, {}, kAbove);
  EXPECT_TRUE(holds("PGSZ-008"));
  EXPECT_EQ(times_reached("PGSZ-008"), 0u);
}

class Pgsz009 : public TablesTest {
 protected:
  void pair(bool wrong, std::uint32_t second, std::uint32_t level = 1) {
    std::vector<EntryDifference> seen;
    if (wrong) seen.push_back({.expected = {.flags = kValid}, .seen = {}, .second = second});
    carried_out({{.flags = kValid}}, seen, {.level = level});
  }
};

TEST_F(Pgsz009, Both) {
  pair(false, 0);
  EXPECT_TRUE(holds("PGSZ-009"));
  EXPECT_EQ(times_reached("PGSZ-009"), 1u);
}

TEST_F(Pgsz009, TheSecondIsLeftOut) {
  pair(true, 1);
  EXPECT_FALSE(holds("PGSZ-009"));
}

TEST_F(Pgsz009, TheFirstIsAnothersMatter) {
  pair(true, 0);
  EXPECT_TRUE(holds("PGSZ-009"));
}

TEST_F(Pgsz009, OtherLevelsHaveNoPairs) {
  pair(false, 0, 2);
  EXPECT_EQ(times_reached("PGSZ-009"), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_007
