// The walk step by step, on tables that the test writes itself.
#include "reference/gpummu/walk.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/gpummu/table_memory.h"
#include "reference/gpummu/tests/worlds.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::four_levels;
using testing::page;
using testing::Report;
using testing::report;

constexpr PageTablePageSize k4K = PageTablePageSize::Page4K;
constexpr PageTablePageSize k64K = PageTablePageSize::Page64K;

/// Three levels of 6, 2 and 2 bits: tables at pages 100, 101, ... of segment 1, the root is 100.
class Walk : public ::testing::Test {
 protected:
  static Report shape() { return report({6, 2, 2}).large_pages(); }

  void write(std::uint64_t table, std::uint32_t level, std::uint32_t index, const Entry& entry,
             PageTablePageSize page_size = k4K, const Entry& second = {}) {
    const Entry entries[] = {entry}, seconds[] = {second};
    memory_.update({at(table), level, page_size, index, 1, false, entries, seconds});
  }
  void clear(std::uint64_t table, std::uint32_t level, PageTablePageSize page_size = k4K) {
    const Entry entries[] = {invalid_entry()};
    memory_.update({at(table), level, page_size, 0, 64, true, entries, {}});
  }
  /// Root 100 -> table 101 -> leaf 102 for the addresses from 0 on.
  void write_path(PageTablePageSize page_size = k4K) {
    clear(100, 2);
    clear(101, 1);
    clear(102, 0, page_size);
    write(100, 2, 0, pointer_entry(at(101)));
    write(101, 1, 0, pointer_entry(at(102), page_size));
  }
  [[nodiscard]] Translation walk_at(std::uint64_t va, Access access = Access::Read) const {
    return walk(geometry_, TableMemory::View(memory_, at(100), 4), {va}, access);
  }

  Geometry geometry_ = shape().geometry();
  TableMemory memory_;
};

Translation fault(FaultReason reason, std::uint8_t level) {
  return walking::fault(reason, level);
}

TEST_F(Walk, MMU_001_LevelZeroIsTheLeafAndTheHighestTheRoot) {
  write_path();
  write(102, 0, 3, page_entry(at(7)));
  EXPECT_EQ(walk_at(0x3000).level, 0);
  EXPECT_EQ(walk_at(0x3000).place, at(7));
}

TEST_F(Walk, MMU_002_EveryLevelIsReadAndNoneIsSkipped) {
  for (const std::uint32_t level : {0u, 1u, 2u}) {
    write_path();
    write(102, 0, 3, page_entry(at(7)));
    write(102 - level, level, level == 0 ? 3 : 0, invalid_entry());
    EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, static_cast<std::uint8_t>(level)));
  }
}

TEST_F(Walk, MMU_006_LowTwelveBitsPassThrough) {
  write_path();
  write(102, 0, 3, page_entry(at(7)));
  const Translation got = walk_at(0x3ff9);
  EXPECT_EQ(got.place.offset, 0x7ff9u);
  EXPECT_EQ(got.run_bytes, 7u);
}

TEST_F(Walk, MMU_007_AddressesThatDifferInOneBitNeverShareALeafEntry) {
  const Geometry geometry = four_levels().geometry();
  for (std::uint32_t bit = 12; bit < 48; ++bit) {
    const GpuVirtualAddress a{0x5a5a'5a5a'5000}, b{a.value ^ std::uint64_t{1} << bit};
    int differing = 0;
    for (std::uint32_t level = 0; level < 4; ++level) {
      differing += geometry.index(level, a) != geometry.index(level, b);
    }
    EXPECT_EQ(differing, 1) << bit;
  }
}

TEST_F(Walk, MMU_012_AnInvalidEntryFaultsWhateverElseItSays) {
  write_path();
  Entry entry = page_entry(at(7));
  entry.valid = false;
  write(102, 0, 3, entry);
  EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, 0));
}

TEST_F(Walk, MMU_013_TheFaultNamesTheLevelThatStoppedTheWalk) {
  write_path();
  EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, 0));
  EXPECT_EQ(walk_at(0x40000), fault(FaultReason::InvalidEntry, 1));
  EXPECT_EQ(walk_at(0x100000), fault(FaultReason::InvalidEntry, 2));
}

TEST_F(Walk, PTE_003_ZeroEntriesCoverTheRangeOfTheirLevelForReadsAndWrites) {
  write_path();
  write(102, 0, 3, zero_entry());
  write(101, 1, 1, zero_entry());
  write(100, 2, 1, zero_entry());
  for (const Access access : {Access::Read, Access::Write}) {
    EXPECT_EQ(walk_at(0x3fff, access).outcome, Outcome::Zero);
    EXPECT_EQ(walk_at(0x7ffff, access).outcome, Outcome::Zero);
    EXPECT_EQ(walk_at(0x1fffff, access).outcome, Outcome::Zero);
  }
  EXPECT_EQ(walk_at(0x100004).run_bytes, 0x100000u - 4);
}

