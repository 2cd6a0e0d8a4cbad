// Bits of DXGK_VIDMMCAPS and what belongs to them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_011 {
namespace {

constexpr std::uint32_t kAddressing = 1u << 5, kGpuMmu = 1u << 6, kIoMmu = 1u << 7;

class Mmu011 : public TraceTest {
 protected:
  Mmu011() { platform_.gpu_mmu = true; }
  void lacks(DdiId ddi) { platform_.absent_ddis.value.set(static_cast<std::size_t>(ddi)); }
  bool holds_with(std::uint32_t memory, std::uint32_t status = 0) {
    add(ev::CapsReported{.status = status, .memory = memory});
    return TraceTest::holds("MMU-011");
  }
};

TEST_F(Mmu011, WithOneMmu) {
  EXPECT_TRUE(holds_with(kAddressing | kGpuMmu));
  EXPECT_TRUE(holds_with(kAddressing | kIoMmu));
  EXPECT_TRUE(holds_with(0));
  EXPECT_EQ(times_reached("MMU-011"), 3u);
}

TEST_F(Mmu011, WithBoth) {
  EXPECT_FALSE(holds_with(kAddressing | kGpuMmu | kIoMmu));
}

TEST_F(Mmu011, WithNone) {
  EXPECT_FALSE(holds_with(kAddressing));
}

TEST_F(Mmu011, AnMmuWithoutAddresses) {
  EXPECT_FALSE(holds_with(kGpuMmu));
}

TEST_F(Mmu011, AnEntryIsMissing) {
  lacks(DdiId::SubmitCommandVirtual);
  EXPECT_FALSE(holds_with(kAddressing | kIoMmu));
}

TEST_F(Mmu011, AnEntryForTablesIsMissing) {
  lacks(DdiId::SetRootPageTable);
  EXPECT_TRUE(holds_with(kAddressing | kIoMmu));
  EXPECT_FALSE(holds_with(kAddressing | kGpuMmu));
}

TEST_F(Mmu011, TheSizeOfRootsIsAskedForWithTwoLevelsAlone) {
  lacks(DdiId::GetRootPageTableSize);
  platform_.page_table_levels = 3;
  EXPECT_TRUE(holds_with(kAddressing | kGpuMmu));
  platform_.page_table_levels = 2;
  EXPECT_FALSE(holds_with(kAddressing | kGpuMmu));
}

TEST_F(Mmu011, TheSizeOfRootsIsAskedForWhereADeviceOnlyComputes) {
  lacks(DdiId::GetRootPageTableSize);
  platform_.page_table_levels = 3;
  platform_.compute_only = true;
  EXPECT_FALSE(holds_with(kAddressing | kGpuMmu));
}

TEST_F(Mmu011, WithoutAddressesNoEntryIsNeeded) {
  lacks(DdiId::CreateProcess);
  EXPECT_TRUE(holds_with(0));
}

TEST_F(Mmu011, ItsCapabilitiesAreNotAnswered) {
  platform_.gpu_mmu = false;
  EXPECT_FALSE(holds_with(kAddressing | kGpuMmu));
}

TEST_F(Mmu011, AQueryThatFailsSaysNothing) {
  EXPECT_TRUE(holds_with(kGpuMmu, 0xC000000D));
  EXPECT_EQ(times_reached("MMU-011"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_011
