// What a driver reports, one defect at a time, and the arithmetic of what is sound.
#include "reference/gpummu/geometry.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "reference/gpummu/tests/worlds.h"
#include "reference/splitmix.h"

namespace wddm::gpummu {
namespace {

using testing::four_levels;
using testing::Report;
using testing::report;

struct Flaw {
  const char* name;
  std::function<void(Report&)> commit;
  Defect expected;
};

/// Four levels of 9 bits with one flaw; the defect says which, with its numbers.
class OneFlaw : public ::testing::TestWithParam<Flaw> {};

TEST_P(OneFlaw, IsNamedWithItsNumbers) {
  Report flawed = four_levels();
  GetParam().commit(flawed);
  const CheckedGeometry checked = flawed.check();
  ASSERT_EQ(checked.defects.size(), 1u);
  EXPECT_EQ(checked.defects[0], GetParam().expected);
  EXPECT_EQ(checked.geometry.has_value(), is_harmless(GetParam().expected.kind));
}

const Flaw kFlaws[] = {
    {"MMU_004_OneLevel",
     [](Report& r) { r.caps.page_table_level_count = 1; },
     {DefectKind::LevelCount, 0, 1, 6}},
    {"MMU_004_SevenLevels",
     [](Report& r) { r.caps.page_table_level_count = 7; },
     {DefectKind::LevelCount, 0, 7, 6}},
    {"MMU_003_ADescriptorIsMissing",
     [](Report& r) { r.levels.pop_back(); },
     {DefectKind::LevelsMissing, 0, 3, 4}},
    {"MMU_004_UpdateModeThree",
     [](Report& r) { r.caps.page_table_update_mode = PageTableUpdateMode{3}; },
     {DefectKind::UpdateMode, 0, 3, 2}},
    {"MMU_005_LevelsOf9998Bits",
     [](Report& r) { r.levels[3].page_table_index_bit_count = 8; },
     {DefectKind::IndexBitsSum, 0, 47, 48}},
    {"MMU_008_SizeOfNoWholePage",
     [](Report& r) { r.levels[1].page_table_size_in_bytes = 6000; },
     {DefectKind::TableSize, 1, 6000, 4096}},
    {"MMU_008_SizeZero",
     [](Report& r) { r.levels[2].page_table_size_in_bytes = 0; },
     {DefectKind::TableSize, 2, 0, 4096}},
    {"MMU_009_SegmentFour",
     [](Report& r) { r.levels[0].page_table_segment_id = {4}; },
     {DefectKind::Segment, 0, 4, 3}},
    {"MMU_009_AnAperture",
     [](Report& r) { r.levels[0].paging_process_page_table_segment_id = {3}; },
     {DefectKind::Segment, 0, 3, 3}},
    {"MMU_009_EightKilobytesOfSystemMemory",
     [](Report& r) {
       r.levels[0].page_table_segment_id = {};
       r.levels[0].page_table_size_in_bytes = 8192;
     },
     {DefectKind::SystemMemoryTableSize, 0, 8192, 4096}},
    {"MMU_010_CpuVirtualWithALocalDirectory",
     [](Report& r) {
       for (auto& level : r.levels) level.page_table_segment_id = {};
       r.levels[2].page_table_segment_id = {1};
       r.caps.page_table_update_mode = PageTableUpdateMode::CpuVirtual;
     },
     {DefectKind::CpuVirtualDirectories, 2, 1, 0}},
    {"AlignmentOfThree",
     [](Report& r) { r.levels[0].page_table_alignment_in_bytes = 3; },
     {DefectKind::TableAlignment, 0, 3, 0}},
    {"MMU_004_LeafFor64KOfNoWholePage",
     [](Report& r) { r.caps.leaf_page_table_size_for_64kb_pages_in_bytes = 256; },
     {DefectKind::Leaf64KSize, 0, 256, 4096}},
    {"PGSZ_009_DualPteWithoutA64KLeaf",
     [](Report& r) { r.caps.dual_pte_supported = true; },
     {DefectKind::DualPteWithout64KLeaf, 0, 0, 0}},
};

INSTANTIATE_TEST_SUITE_P(Geometry, OneFlaw, ::testing::ValuesIn(kFlaws),
                         [](const auto& flaw) { return std::string(flaw.param.name); });

TEST(Geometry, PGSZ_007_A64KLeafNeedsFourIndexBits) {
  const CheckedGeometry checked = report({3, 9, 9}).leaves_64kb().check();
  ASSERT_EQ(checked.defects.size(), 1u);
  EXPECT_EQ(checked.defects[0], (Defect{DefectKind::Leaf64KCoverage, 0, 3, 4}));
}

TEST(Geometry, MMU_005_TwoLevelsLeaveTheRootAtLeastOneBit) {
  Report two = report({9, 1});
  two.caps.virtual_address_bit_count = 21;
  ASSERT_EQ(two.check().defects.size(), 1u);
  EXPECT_EQ(two.check().defects[0], (Defect{DefectKind::IndexBitsNone, 1, 21, 21}));
  two.caps.virtual_address_bit_count = 22;
  EXPECT_TRUE(two.check().defects.empty());
}

TEST(Geometry, MMU_005_OfASpaceSmallerThanItsTablesTheRootHasFewerEntries) {
  Report clamped = four_levels();
  clamped.caps.virtual_address_bit_count = 47;
  EXPECT_TRUE(clamped.check().defects.empty());
  const Geometry geometry = clamped.geometry();
  EXPECT_EQ(geometry.entries(3), 256u);
  EXPECT_EQ(geometry.index(3, {geometry.space_bytes() - 1}), 255u);
  EXPECT_EQ(geometry.entries(2), 512u);
}

TEST(Geometry, MMU_005_OfASpaceSmallerThanItsTablesOneBitIsTheRoots) {
  Report clamped = four_levels();
  clamped.caps.virtual_address_bit_count = 40;
  EXPECT_EQ(clamped.geometry().entries(3), 2u);
  clamped.caps.virtual_address_bit_count = 39;
  ASSERT_EQ(clamped.check().defects.size(), 1u);
  EXPECT_EQ(clamped.check().defects[0], (Defect{DefectKind::IndexBitsSum, 0, 48, 39}));
  EXPECT_FALSE(clamped.check().geometry);
}

TEST(Geometry, MMU_005_TheRootOfTwoLevelsTakesTheRestWhateverItsDescriptorSays) {
  Report two = report({10, 10});
  two.levels[1].page_table_index_bit_count = 3;
  const Geometry geometry = two.geometry();
  EXPECT_EQ(geometry.entries(1), 1024u);
  EXPECT_EQ(geometry.index(1, {0xffffffff}), 1023u);
}

TEST(Geometry, MMU_009_SystemMemoryTakesThePlaceOfASegmentThatIsNone) {
  Report report = four_levels();
  report.levels[1].page_table_segment_id = {4};

  const CheckedGeometry checked = report.check();

  EXPECT_EQ(checked.defects.at(0).kind, DefectKind::Segment);
  EXPECT_EQ(checked.geometry.value().level(1).page_table_segment_id, SegmentId{});
}

TEST(Geometry, ALevelOfAThousandBitsIsADefectAndNoShift) {
  Report wild = four_levels();
  wild.levels[0].page_table_index_bit_count = 1000;
  EXPECT_FALSE(wild.check().geometry);
}

TEST(Geometry, AnyNumbersGiveAGeometryOrADefect) {
  SplitMix random(1);
  const auto any = [&random] {
    static constexpr std::uint32_t kEdges[] = {0,  1,  2,  6,  9,    12,   31,        32,
                                               33, 48, 63, 64, 4096, 8192, UINT32_MAX};
    return random.below(4) == 0 ? static_cast<std::uint32_t>(random.next())
                                : kEdges[random.below(std::size(kEdges))];
  };
  std::uint32_t sound = 0;
  for (int round = 0; round < 200'000; ++round) {
    Report wild = report(round % 2 == 0 ? std::vector<std::uint32_t>{9, 9}
                                        : std::vector<std::uint32_t>{9, 9, 9});
    for (std::uint32_t changes = random.below(4); changes > 0; --changes) {
      PageTableLevelDesc& level = wild.levels[random.below(2)];
      std::uint32_t* const numbers[] = {&level.page_table_index_bit_count,
                                        &level.page_table_segment_id.value,
                                        &level.page_table_size_in_bytes,
                                        &level.page_table_alignment_in_bytes,
                                        &wild.caps.virtual_address_bit_count,
                                        &wild.caps.page_table_level_count,
                                        &wild.caps.leaf_page_table_size_for_64kb_pages_in_bytes};
      *numbers[random.below(std::size(numbers))] = any();
    }
    const CheckedGeometry checked = wild.check();
    ASSERT_TRUE(checked.geometry || !checked.defects.empty());
    if (!checked.geometry) continue;
    ++sound;
    const GpuVirtualAddress last{checked.geometry->space_bytes() - 1};
    for (std::uint32_t level = 0; level < checked.geometry->levels(); ++level) {
      ASSERT_EQ(checked.geometry->index(level, last), checked.geometry->entries(level) - 1);
    }
  }
  EXPECT_GT(sound, 10'000u);
}

TEST(Geometry, MMU_007_IndexFieldsAreCutAsTheDescriptorsSay) {
  const Geometry geometry = report({10, 3, 5}).geometry();
  const GpuVirtualAddress va{std::uint64_t{21} << 25 | 6 << 22 | 999 << 12 | 0xabc};
  EXPECT_EQ(geometry.index(0, va), 999u);
  EXPECT_EQ(geometry.index(1, va), 6u);
  EXPECT_EQ(geometry.index(2, va), 21u);
  EXPECT_EQ(geometry.entry_bytes(1), 1u << 22);
  EXPECT_EQ(geometry.table_start(1, va).value, std::uint64_t{21} << 25);
}

TEST(Geometry, PGSZ_007_The64KLeafHasASixteenthOfTheEntries) {
  const Geometry geometry = four_levels().leaves_64kb().geometry();
  EXPECT_EQ(geometry.entries_64kb(), 32u);
  EXPECT_EQ(geometry.index_64kb({0x1fffff}), 31u);
  EXPECT_EQ(geometry.index_64kb({0x20ffff}), 0u);
}

// How large such a leaf is says nothing of memory whose pages could be said in it.
TEST(Geometry, PGSZ_008_LeavesOf64KAreUsedForMemoryThatHasSuchPages) {
  Report asked = four_levels().leaves_64kb();
  const std::vector<ReportedSegment> small{{}, {}};
  const std::vector<ReportedSegment> one_large{{}, {.use_64kb_pages = true}};
  EXPECT_FALSE(check_geometry(asked.caps, asked.levels, small).geometry->maps_64kb_pages());
  EXPECT_TRUE(check_geometry(asked.caps, asked.levels, small).geometry->has_64kb_leaves());
  EXPECT_TRUE(check_geometry(asked.caps, asked.levels, one_large).geometry->maps_64kb_pages());
  asked.caps.sys_mem_64kb_page_supported = true;
  EXPECT_TRUE(check_geometry(asked.caps, asked.levels, small).geometry->maps_64kb_pages());
  EXPECT_FALSE(four_levels().geometry().maps_64kb_pages());
}

TEST(Geometry, LDA_001_GpusOfALinkAgreeOnTheAddressBits) {
  GpuMmuCaps caps[3];
  caps[0].virtual_address_bit_count = 48;
  caps[1].virtual_address_bit_count = 48;
  caps[2].virtual_address_bit_count = 40;
  const std::vector<Defect> defects = check_link(caps);
  ASSERT_EQ(defects.size(), 1u);
  EXPECT_EQ(defects[0], (Defect{DefectKind::LinkAddressBits, 2, 40, 48}));
}

TEST(Geometry, ROOT_002_RootSizesAreWholePagesThatHoldTheEntries) {
  const auto kind = [](std::uint64_t bytes, std::uint64_t page_bytes) {
    return check_root_size(600, {bytes, 1024}, page_bytes).value_or(Defect{}).kind;
  };
  EXPECT_FALSE(check_root_size(600, {8192, 1024}, kPageSize));
  EXPECT_EQ(kind(0, kPageSize), DefectKind::RootSize);
  EXPECT_EQ(kind(std::uint64_t{1} << 63, kPageSize), DefectKind::RootSize);
  EXPECT_EQ(kind(6000, kPageSize), DefectKind::RootSize);
  EXPECT_EQ(kind(8192, kPageSize64K), DefectKind::RootSize);
}

TEST(Geometry, ROOT_003_NumberOfPteIsNeverLessThanRequested) {
  EXPECT_FALSE(check_root_size(600, {8192, 600}, kPageSize));
  EXPECT_EQ(check_root_size(600, {8192, 599}, kPageSize),
            (Defect{DefectKind::RootCapacity, 1, 599, 600}));
}

}  // namespace
}  // namespace wddm::gpummu