TEST_F(Walk, PTE_003_ZeroWithoutValidFaults) {
  write_path();
  Entry entry = zero_entry();
  entry.valid = false;
  write(102, 0, 3, entry);
  EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, 0));
}

TEST_F(Walk, PTE_004_ReadOnlyStopsWritesOnly) {
  write_path();
  write(102, 0, 3, page_entry(at(7), {.read_only = true}));
  EXPECT_EQ(walk_at(0x3000).outcome, Outcome::Memory);
  EXPECT_EQ(walk_at(0x3000, Access::Write), fault(FaultReason::ReadOnly, 0));
}

TEST_F(Walk, PTE_004_NoExecuteIsReportedAndStopsNothing) {
  write_path();
  write(102, 0, 3, page_entry(at(7), {.no_execute = true}));
  EXPECT_EQ(walk_at(0x3000, Access::Write).outcome, Outcome::Memory);
  EXPECT_TRUE(walk_at(0x3000).no_execute);
}

TEST_F(Walk, PTE_006_SegmentZeroIsTheSystemAddressItself) {
  write_path();
  write(102, 0, 3, page_entry(at(0x1234567, 0)));
  EXPECT_EQ(walk_at(0x3000).place, (PhysicalAddress{0x1234567000, {}, {}}));
}

TEST_F(Walk, PTE_007_ALargePageIsLinearOverAllThatItsEntryCovers) {
  write_path();
  write(101, 1, 1, large_page_entry(at(0x40)));
  write(100, 2, 3, large_page_entry(at(0x100)));
  EXPECT_EQ(walk_at(0x40000).place, at(0x40));
  EXPECT_EQ(walk_at(0x7f123).place.offset, 0x7f123u);
  EXPECT_EQ(walk_at(0x3ff000).place, at(0x1ff));
  EXPECT_EQ(walk_at(0x40000).level, 1);
}

TEST_F(Walk, PTE_007_AnUnalignedLargePageAddsAllBitsOfItsAddress) {
  write_path();
  write(101, 1, 1, large_page_entry(at(0x33)));
  EXPECT_EQ(walk_at(0x40000 + 0x3f000).place, at(0x33 + 0x3f));
}

TEST_F(Walk, PTE_007_AReadOnlyLargePageFaultsAtItsLevel) {
  write_path();
  write(101, 1, 1, large_page_entry(at(0x40), {.read_only = true}));
  EXPECT_EQ(walk_at(0x40000, Access::Write), fault(FaultReason::ReadOnly, 1));
}

TEST_F(Walk, ROOT_011_AnIndexFromNumEntriesOnFaultsEvenIfTheEntryIsValid) {
  write_path();
  write(102, 0, 0, page_entry(at(7)));
  write(100, 2, 3, large_page_entry(at(0x100)));
  const TableMemory::View three(memory_, at(100), 3);
  EXPECT_EQ(walk(geometry_, three, {0x300000}, Access::Read), fault(FaultReason::BeyondRoot, 2));
  EXPECT_EQ(walk(geometry_, three, {0}, Access::Read).outcome, Outcome::Memory);
}

TEST_F(Walk, AddressesBehindTheSpaceFault) {
  write_path();
  EXPECT_EQ(walk_at(geometry_.space_bytes()), fault(FaultReason::BeyondAddressSpace, 2));
  EXPECT_EQ(walk_at(UINT64_MAX), fault(FaultReason::BeyondAddressSpace, 2));
}

TEST_F(Walk, WhatLeavesKnownMemoryIsUnspecified) {
  write_path();
  write(101, 1, 2, pointer_entry(at(999)));
  write(101, 1, 3, pointer_entry(at(101)));  // a level-1 table is no leaf
  EXPECT_EQ(walk_at(0x80000).outcome, Outcome::Unspecified);
  EXPECT_EQ(walk_at(0xc0000).outcome, Outcome::Unspecified);
}

// ---- 64 KB pages.

class Walk64K : public Walk {
 protected:
  Walk64K() { geometry_ = shape().leaves_64kb().geometry(); }
};

TEST_F(Walk64K, PGSZ_005_SixteenEntriesOfA4KTableAreEachOnTheirOwn) {
  write_path();
  for (std::uint32_t i = 0; i < 16; ++i) write(102, 0, 16 + i, page_entry(at(0x20 + i)));
  write(102, 0, 16 + 5, invalid_entry());
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Translation got = walk_at((16 + i) * kPageSize);
    EXPECT_EQ(got.outcome, i == 5 ? Outcome::Fault : Outcome::Memory) << i;
  }
}

