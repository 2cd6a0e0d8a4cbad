// Updates of several entries above the leaf.
#include "conformance/rules/pt/table_updates.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_026 {
namespace {

constexpr EntryRecord kTable{.address = 0x4000, .flags = entry_flag::kValid};
constexpr EntryRecord kOtherTable{.address = 0x8000, .flags = entry_flag::kValid};
constexpr EntryRecord kZero{.flags = entry_flag::kValid | entry_flag::kZero};
constexpr EntryRecord kNowhere{};

class Pt026 : public TraceTest {
 protected:
  struct Update {
    std::uint32_t level = 1;
    std::uint32_t flags = 0;
    std::uint32_t mode = 2;
  };
  // Two entries from 16 on; what the second is to be and what it is.
  void written(const Update& update, const EntryRecord& wanted, const EntryRecord& seen) {
    add(ev::TableUpdated{.level = update.level,
                         .first = 16,
                         .count = 2,
                         .flags = update.flags,
                         .mode = update.mode,
                         .changed = 8},
        std::vector<EntryRecord>{kTable, wanted});
    std::vector<EntryDifference> differences;
    if (wanted != seen) differences.push_back({.expected = wanted, .seen = seen, .index = 17});
    add(ev::TableCompared{.update = updates_++,
                          .decoded = 2,
                          .wrong = static_cast<std::uint32_t>(differences.size())},
        differences);
  }
  bool holds() { return TraceTest::holds("PT-026"); }
  std::uint32_t reached() { return times_reached("PT-026"); }

 private:
  std::uint32_t updates_ = 0;
};

TEST_F(Pt026, EachIsWritten) {
  written({}, kOtherTable, kOtherTable);
  written({.level = 3}, kZero, kZero);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pt026, TheSecondIsLeftOut) {
  written({}, kOtherTable, kNowhere);
  EXPECT_FALSE(holds());
}

TEST_F(Pt026, TheSecondIsTheFirst) {
  written({}, kOtherTable, kTable);
  EXPECT_FALSE(holds());
}

TEST_F(Pt026, AZeroEntryLeadsToATable) {
  written({}, kZero, kTable);
  EXPECT_FALSE(holds());
}

TEST_F(Pt026, NoneIsLeftWhereOneWas) {
  written({}, kNowhere, kTable);
  EXPECT_FALSE(holds());
}

TEST_F(Pt026, WhatElseAnEntrySaysIsNotItsAffair) {
  EntryRecord marked = kOtherTable;
  marked.flags |= entry_flag::kReadOnly;
  written({}, kOtherTable, marked);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt026, NorAreLeavesInitialUpdatesAndRepeats) {
  written({.level = 0}, kOtherTable, kNowhere);
  written({.flags = pt::kInitialUpdate}, kOtherTable, kNowhere);
  written({.flags = pt::kRepeat}, kOtherTable, kNowhere);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pt_026
