// Reports of page faults whose level is counted from one end or the other.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_001 {
namespace {

class Mmu001 : public TraceTest {
 protected:
  Mmu001() { platform_.page_table_levels = 4; }
  void logs(std::uint64_t address, std::uint32_t level) {
    add(ev::AccessFaulted{.address = address, .fence = 5, .level = level, .packet = 1});
  }
  void reports(std::uint64_t address, std::uint32_t level) {
    add(ev::PageFaultReported{.address = address, .fence = 5, .level = level, .packet = 1});
  }
};

TEST_F(Mmu001, TheRightLevelPasses) {
  logs(0x5000, 0);
  reports(0x5000, 0);
  EXPECT_TRUE(holds("MMU-001"));
  EXPECT_EQ(times_reached("MMU-001"), 1u);
}

TEST_F(Mmu001, TheMirroredOneDoesNot) {
  logs(0x5000, 2);
  reports(0x5000, 1);
  EXPECT_FALSE(holds("MMU-001"));
  EXPECT_TRUE(holds("MMU-013"));
}

TEST_F(Mmu001, YetAnotherLevelIsForAnotherClause) {
  logs(0x5000, 0);
  reports(0x5000, 1);
  EXPECT_TRUE(holds("MMU-001"));
  EXPECT_FALSE(holds("MMU-013"));
}

TEST_F(Mmu001, TheMiddleSaysNothing) {
  platform_.page_table_levels = 3;
  logs(0x5000, 1);
  reports(0x5000, 1);
  EXPECT_EQ(times_reached("MMU-001"), 0u);
}

TEST_F(Mmu001, OfSeveralAccessesTheOneInThePageCounts) {
  logs(0x5000, 0);
  logs(0x90005000, 3);
  reports(0x90005000, 3);
  EXPECT_TRUE(holds("MMU-001"));
}

TEST_F(Mmu001, TheIommuHasTablesOfItsOwn) {
  logs(0x5000, 0);
  add(ev::PageFaultReported{
      .address = 0x5000, .fence = 5, .flags = DXGK_PAGE_FAULT_IOMMU, .level = 3, .packet = 1});
  EXPECT_TRUE(holds("MMU-001"));
  EXPECT_EQ(times_reached("MMU-001"), 0u);
}

TEST_F(Mmu001, AReportWithoutALogIsNotJudged) {
  reports(0x5000, 3);
  EXPECT_EQ(times_reached("MMU-001"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_001
