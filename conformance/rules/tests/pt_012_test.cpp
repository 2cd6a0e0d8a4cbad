// When updates in paging buffers change their table.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_012 {
namespace {

class Pt012 : public TablesTest {
 protected:
  void built(std::uint32_t changed, std::uint64_t place = 0x4000,
             std::uint32_t mode = update_mode::kGpuPhysical) {
    add(ev::TableUpdated{.place = place, .count = 1, .mode = mode, .changed = changed},
        std::vector<EntryRecord>{{}});
  }
  void executed(std::uint32_t update) { add(ev::TableCompared{.update = update, .decoded = 1}); }
  bool holds() { return TraceTest::holds("PT-012"); }
  std::uint32_t reached() { return times_reached("PT-012"); }
};

TEST_F(Pt012, WhenTheyAreExecuted) {
  built(0);
  executed(0);
  built(0);
  executed(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pt012, WhenTheyAreBuilt) {
  built(8);
  executed(0);
  EXPECT_FALSE(holds());
}

TEST_F(Pt012, ByTheCpuItIsRight) {
  built(8, 0x4000, update_mode::kCpuVirtual);
  executed(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// A GPU that works meanwhile may carry the first one out while the second is built.
TEST_F(Pt012, AnEarlierOneOfTheSameTableMayBeCarriedOutMeanwhile) {
  built(0);
  built(8);
  executed(0);
  executed(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt012, WhatWasLostWithTheAdapterIsNoExcuse) {
  built(0);
  add(ev::AdapterReset{});
  built(8);
  executed(1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt012, NorIsWhatAnEarlierStartHasLeft) {
  built(0);
  add(ev::SurpriseRemoved{});
  add(ev::DeviceStarted{});
  built(8);
  executed(1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt012, OfAnotherTableItIsNoExcuse) {
  built(0);
  built(8, 0x5000);
  executed(0);
  executed(1);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::pt_012
