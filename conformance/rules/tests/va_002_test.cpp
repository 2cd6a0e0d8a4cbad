// Answers to MapGpuVirtualAddress, and the entries behind them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::va_002 {
namespace {

class Va002 : public TraceTest {
 protected:
  void answered(ev::AddressAnswered one) {
    one.request = static_cast<std::uint32_t>(AddressRequest::Map);
    one.allocation = 1;
    add(one);
  }
  void mapped(std::uint64_t first_va, std::uint32_t count) {
    add(ev::TableUpdated{.first_va = first_va, .count = count, .allocation = 1},
        std::vector<EntryRecord>(count, {.flags = entry_flag::kValid}));
  }
  // The last of a table of 512 entries.
  void mapped_to_the_end(std::uint64_t first_va, std::uint32_t count) {
    add(ev::TableUpdated{.first_va = first_va,
                         .first = 512 - count,
                         .count = count,
                         .allocation = 1,
                         .entries = 512},
        std::vector<EntryRecord>(count, {.flags = entry_flag::kValid}));
  }
};

TEST_F(Va002, AsManyEntriesAsPages) {
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  mapped(0x40000, 2);
  mapped(0x42000, 1);
  EXPECT_TRUE(holds("VA-002"));
  answered({.base = 0x50000, .size = 0x3000, .address = 0x50000});
  mapped(0x50000, 4);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, WhatADriverRefusesIsTheLast) {
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  add(ev::TableUpdated{.first_va = 0x40000, .count = 1, .status = 0xC000000D, .allocation = 1},
      std::vector<EntryRecord>{{.flags = entry_flag::kValid}});
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, AResetOfTheAdapterEndsWhatWasUnderWay) {
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  mapped(0x40000, 2);
  add(ev::AdapterReset{});
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, WhatFoundNoMemoryForItsNextTableIsOver) {
  answered({.base = 0x40000, .size = 0x1000, .address = 0x40000});
  mapped(0x40000, 1);
  answered({.base = 0x1fe000, .size = 0x3000, .address = 0x1fe000});
  mapped_to_the_end(0x1fe000, 2);
  answered({.base = 0x300000, .size = 0x1000, .address = 0x300000, .refused = 1});
  add(ev::OpSkipped{});
  mapped(0x40000, 1);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, EntriesOfAnotherTableBehindTheLastPage) {
  answered({.base = 0x1fd000, .size = 0x3000, .address = 0x1fd000});
  mapped(0x1fd000, 3);
  EXPECT_TRUE(holds("VA-002"));
  mapped(0x200000, 13);
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, WhatWasGivenBeforeIsMappedAgain) {
  answered({.base = 0x200000, .size = 0x2000, .address = 0x200000});
  answered({.base = 0x1fd000, .size = 0x3000, .address = 0x1fd000});
  mapped(0x1fd000, 3);
  mapped(0x200000, 2);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, ANewAllocationHasNoneOfTheAddressesOfItsForerunner) {
  answered({.base = 0x40000, .size = 0x2000, .address = 0x40000});
  add(ev::AllocationCreated{.allocation = 1});
  mapped(0x40000, 2);
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, EntriesOfTablesThatAreAwayComeWithTheTables) {
  platform_.page_table_levels = 3;
  add(ev::TableMoved{.level = 2, .gone = 1});
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  mapped(0x40000, 2);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
  add(ev::TableUpdated{.level = 2, .count = 512, .flags = 2, .allocation = kNone});
  answered({.base = 0x50000, .size = 0x3000, .address = 0x50000});
  mapped(0x50000, 2);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, ARootMayComeBackBeforeItsLeaves) {
  platform_.page_table_levels = 2;
  const auto leaf = [](std::uint32_t flags) {
    return ev::TableUpdated{.place = 0x7000, .flags = flags, .allocation = kNone, .entries = 512};
  };
  add(leaf(2));
  add(ev::TableMoved{.from = 0x7000, .gone = 1});
  add(ev::TableMoved{.from = 0x8000, .level = 1, .gone = 1});
  add(ev::TableUpdated{.level = 1, .count = 512, .flags = 2, .allocation = kNone});
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  mapped(0x40000, 2);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
  add(leaf(2));
  answered({.base = 0x50000, .size = 0x3000, .address = 0x50000});
  mapped(0x50000, 2);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("VA-002"));
}

class Va002Leaves : public Va002 {
 protected:
  Va002Leaves() { platform_.page_table_levels = 2; }
  void leaf_is_written(std::uint64_t place, std::uint32_t size_flag = 0) {
    constexpr std::uint32_t kInitialUpdate = 2;
    add(ev::TableUpdated{
        .place = place, .flags = kInitialUpdate | size_flag, .allocation = kNone, .entries = 512});
  }
  bool may_lack_entries() {
    answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
    mapped(0x40000, 2);
    op(OpKind::Idle);
    return holds("VA-002");
  }
};

