// Where page tables of other processes come to be written by GPU virtual address.
#include "conformance/host/gpuva/tables/shown_tables.h"

#include <gtest/gtest.h>

#include <array>

namespace wddm::host {
namespace {

TablePlace table_of(std::uint32_t pages, std::uint64_t offset) {
  TablePlace place;
  place.pages = pages;
  place.address.offset = offset;
  return place;
}

// Two levels, whose root covers 36 bits by leaf tables of 512 entries.
gpummu::Geometry two_levels() {
  const gpummu::GpuMmuCaps caps{.virtual_address_bit_count = 36, .page_table_level_count = 2};
  const std::array<gpummu::PageTableLevelDesc, 2> levels{
      {{.page_table_index_bit_count = 9, .page_table_size_in_bytes = 4096},
       {.page_table_index_bit_count = 15, .page_table_size_in_bytes = 4096}}};
  return *gpummu::check_geometry(caps, levels, {}).geometry;
}

TEST(ShownTables, ATableStaysUntilTheOthersHaveHadTheirTurn) {
  ShownTables shown;
  shown.begin({});
  const ShownTables::Place first = shown.of(table_of(1, 0));
  EXPECT_TRUE(first.is_new);
  EXPECT_FALSE(shown.of(table_of(1, 0)).is_new);
  for (std::uint64_t i = 1; i <= kShownTables; ++i) {
    EXPECT_TRUE(shown.of(table_of(1, i * kPageSize)).is_new);
  }
  const ShownTables::Place again = shown.of(table_of(1, 0));
  EXPECT_TRUE(again.is_new);
}

TEST(ShownTables, LargeRootsHaveAPlaceOfTheirOwnWhereThereIsOne) {
  const auto place = large_root_place_of(two_levels());
  ASSERT_TRUE(place);
  constexpr auto kPages = static_cast<std::uint32_t>(kTableBytes / kPageSize) + 1;
  ShownTables shown;
  shown.begin({});
  EXPECT_EQ(shown.most_bytes(), kTableBytes);
  shown.begin(place);
  EXPECT_GE(shown.most_bytes(), kPages * kPageSize);

  const ShownTables::Place root = shown.of(table_of(kPages, 0));
  EXPECT_EQ(root.at, place->first);
  EXPECT_TRUE(root.is_new);
  EXPECT_TRUE(shown.of(table_of(1, 0)).is_new) << "smaller tables have the others";
  EXPECT_FALSE(shown.of(table_of(kPages, 0)).is_new);
  EXPECT_TRUE(shown.of(table_of(kPages, kPageSize)).is_new) << "another root";
}

TEST(ShownTables, TheLargePlaceLiesBehindAllWindows) {
  const gpummu::Geometry geometry = two_levels();
  const auto place = large_root_place_of(geometry);
  ASSERT_TRUE(place);
  EXPECT_GE(place->first.value, kWindows.end());
  const auto crossed = crossed_leaves_of(geometry);
  ASSERT_TRUE(crossed);
  EXPECT_GE(place->first.value, crossed->range.end());
  EXPECT_TRUE(geometry.contains(*place));
}

}  // namespace
}  // namespace wddm::host
