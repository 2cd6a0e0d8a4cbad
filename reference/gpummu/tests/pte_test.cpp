// Entries that an operating system must not write, both sides of every cap.
#include "reference/gpummu/pte.h"

#include <gtest/gtest.h>

#include "reference/gpummu/tests/worlds.h"

namespace wddm::gpummu {
namespace {

using testing::at;
using testing::four_levels;
using testing::Report;

std::optional<EntryDefect> check(const Report& report, std::uint32_t level, const Entry& entry,
                                 PageTablePageSize page_size = PageTablePageSize::Page4K) {
  return check_entry(report.geometry(), 2, level, page_size, entry);
}

TEST(Entry, PTE_002_AnInvalidEntryMaySayAnything) {
  Entry entry = page_entry(at(5), {true, true, true});
  entry.valid = false;
  EXPECT_FALSE(check(four_levels(), 0, entry));
}

TEST(Entry, PTE_003_ZeroNeedsValidAndTheCap) {
  Entry entry = zero_entry();
  EXPECT_FALSE(check(four_levels(), 2, entry));
  entry.valid = false;
  EXPECT_EQ(check(four_levels(), 2, entry), EntryDefect::ZeroWithoutValid);
  Report without = four_levels();
  without.caps.zero_in_pte_supported = false;
  EXPECT_EQ(check(without, 2, zero_entry()), EntryDefect::ZeroUnsupported);
}

TEST(Entry, PTE_004_ProtectionNeedsItsCaps) {
  Report without = four_levels();
  without.caps.read_only_memory_supported = false;
  without.caps.no_execute_memory_supported = false;
  const Entry read_only = page_entry(at(5), {.read_only = true});
  const Entry no_execute = page_entry(at(5), {.no_execute = true});
  EXPECT_FALSE(check(four_levels(), 0, read_only));
  EXPECT_FALSE(check(four_levels(), 0, no_execute));
  EXPECT_EQ(check(without, 0, read_only), EntryDefect::ReadOnlyUnsupported);
  EXPECT_EQ(check(without, 0, no_execute), EntryDefect::NoExecuteUnsupported);
}

TEST(Entry, PTE_005_CacheCoherentNeedsItsCap) {
  const Entry entry = page_entry(at(5, 0), {.cache_coherent = true});
  Report with = four_levels();
  with.caps.cache_coherent_memory_supported = true;
  EXPECT_FALSE(check(with, 0, entry));
  EXPECT_EQ(check(four_levels(), 0, entry), EntryDefect::CacheCoherentUnsupported);
}

TEST(Entry, PTE_007_LargePagesNeedTheCapALevelAndAlignment) {
  Report with = four_levels().large_pages();
  EXPECT_FALSE(check(with, 1, large_page_entry(at(512))));
  EXPECT_EQ(check(four_levels(), 1, large_page_entry(at(512))), EntryDefect::LargePageUnsupported);
  EXPECT_EQ(check(with, 0, large_page_entry(at(512))), EntryDefect::LargePageUnsupported);
  EXPECT_EQ(check(with, 1, large_page_entry(at(511))), EntryDefect::LargePageNotAligned);
  with.caps.allow_non_aligned_large_page_address = true;
  EXPECT_FALSE(check(with, 1, large_page_entry(at(511))));
}

TEST(Entry, PGSZ_006_PagesOfA64KLeafAreMultiplesOf64K) {
  const Report with = four_levels().leaves_64kb();
  EXPECT_FALSE(check(with, 0, page_entry(at(32)), PageTablePageSize::Page64K));
  EXPECT_EQ(check(with, 0, page_entry(at(33)), PageTablePageSize::Page64K),
            EntryDefect::AddressNotAligned);
  EXPECT_FALSE(check(with, 0, page_entry(at(33))));
}

TEST(Entry, PGSZ_008_PageTablePageSizeIsOfLevelOneAndSinglePtes) {
  const Entry entry = pointer_entry(at(7), PageTablePageSize::Page64K);
  EXPECT_FALSE(check(four_levels().leaves_64kb(), 1, entry));
  EXPECT_EQ(check(four_levels().leaves_64kb(), 2, entry), EntryDefect::PageSizeNotAtLevel1);
  EXPECT_EQ(check(four_levels().dual_pte(), 1, entry), EntryDefect::PageSizeNotAtLevel1);
  EXPECT_EQ(check(four_levels(), 1, entry), EntryDefect::PageSizeNotAtLevel1);
}

TEST(Entry, LDA_006_ThePhysicalAdapterIsOneOfTheLink) {
  EXPECT_FALSE(check(four_levels(), 0, page_entry({4096, {1}, {1}})));
  EXPECT_EQ(check(four_levels(), 0, page_entry({4096, {1}, {2}})), EntryDefect::PhysicalAdapter);
}

TEST(Entry, PTE_001_AddressesAreWholePages) {
  EXPECT_EQ(check(four_levels(), 0, page_entry({4095, {1}, {}})), EntryDefect::AddressNotAligned);
}

}  // namespace
}  // namespace wddm::gpummu
