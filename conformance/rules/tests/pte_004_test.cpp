// Protection and coherence of entries (PTE-005), and DriverProtection (PTE-008).
#include "conformance/rules/tests/tables_test.h"

namespace wddm {
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

TEST_F(Pte008, WhereNoneIsUsedNothingIsJudged) {
  one({.address = 0x5000, .flags = kValid},
      {.address = 0x5000, .driver_protection = 1, .flags = kValid});
  EXPECT_TRUE(holds("PTE-008"));
  EXPECT_EQ(times_reached("PTE-008"), 0u);
}

}  // namespace
}  // namespace wddm
