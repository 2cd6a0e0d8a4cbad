// Pages of 64 KB in tables of 4 KB pages.
#include <utility>

#include "conformance/rules/tests/tables_test.h"

namespace wddm::pgsz_005 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11;
constexpr std::uint64_t kBase = 0x1000000, kPage = 4096;

class Pgsz005 : public TablesTest {
 protected:
  Pgsz005() {
    platform_.segments.push_back(
        {.base = kBase, .size = 1 << 20, .flags = {kSegmentUses64KBPages}});
    add(ev::RootSet{.context = 1, .process = 3});
  }
  static std::vector<EntryRecord> block() {
    std::vector<EntryRecord> entries;
    for (std::uint64_t i = 0; i < 16; ++i) {
      entries.push_back({.address = kBase + i * kPage, .flags = kValid});
    }
    return entries;
  }
  void maps() { carried_out(block(), {}, {.process = 3, .allocation = 1}); }
  void takes_back(const EntryRecord& seen) {
    std::vector<EntryDifference> differences;
    if (seen.flags != 0) differences.push_back({.expected = {}, .seen = seen, .index = 5});
    carried_out({{}}, differences, {.process = 3, .first = 5, .allocation = 1});
  }
  void draws_wrong(std::uint32_t allocation = 1) {
    add(ev::Submitted{.packet = 9, .render = 7, .fence = 9, .context = 1});
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = allocation,
                          .cause_object = 9});
  }
  bool holds() { return TraceTest::holds("PGSZ-005"); }
  std::uint32_t reached() { return times_reached("PGSZ-005"); }
};

TEST_F(Pgsz005, SixteenAndOneLess) {
  maps();
  takes_back({});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pgsz005, WhateverApertureHasTheSameAddresses) {
  platform_.segments.push_back({.size = 2 * kBase, .flags = {1}});
  std::swap(platform_.segments[0], platform_.segments[1]);
  maps();
  takes_back({});
  EXPECT_EQ(reached(), 2u);
  takes_back(block()[5]);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz005, OneOfThemIsAnother) {
  carried_out(block(),
              {{.expected = block()[7], .seen = {.address = kBase, .flags = kValid}, .index = 7}},
              {.process = 3, .allocation = 1});
  EXPECT_FALSE(holds());
}

// As of a page that addresses of another allocation have cut.
TEST_F(Pgsz005, WhatNamesNoAllocationSaysNothingOfOthersThatNameNone) {
  carried_out(block(), {}, {.process = 3, .allocation = kNone});
  EXPECT_EQ(reached(), 1u);
  one({.address = 0x8000, .flags = kValid | kSystem}, {}, {.process = 3, .allocation = kNone});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pgsz005, ThePartThatIsTakenBackStays) {
  maps();
  takes_back(block()[5]);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz005, WhatWasNotTakenBackIsReachedNoMore) {
  maps();
  takes_back({});
  draws_wrong();
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz005, OtherAllocationsAreOthersMatter) {
  maps();
  draws_wrong(2);
  EXPECT_TRUE(holds());
}

TEST_F(Pgsz005, SoAreTablesOf64KBPagesAndSmallPages) {
  carried_out({block()[0]}, {}, {.process = 3, .flags = kUse64KBPages, .allocation = 1});
  carried_out({{.address = 0x3000, .flags = kValid | kSystem}}, {},
              {.process = 3, .allocation = 2});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_005