TEST_F(Va002Leaves, OneMayGoFromWhereItHasMovedTo) {
  leaf_is_written(0x7000);
  add(ev::TableMoved{.from = 0x7000, .to = 0x9000});
  add(ev::TableMoved{.from = 0x9000, .gone = 1});
  EXPECT_TRUE(may_lack_entries());
}

TEST_F(Va002Leaves, OfAPairOneIsBackBeforeTheOther) {
  constexpr std::uint32_t kUse64KBPages = 8;
  leaf_is_written(0x7000);
  add(ev::TableMoved{.from = 0x7000, .gone = 1});
  leaf_is_written(0x6000, kUse64KBPages);
  EXPECT_TRUE(may_lack_entries());
}

TEST_F(Va002Leaves, OneThatIsNeededNoMoreIsNotAway) {
  leaf_is_written(0x7000);
  add(ev::TableMoved{.from = 0x7000, .gone = 2});
  EXPECT_FALSE(may_lack_entries());
}

TEST_F(Va002, TablesMayGoWhileTheyAreWritten) {
  platform_.page_table_levels = 3;
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  add(ev::TableMoved{.level = 2, .gone = 1});
  mapped(0x40000, 2);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, TooFewEntries) {
  answered({.base = 0x40000, .size = 0x3000, .address = 0x40000});
  mapped(0x40000, 2);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("VA-002"));
}

// Pages up to the end of a table at 0x200000, and those in the next one.
TEST_F(Va002, TheNextTableMayWaitWhileTheScenarioGoesOn) {
  answered({.base = 0x1fe000, .size = 0x3000, .address = 0x1fe000});
  mapped_to_the_end(0x1fe000, 2);
  op(OpKind::Evict);
  mapped(0x200000, 1);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, SoMayWhatIsWrittenIntoItOnceItHasBegun) {
  answered({.base = 0x1fe000, .size = 0x3000, .address = 0x1fe000});
  mapped_to_the_end(0x1fe000, 2);
  add(ev::TableUpdated{.first_va = 0x200000,
                       .count = 512,
                       .flags = 2,  // InitialUpdate
                       .entries = 512},
      std::vector<EntryRecord>(1));
  op(OpKind::Evict);
  mapped(0x200000, 1);
  op(OpKind::Idle);
  EXPECT_EQ(seen_by("VA-002"), "");
}

TEST_F(Va002, TheNextTableNeverComes) {
  answered({.base = 0x1fe000, .size = 0x3000, .address = 0x1fe000});
  mapped_to_the_end(0x1fe000, 2);
  op(OpKind::Evict);
  answered({.base = 0x300000, .size = 0x1000, .address = 0x300000});
  mapped(0x300000, 1);
  op(OpKind::Idle);
  EXPECT_FALSE(holds("VA-002"));
}

// Where all of a table read as zero by one entry above it.
TEST_F(Va002, ATableThatBeginsWithZerosIsNotMappedYet) {
  constexpr std::uint32_t kInitialUpdate = 2;
  answered({.base = 0x40000, .size = 0x4000, .address = 0x40000});
  for (const std::uint64_t table : {0x40000, 0x42000}) {
    add(ev::TableUpdated{.first_va = table, .count = 2, .flags = kInitialUpdate, .allocation = 1},
        std::vector<EntryRecord>{{.flags = entry_flag::kValid | entry_flag::kZero}});
    mapped(table, 2);
  }
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
  EXPECT_EQ(times_reached("VA-002"), 2u) << "the address, and as many entries";
}

TEST_F(Va002, WhatComesAgainIsOfSomethingLater) {
  answered({.base = 0x40000, .size = 0x2000, .address = 0x40000});
  mapped(0x40000, 2);
  mapped(0x40000, 2);
  op(OpKind::Idle);
  EXPECT_TRUE(holds("VA-002"));
}

TEST_F(Va002, LimitsCountWithoutABase) {
  answered({.minimum = 0x40000, .maximum = 0x43000, .size = 0x3000, .address = 0x40000});
  EXPECT_TRUE(holds("VA-002"));
  answered({.minimum = 0x40000, .maximum = 0x43000, .size = 0x3000, .address = 0x41000});
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, ABaseIsTakenAsItIs) {
  answered({.base = 0x40000, .minimum = 0x80000, .size = 0x1000, .address = 0x40000});
  EXPECT_TRUE(holds("VA-002"));
  answered({.base = 0x50000, .minimum = 0x80000, .size = 0x1000, .address = 0x80000});
  EXPECT_FALSE(holds("VA-002"));
}

TEST_F(Va002, AddressesInsidePagesAreRefused) {
  answered({.base = 0x40800, .size = 0x1000, .refused = 1});
  EXPECT_TRUE(holds("VA-002"));
  answered({.base = 0x40800, .size = 0x1000, .address = 0x40800});
  EXPECT_FALSE(holds("VA-002"));
}

}  // namespace
}  // namespace wddm::va_002
