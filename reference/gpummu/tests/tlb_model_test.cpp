// What a TLB may give between an update and the flush.
#include "reference/gpummu/tlb_model.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/gpummu/table_memory.h"
#include "reference/gpummu/tests/worlds.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::page;
using testing::pages;
using testing::report;

/// Root 100 with leaves 101 and 102 of 16 entries, two levels.
class TlbTest : public ::testing::Test {
 protected:
  TlbTest() {
    for (const std::uint64_t table : {100, 101, 102}) {
      const Entry none[] = {invalid_entry()};
      memory_.update({at(table), table == 100 ? 1u : 0u, {}, 0, 16, true, none, {}});
    }
    write(100, 1, 0, pointer_entry(at(101)));
    tlb_.flush_all();
  }
  void write(std::uint64_t table, std::uint32_t level, std::uint32_t index, const Entry& entry) {
    const std::uint64_t bytes = geometry_.entry_bytes(level);
    const Entry before = *memory_.entry(at(table), index);
    tlb_.replace({{index * bytes}, bytes}, level, Tlb::Slot::Entry4K, before, entry);
    const Entry entries[] = {entry};
    memory_.update({at(table), level, {}, index, 1, false, entries, {}});
  }
  [[nodiscard]] std::vector<Translation> allowed(std::uint64_t page_number) const {
    const TableMemory::View tables(memory_, at(100), 16);
    return tlb_.allowed(geometry_, tables, page(page_number), Access::Read);
  }
  [[nodiscard]] std::vector<std::uint64_t> places(std::uint64_t page_number) const {
    std::vector<std::uint64_t> places;
    for (const Translation& each : allowed(page_number)) {
      places.push_back(each.outcome == Outcome::Memory ? each.place.offset / kPageSize : 0);
    }
    return places;  // 0: a fault
  }
  using Places = std::vector<std::uint64_t>;

  Geometry geometry_ = report({4, 4}).geometry();
  TableMemory memory_;
  Tlb tlb_{Tlb::Invalid::NotCached};
};

TEST_F(TlbTest, VPAGE_004_OldAndNewAreAllowedUntilAFlush) {
  write(101, 0, 3, page_entry(at(7)));
  write(101, 0, 3, page_entry(at(8)));
  EXPECT_EQ(places(3), (Places{8, 7}));
  tlb_.flush(pages(3, 1));
  EXPECT_EQ(places(3), (Places{8}));
  EXPECT_TRUE(tlb_.is_coherent());
}

TEST_F(TlbTest, VPAGE_004_EveryEntrySinceTheLastFlushMayBeMet) {
  for (const std::uint64_t place : {7, 8, 9}) write(101, 0, 3, page_entry(at(place)));
  EXPECT_EQ(places(3), (Places{9, 7, 8}));
}

TEST_F(TlbTest, VPAGE_004_AFlushOfOtherAddressesLeavesThemAlone) {
  write(101, 0, 3, page_entry(at(7)));
  write(101, 0, 3, invalid_entry());
  tlb_.flush(pages(0, 3));
  tlb_.flush(pages(4, 12));
  EXPECT_EQ(places(3), (Places{0, 7}));
}

TEST_F(TlbTest, VPAGE_004_CachedDirectoriesAreStaleForWhatWasNotFlushed) {
  write(101, 0, 3, page_entry(at(7)));
  write(101, 0, 9, page_entry(at(8)));
  write(100, 1, 0, pointer_entry(at(102)));
  EXPECT_EQ(places(3), (Places{0, 7}));
  tlb_.flush(pages(3, 1));
  EXPECT_EQ(places(3), (Places{0}));
  EXPECT_EQ(places(9), (Places{0, 8}));
}

TEST_F(TlbTest, VPAGE_004_AStaleDirectoryToFreedMemoryAllowsAnything) {
  write(100, 1, 0, pointer_entry(at(102)));
  memory_.forget(at(101));
  ASSERT_EQ(allowed(3).size(), 2u);
  EXPECT_EQ(allowed(3)[1].outcome, Outcome::Unspecified);
}

TEST_F(TlbTest, VPAGE_006_InvalidEntriesAreRememberedUnlessTheCapSaysNo) {
  write(101, 0, 3, page_entry(at(7)));
  EXPECT_EQ(places(3), (Places{7}));
  tlb_ = Tlb(Tlb::Invalid::Cached);
  write(101, 0, 4, page_entry(at(8)));
  EXPECT_EQ(places(4), (Places{8, 0}));
}

TEST_F(TlbTest, VPAGE_004_AFlushInTheMiddleLeavesBothSides) {
  write(100, 1, 0, zero_entry());  // allowed: a fault in the leaf, zero, and a fault above it
  write(100, 1, 0, invalid_entry());
  tlb_.flush(pages(4, 4));
  EXPECT_EQ(allowed(3).size(), 3u);
  EXPECT_EQ(allowed(4).size(), 1u);
  EXPECT_EQ(allowed(8).size(), 3u);
}

TEST_F(TlbTest, PGSZ_009_WithDualPtesEitherLeafMayBeStale) {
  geometry_ = report({4, 4}).dual_pte().geometry();
  const Entry large[] = {page_entry(at(0x50))};
  memory_.update({at(103), 0, PageTablePageSize::Page64K, 0, 1, false, large, {}});
  const Entry small[] = {pointer_entry(at(101))}, second[] = {pointer_entry(at(103))};
  memory_.update({at(100), 1, {}, 0, 1, false, small, second});
  EXPECT_EQ(places(3), (Places{0x53}));
  const Entry gone[] = {invalid_entry()};
  memory_.update({at(103), 0, PageTablePageSize::Page64K, 0, 1, false, gone, {}});
  tlb_.replace(pages(0, 16), 0, Tlb::Slot::Entry64K, large[0], gone[0]);
  EXPECT_EQ(places(3), (Places{0, 0x53}));
  write(101, 0, 3, page_entry(at(7)));
  EXPECT_EQ(places(3), (Places{7, 0x53}));
}

}  // namespace
}  // namespace wddm::gpummu
