// Protection and coherence of entries (PTE-005), and DriverProtection (PTE-008).
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pte_004 {
namespace {

using Pte004 = TablesTest;

TEST_F(Pte004, AsAskedFor) {
  const EntryRecord wanted{.address = 0x5000, .flags = kValid | kReadOnly};
  one(wanted, wanted);
  EXPECT_TRUE(holds("PTE-004"));
  EXPECT_EQ(times_reached("PTE-004"), 1u);
}

TEST_F(Pte004, MoreOrLess) {
  one({.address = 0x5000, .flags = kValid | kReadOnly}, {.address = 0x5000, .flags = kValid});
  one({.address = 0x5000, .flags = kValid}, {.address = 0x5000, .flags = kValid | kNoExecute});
  EXPECT_EQ(failures("PTE-004"), 2u);
}

TEST_F(Pte004, EntriesThatLeadNowhereAreAnothersMatter) {
  one({.address = 0x5000, .flags = kValid | kReadOnly}, {});
  EXPECT_TRUE(holds("PTE-004"));
}

TEST_F(Pte004, LevelsAboveTheLeafHaveNone) {
  one({.address = 0x5000, .flags = kValid | kReadOnly}, {.address = 0x5000, .flags = kValid},
      {.level = 1});
  EXPECT_TRUE(holds("PTE-004"));
  EXPECT_EQ(times_reached("PTE-004"), 0u);
}

using Pte005 = TablesTest;

TEST_F(Pte005, AsAskedFor) {
  const EntryRecord wanted{.address = 0x5000, .flags = kValid | kSystem | kCacheCoherent};
  one(wanted, wanted);
  EXPECT_TRUE(holds("PTE-005"));
  EXPECT_EQ(times_reached("PTE-005"), 1u);
}

TEST_F(Pte005, ItDoesNotSnoop) {
  one({.address = 0x5000, .flags = kValid | kSystem | kCacheCoherent},
      {.address = 0x5000, .flags = kValid | kSystem});
  EXPECT_FALSE(holds("PTE-005"));
}

TEST_F(Pte005, MemoryOfTheGpuIsNotJudged) {
  one({.address = 0x5000, .flags = kValid | kCacheCoherent}, {.address = 0x5000, .flags = kValid});
  EXPECT_TRUE(holds("PTE-005"));
  EXPECT_EQ(times_reached("PTE-005"), 0u);
}

using Pte008 = TablesTest;

TEST_F(Pte008, NoBitThatWasNotAskedFor) {
  const EntryRecord wanted{.address = 0x5000, .driver_protection = 5, .flags = kValid};
  one(wanted, {.address = 0x5000, .driver_protection = 4, .flags = kValid});
  EXPECT_TRUE(holds("PTE-008"));
  EXPECT_EQ(times_reached("PTE-008"), 1u);
  one(wanted, {.address = 0x5000, .driver_protection = 7, .flags = kValid});
  EXPECT_FALSE(holds("PTE-008"));
}

TEST_F(Pte008, BitsThatItHadBefore) {
  const EntryRecord here{.address = 0x5000, .driver_protection = 5, .flags = kValid};
  const EntryRecord there{.address = 0x8000, .driver_protection = 5, .flags = kValid};
  const ev::TableUpdated update{.first_va = 0x40000, .allocation = 1};
  carried_out({here}, {}, update);
  carried_out(
      {there},
      {{.expected = there, .seen = {.address = 0x8000, .driver_protection = 4, .flags = kValid}}},
      update);
  EXPECT_EQ(failures("PTE-008"), 1u);
}

// Another allocation's, another value, another address.
TEST_F(Pte008, BitsThatOtherEntriesHad) {
  const EntryRecord wanted{.address = 0x5000, .driver_protection = 5, .flags = kValid};
  const EntryRecord seen{.address = 0x5000, .driver_protection = 4, .flags = kValid};
  const ev::TableUpdated update{.first_va = 0x40000, .allocation = 1};
  carried_out({wanted}, {}, {.first_va = 0x40000, .allocation = 2});
  carried_out({wanted}, {}, {.first_va = 0x41000, .allocation = 1});
  carried_out({{.address = 0x5000, .driver_protection = 1, .flags = kValid}}, {}, update);
  one(wanted, seen, update);
  EXPECT_TRUE(holds("PTE-008"));
}

TEST_F(Pte008, AnAllocationOfTheSameNumberIsAnother) {
  const EntryRecord wanted{.address = 0x5000, .driver_protection = 5, .flags = kValid};
  const EntryRecord seen{.address = 0x5000, .driver_protection = 4, .flags = kValid};
  const ev::TableUpdated update{.first_va = 0x40000, .allocation = 1};
  carried_out({wanted}, {}, update);
  add(ev::AllocationCreated{.allocation = 1});
  one(wanted, seen, update);
  EXPECT_TRUE(holds("PTE-008"));
}

TEST_F(Pte008, WhereNoneIsUsedNothingIsJudged) {
  one({.address = 0x5000, .flags = kValid},
      {.address = 0x5000, .driver_protection = 1, .flags = kValid});
  EXPECT_TRUE(holds("PTE-008"));
  EXPECT_EQ(times_reached("PTE-008"), 0u);
}

}  // namespace
}  // namespace wddm::pte_004
