// Tables that are too small for their entries, by the size that the client's decoder gives them.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::mmu_008 {
namespace {

class Mmu008 : public LevelsTest {
 protected:
  void table(std::uint32_t entries, std::uint32_t entry_bytes, std::uint32_t walked = 0) {
    add(ev::TableUpdated{.count = 1,
                         .table_bytes = 4096,
                         .entries = entries,
                         .entry_bytes = entry_bytes,
                         .walked = walked});
  }
};

TEST_F(Mmu008, TableWithRoomForAllItsEntries) {
  table(512, 8);
  EXPECT_TRUE(holds("MMU-008"));
  EXPECT_EQ(times_reached("MMU-008"), 1u);
}

TEST_F(Mmu008, TenIndexBitsInOnePage) {
  table(1024, 8);
  EXPECT_FALSE(holds("MMU-008"));
}

TEST_F(Mmu008, TheGpuShowsHowLargeEntriesAre) {
  table(512, 0, 8);
  EXPECT_TRUE(holds("MMU-008"));
  EXPECT_EQ(times_reached("MMU-008"), 1u);
  table(1024, 0, 8);
  EXPECT_FALSE(holds("MMU-008"));
}

TEST_F(Mmu008, SizesOfEachGpuOfALink) {
  for (gpu = 0; gpu < 2; ++gpu) {
    caps(2);
    level(1);
    level(0, 9, 0, gpu == 0 ? 4096 : 2048);
    EXPECT_EQ(holds("MMU-008"), gpu == 0);
  }
}

TEST_F(Mmu008, WithoutADecoderNobodyKnows) {
  caps(2);
  level(1);
  level(0, 10, 0, 4096);
  table(1024, 0);
  EXPECT_TRUE(holds("MMU-008"));
  EXPECT_EQ(times_reached("MMU-008"), 0u);
}

}  // namespace
}  // namespace wddm::mmu_008
