// What changes beside the entries of an update.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_008 {
namespace {

class Pt008 : public TablesTest {
 protected:
  void outside(std::uint32_t bytes, std::uint32_t decoded = 1) {
    add(ev::TableUpdated{.count = 1}, std::vector<EntryRecord>{{}});
    add(ev::TableCompared{.decoded = decoded, .outside = bytes, .first_outside = 64});
  }
};

TEST_F(Pt008, Nothing) {
  outside(0);
  EXPECT_TRUE(holds("PT-008"));
  EXPECT_EQ(times_reached("PT-008"), 1u);
}

TEST_F(Pt008, Something) {
  outside(8);
  EXPECT_FALSE(holds("PT-008"));
}

TEST_F(Pt008, WhatNobodyCanReadIsNotJudged) {
  outside(0, 0);
  EXPECT_TRUE(holds("PT-008"));
  EXPECT_EQ(times_reached("PT-008"), 0u);
}

}  // namespace
}  // namespace wddm::pt_008
