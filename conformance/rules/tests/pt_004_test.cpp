// What tables hold after their first update.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_004 {
namespace {

class Pt004 : public TablesTest {
 protected:
  static constexpr EntryRecord kPage{.address = 0x9000, .flags = kValid};
};

TEST_F(Pt004, AsAsked) {
  one({}, {}, {.flags = kInitialUpdate});
  EXPECT_TRUE(holds("PT-004"));
  EXPECT_EQ(times_reached("PT-004"), 1u);
}

TEST_F(Pt004, TheEntryThatWasThereBefore) {
  one({}, kPage, {.flags = kInitialUpdate});
  EXPECT_FALSE(holds("PT-004"));
}

TEST_F(Pt004, LaterUpdatesAreOthersMatter) {
  one({}, kPage);
  EXPECT_TRUE(holds("PT-004"));
  EXPECT_EQ(times_reached("PT-004"), 0u);
}

TEST_F(Pt004, ARepeatOfUnlikeEntriesIsAnothersMatter) {
  carried_out({{}}, {{.expected = {}, .seen = kPage, .index = 1}},
              {.count = 4, .flags = kInitialUpdate | kRepeat}, 1);
  EXPECT_TRUE(holds("PT-004"));
}

TEST_F(Pt004, WhatNobodyCanReadIsNotJudged) {
  add(ev::TableUpdated{.count = 1, .flags = kInitialUpdate}, std::vector<EntryRecord>{{}});
  add(ev::TableCompared{});
  EXPECT_TRUE(holds("PT-004"));
  EXPECT_EQ(times_reached("PT-004"), 0u);
}

}  // namespace
}  // namespace wddm::pt_004