TEST_F(Walk64K, PGSZ_007_TheIndexOfA64KLeafIsBits16AndUp) {
  write_path(k64K);
  write(102, 0, 1, page_entry(at(0x50)), k64K);
  EXPECT_EQ(walk_at(0xffff), fault(FaultReason::InvalidEntry, 0));
  EXPECT_EQ(walk_at(0x10000).place, at(0x50));
  EXPECT_EQ(walk_at(0x1ffff).place.offset, 0x5ffffu);
  EXPECT_EQ(walk_at(0x20000), fault(FaultReason::InvalidEntry, 0));
}

TEST_F(Walk64K, PGSZ_008_TheLevelOneEntrySaysHowTheLeafIsRead) {
  write_path(k64K);
  write(102, 0, 1, page_entry(at(0x50)), k64K);
  write(101, 1, 0, pointer_entry(at(102), k4K));
  EXPECT_EQ(walk_at(0x10000).outcome, Outcome::Unspecified);
  clear(103, 0);
  write(103, 0, 16, page_entry(at(0x60)));
  write(101, 1, 0, pointer_entry(at(103), k4K));
  EXPECT_EQ(walk_at(0x10000).place, at(0x60));
}

/// Level 1 leads to 4 KB leaf 102 and to 64 KB leaf 103.
class WalkDual : public Walk {
 protected:
  WalkDual() {
    geometry_ = shape().dual_pte().geometry();
    write_path();
    clear(103, 0, k64K);
    write(101, 1, 0, pointer_entry(at(102)), k4K, pointer_entry(at(103)));
    write(102, 0, 3, page_entry(at(7)));
    write(103, 0, 1, page_entry(at(0x50)), k64K);
  }
};

TEST_F(WalkDual, PGSZ_009_TheWalkSucceedsThroughWhicheverIsValid) {
  EXPECT_EQ(walk_at(0x3000).place, at(7));
  EXPECT_EQ(walk_at(0x12000).place, at(0x52));
  EXPECT_EQ(walk_at(0x20000), fault(FaultReason::InvalidEntry, 0));
}

TEST_F(WalkDual, PGSZ_009_EitherPointerAloneIsEnough) {
  write(101, 1, 0, invalid_entry(), k4K, pointer_entry(at(103)));
  EXPECT_EQ(walk_at(0x12000).place, at(0x52));
  EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, 0));
  write(101, 1, 0, pointer_entry(at(102)), k4K, invalid_entry());
  EXPECT_EQ(walk_at(0x3000).place, at(7));
  write(101, 1, 0, invalid_entry(), k4K, invalid_entry());
  EXPECT_EQ(walk_at(0x3000), fault(FaultReason::InvalidEntry, 1));
}

TEST_F(WalkDual, PTE_007_LargeAndZeroEntriesEndTheWalkAtLevelOne) {
  write(101, 1, 0, zero_entry());
  EXPECT_EQ(walk_at(0x3000).outcome, Outcome::Zero);
  write(101, 1, 0, large_page_entry(at(0x40)));
  EXPECT_EQ(walk_at(0x3000).place, at(0x43));
}

TEST_F(WalkDual, PTE_004_AReadOnly64KPageFaultsForWrites) {
  write(103, 0, 1, page_entry(at(0x50), {.read_only = true}), k64K);
  EXPECT_EQ(walk_at(0x10000, Access::Write), fault(FaultReason::ReadOnly, 0));
}

// ---- Linked adapters.

TEST_F(Walk, LDA_004_EachGpuReadsItsOwnInstanceThroughTheSameEntries) {
  for (const std::uint16_t gpu : {0, 1}) {
    const auto here = [gpu](std::uint64_t number) {
      return PhysicalAddress{number * kPageSize, SegmentId{1}, PhysicalAdapterIndex{gpu}};
    };
    const Entry path[] = {pointer_entry(at(101)), pointer_entry(at(102)), page_entry(at(70 + gpu))};
    for (std::uint32_t depth = 0; depth < 3; ++depth) {
      memory_.update({here(100 + depth), 2 - depth, k4K, 0, 1, false, {&path[depth], 1}, {}});
    }
  }
  for (const std::uint16_t gpu : {0, 1}) {
    const PhysicalAddress root{100 * kPageSize, SegmentId{1}, PhysicalAdapterIndex{gpu}};
    const TableMemory::View tables(memory_, root, 4);
    EXPECT_EQ(walk(geometry_, tables, {0}, Access::Read).place, at(70 + gpu));
  }
}

TEST_F(Walk, LDA_006_AnEntryOfAnotherGpuLeadsToItsMemory) {
  write_path();
  const PhysicalAddress peer{7 * kPageSize, SegmentId{1}, PhysicalAdapterIndex{1}};
  write(102, 0, 3, page_entry(peer));
  EXPECT_EQ(walk_at(0x3000).place, peer);
}

}  // namespace
}  // namespace wddm::gpummu
