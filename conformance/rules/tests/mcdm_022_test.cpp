// Queries that a capability makes necessary.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_022 {
namespace {

constexpr auto kRefused = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED);

class Mcdm022 : public TraceTest {
 protected:
  void ranges(std::vector<DXGK_MEMORYRANGE> list, std::uint32_t status = 0) {
    add(ev::SegmentStateAnswered{.size = 0x10000, .segment = 1, .status = status, .page = 0x1000},
        list);
  }
  bool holds() { return TraceTest::holds("MCDM-022"); }
};

TEST_F(Mcdm022, Components) {
  add(ev::PowerComponentAnswered{.component = 0, .count = 1});
  add(ev::PowerComponentAnswered{.component = 1, .count = 1, .status = kRefused});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-022"), 2u);
}

TEST_F(Mcdm022, AComponentThatIsNotDescribed) {
  add(ev::PowerComponentAnswered{.component = 0, .count = 1, .status = kRefused});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm022, OneThatIsNotThere) {
  add(ev::PowerComponentAnswered{.component = 1, .count = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm022, WantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  add(ev::PowerComponentAnswered{.component = 0, .count = 1, .status = kRefused});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm022, RangesOfWholePages) {
  ranges({{0, 0x1000}, {0xf000, 0x1000}});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm022, RangesThatAreNone) {
  ranges({{0, 0}});
  ranges({{0x800, 0x1000}});
  ranges({{0, 0x800}});
  ranges({{0xf000, 0x2000}});
  ranges({{~std::uint64_t{0xfff}, 0x1000}});
  EXPECT_EQ(failures("MCDM-022"), 5u);
}

TEST_F(Mcdm022, RangesThatNobodyTells) {
  ranges({}, kRefused);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm022, TheSaveArea) {
  add(ev::InfoAnswered{.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .first = 0});
  add(ev::InfoAnswered{.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .first = 0x2000});
  EXPECT_TRUE(holds());
  add(ev::InfoAnswered{.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .first = 1000});
  EXPECT_EQ(failures("MCDM-022"), 1u);
  add(ev::InfoAnswered{.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .status = kRefused});
  EXPECT_EQ(failures("MCDM-022"), 2u);
}

TEST_F(Mcdm022, ASaveAreaOfWhichHalfIsWritten) {
  const auto area = [this](std::uint32_t changed) {
    add(ev::InfoAnswered{
        .type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE, .output_bytes = 8, .changed = changed});
  };
  // A size may have a byte or two that stood there before.
  for (const std::uint32_t changed : {8u, 7u, 5u}) area(changed);
  EXPECT_TRUE(holds());
  area(4);
  EXPECT_EQ(failures("MCDM-022"), 1u);
}

TEST_F(Mcdm022, ReservedRanges) {
  add(ev::InfoAnswered{.type = DXGKQAITYPE_HARDWARERESERVEDRANGES, .first = 3});
  EXPECT_TRUE(holds());
  add(ev::InfoAnswered{.type = DXGKQAITYPE_HARDWARERESERVEDRANGES, .unlike = 1, .first = 2});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm022, ReservedRangesThatAreWritten) {
  constexpr auto kAgain = static_cast<std::uint32_t>(InfoQuestion::Again);
  // No ranges, no array; and one that begins at 0 has a length.
  add(ev::InfoAnswered{.type = DXGKQAITYPE_HARDWARERESERVEDRANGES, .output_bytes = 16});
  add(ev::InfoAnswered{.type = DXGKQAITYPE_HARDWARERESERVEDRANGES,
                       .how = kAgain,
                       .output_bytes = 16,
                       .changed = 1,
                       .first = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm022, ReservedRangesThatAreOnlyAnnounced) {
  constexpr auto kAgain = static_cast<std::uint32_t>(InfoQuestion::Again);
  add(ev::InfoAnswered{
      .type = DXGKQAITYPE_HARDWARERESERVEDRANGES, .how = kAgain, .output_bytes = 16, .first = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm022, AnAnswerMayNotFitWhereItHasLessRoom) {
  add(ev::InfoAnswered{.type = DXGKQAITYPE_FRAMEBUFFERSAVESIZE,
                       .how = static_cast<std::uint32_t>(InfoQuestion::Short),
                       .status = kRefused});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm022, OtherQueriesAreNoneOfThese) {
  add(ev::InfoAnswered{.type = DXGKQAITYPE_UMDRIVERPRIVATE, .status = kRefused});
  EXPECT_EQ(times_reached("MCDM-022"), 0u);
}

TEST_F(Mcdm022, PageTables) {
  platform_.compute_only = true;
  platform_.page_table_levels = 2;
  add(ev::GpuMmuReported{});
  add(ev::PageTableLevelReported{});
  EXPECT_TRUE(holds());
  add(ev::PageTableLevelReported{.level = 2, .status = kRefused});
  EXPECT_TRUE(holds());
  add(ev::PageTableLevelReported{.level = 1, .status = kRefused});
  EXPECT_FALSE(holds());
}

// Whose page tables MMU-003 and MMU-004 judge.
TEST_F(Mcdm022, DevicesThatDrawAndManagePower) {
  platform_.has_caps = true;
  EXPECT_NE(find_rule("MCDM-022")->applies(platform_), nullptr);
  platform_.runtime_power = true;
  EXPECT_EQ(find_rule("MCDM-022")->applies(platform_), nullptr);
  add(ev::GpuMmuReported{.status = kRefused});
  EXPECT_TRUE(holds());
  add(ev::PowerComponentAnswered{.component = 0, .count = 1, .status = kRefused});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_022
