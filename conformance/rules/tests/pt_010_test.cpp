// Updates by the CPU where the driver declares another mode.
#include "conformance/rules/tests/tables_test.h"

namespace wddm::pt_010 {
namespace {

class Pt010 : public TablesTest {
 protected:
  Pt010() { platform_.update_mode = update_mode::kGpuPhysical; }
  void by_the_cpu(std::uint32_t wrong, std::uint32_t changed) {
    add(ev::TableUpdated{.count = 2, .mode = update_mode::kCpuVirtual, .changed = changed},
        std::vector<EntryRecord>{{.flags = kValid}, {.flags = kValid}});
    const std::vector<EntryDifference> seen(wrong, {.expected = {.flags = kValid}, .seen = {}});
    add(ev::TableCompared{.update = ordinal_++, .decoded = 2, .wrong = wrong}, seen);
  }
  bool holds() { return TraceTest::holds("PT-010"); }

 private:
  std::uint32_t ordinal_ = 0;
};

TEST_F(Pt010, TheyComeToTheirTable) {
  by_the_cpu(0, 16);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-010"), 1u);
}

TEST_F(Pt010, TheyDoNot) {
  by_the_cpu(2, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Pt010, WhatStoodThereAlreadyNeedsNoChange) {
  by_the_cpu(0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Pt010, WrongEntriesAreAnothersMatter) {
  by_the_cpu(2, 16);
  EXPECT_TRUE(holds());
}

TEST_F(Pt010, SoAreUpdatesInTheDeclaredMode) {
  platform_.update_mode = update_mode::kCpuVirtual;
  by_the_cpu(2, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-010"), 0u);
}

}  // namespace
}  // namespace wddm::pt_010
