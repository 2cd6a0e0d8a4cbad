// Entries that are to lead nowhere.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pte_002 {
namespace {

using Pte002 = TablesTest;

TEST_F(Pte002, ItLeadsNowhere) {
  one({}, {});
  EXPECT_TRUE(holds("PTE-002"));
  EXPECT_EQ(times_reached("PTE-002"), 1u);
}

TEST_F(Pte002, ItLeadsSomewhere) {
  one({}, {.address = 0x5000, .flags = kValid});
  EXPECT_FALSE(holds("PTE-002"));
}

TEST_F(Pte002, TablesThatAreBegunAreAnothersMatter) {
  one({}, {.address = 0x5000, .flags = kValid}, {.flags = kInitialUpdate});
  EXPECT_TRUE(holds("PTE-002"));
  EXPECT_EQ(times_reached("PTE-002"), 0u);
}

}  // namespace
}  // namespace wddm::pte_002
