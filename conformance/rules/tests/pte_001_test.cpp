// Entries that lead elsewhere: in segments, and in system memory (PTE-006).
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pte_001 {
namespace {

using Pte001 = TablesTest;

TEST_F(Pte001, ItLeadsToItsPage) {
  one({.address = 0x5000, .flags = kValid}, {.address = 0x5000, .flags = kValid});
  EXPECT_TRUE(holds("PTE-001"));
  EXPECT_EQ(times_reached("PTE-001"), 1u);
}

TEST_F(Pte001, ItLeadsToAnotherPage) {
  one({.address = 0x5000, .flags = kValid}, {.address = 0x6000, .flags = kValid});
  EXPECT_FALSE(holds("PTE-001"));
}

TEST_F(Pte001, ItLeadsNowhere) {
  one({.address = 0x5000, .flags = kValid}, {});
  EXPECT_FALSE(holds("PTE-001"));
}

TEST_F(Pte001, ItLeadsToSystemMemory) {
  one({.address = 0x5000, .flags = kValid}, {.address = 0x5000, .flags = kValid | kSystem});
  EXPECT_FALSE(holds("PTE-001"));
}

TEST_F(Pte001, ThatItIsReadOnlyIsAnothersMatter) {
  one({.address = 0x5000, .flags = kValid}, {.address = 0x5000, .flags = kValid | kReadOnly});
  EXPECT_TRUE(holds("PTE-001"));
}

TEST_F(Pte001, ThatItFollowsTheFirstIsAnothersMatter) {
  const EntryRecord second{.address = 0x9000, .flags = kValid};
  carried_out({{.address = 0x5000, .flags = kValid}, second},
              {{.expected = second, .seen = {.address = 0x6000, .flags = kValid}, .index = 1}});
  EXPECT_TRUE(holds("PTE-001"));
  EXPECT_FALSE(holds("PT-014"));
}

TEST_F(Pte001, SystemMemoryAndInvalidEntriesAreAnothersMatter) {
  one({.address = 0x5000, .flags = kValid | kSystem}, {});
  one({}, {.address = 0x5000, .flags = kValid});
  EXPECT_TRUE(holds("PTE-001"));
  EXPECT_EQ(times_reached("PTE-001"), 0u);
}

TEST_F(Pte001, WhatCannotBeReadShowsNothing) {
  add(ev::TableUpdated{.count = 1}, std::vector<EntryRecord>{{.address = 1, .flags = kValid}});
  add(ev::TableCompared{.update = 0, .wrong = 1});
  EXPECT_EQ(times_reached("PTE-001"), 0u);
}

using Pte006 = TablesTest;

TEST_F(Pte006, ItLeadsToItsPage) {
  one({.address = 0x5000, .flags = kValid | kSystem},
      {.address = 0x5000, .flags = kValid | kSystem});
  EXPECT_TRUE(holds("PTE-006"));
  EXPECT_EQ(times_reached("PTE-006"), 1u);
}

TEST_F(Pte006, ItLeadsToASegment) {
  one({.address = 0x5000, .flags = kValid | kSystem}, {.address = 0x5000, .flags = kValid});
  EXPECT_FALSE(holds("PTE-006"));
}

TEST_F(Pte006, SegmentsAreAnothersMatter) {
  one({.address = 0x5000, .flags = kValid}, {});
  EXPECT_TRUE(holds("PTE-006"));
  EXPECT_EQ(times_reached("PTE-006"), 0u);
}

}  // namespace
}  // namespace wddm::pte_001
