// Windows of the paging process onto pages of 64 KB.
#include "conformance/rules/tests/trace_test.h"
#include "reference/types.h"

namespace wddm::pgsz_013 {
namespace {

constexpr std::uint32_t kSegmentUses64KBPages = 1u << 11, kUse64KBPages = 8;

class Pgsz013 : public TraceTest {
 protected:
  Pgsz013() {
    platform_.segments.push_back({.size = 1 << 20, .flags = {kSegmentUses64KBPages}});
    platform_.segments.push_back({.base = 1 << 24, .size = 1 << 20});
  }
  void shows(std::uint64_t va, std::uint64_t page, ev::TableUpdated update = of_paging(),
             std::uint32_t flags = entry_flag::kValid) {
    update.first_va = va;
    update.count = 2;
    add(update, std::vector<EntryRecord>{{.address = page, .flags = flags},
                                         {.address = page + 0x1000, .flags = flags}});
  }
  static ev::TableUpdated of_paging() { return {.process = kSystemProcessNumber, .allocation = 1}; }
  bool holds() { return TraceTest::holds("PGSZ-013"); }
  std::uint32_t reached() { return times_reached("PGSZ-013"); }
};

TEST_F(Pgsz013, AtItsPlaceInThePage) {
  shows(0x83000, 0x23000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pgsz013, AtAnotherPlace) {
  shows(0x80000, 0x23000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz013, ItsLastPageIsInTheNext) {
  shows(0x8f000, 0x2f000);
  EXPECT_TRUE(holds());
}

TEST_F(Pgsz013, PagesCountFromTheStartOfTheirSegment) {
  platform_.segments[0].base = 0x1000;
  shows(0x83000, 0x24000);
  EXPECT_TRUE(holds());
  shows(0x83000, 0x23000);
  EXPECT_FALSE(holds());
}

TEST_F(Pgsz013, OtherMemoryMayBeAnywhere) {
  shows(0x80000, (1 << 24) + 0x3000);
  shows(0x80000, 0x23000, of_paging(), entry_flag::kValid | entry_flag::kSystem);
  shows(0x80000, 0x23000, of_paging(), 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pgsz013, AnApertureMayHaveTheSameAddresses) {
  platform_.segments.push_back({.size = 1 << 20, .flags = {1}});
  shows(0x80000, 0x23000);
  EXPECT_TRUE(holds());
}

TEST_F(Pgsz013, WhatIsOtherwiseIsNotJudged) {
  ev::TableUpdated update = of_paging();
  update.process = 3;
  shows(0x80000, 0x23000, update);
  update = of_paging();
  update.allocation = kNone;
  shows(0x80000, 0x23000, update);
  update = of_paging();
  update.level = 1;
  shows(0x80000, 0x23000, update);
  update = of_paging();
  update.flags = kUse64KBPages;
  shows(0x80000, 0x23000, update);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_013
