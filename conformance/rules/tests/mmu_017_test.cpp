// Which memory page tables that the CPU writes may lie in.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::mmu_017 {
namespace {

constexpr std::uint32_t kAperture = 1u << 0, kCpuVisible = 1u << 2, kFromSystemMemory = 1u << 6,
                        kHostAperture = 1u << 13;
// Segments of GPU 0.
constexpr std::uint32_t kSeen = 1, kAnAperture = 2, kHidden = 3, kBehindWindow = 4, kSystem = 5;

class Mmu017 : public LevelsTest {
 protected:
  Mmu017() {
    for (const std::uint32_t flags :
         {kCpuVisible, kAperture, 0u, kHostAperture, kFromSystemMemory}) {
      platform_.segments.push_back({});
      platform_.segments.back().flags.value = flags;
    }
    add(ev::SegmentReported{.segment = 1, .flags = kCpuVisible});
  }
  void tables(std::uint32_t mode, std::uint32_t segment, std::uint32_t paging_segment) {
    caps(2, 48, mode);
    level(0, 9, segment, 4096, paging_segment);
    level(1, 9, 0, 4096, 0);
  }
  bool holds() { return TraceTest::holds("MMU-017"); }
};

TEST_F(Mmu017, MemoryThatTheCpuSees) {
  tables(update_mode::kGpuPhysical, kHidden, kSeen);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-017"), 1u);
}

TEST_F(Mmu017, MemoryBehindACpuHostAperture) {
  tables(update_mode::kGpuVirtual, kHidden, kBehindWindow);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-017"), 1u);
}

TEST_F(Mmu017, MemoryOfTheSystem) {
  tables(update_mode::kGpuPhysical, kHidden, kSystem);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu017, SystemMemoryLeavesNothingToJudge) {
  tables(update_mode::kGpuPhysical, kHidden, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-017"), 0u);
}

TEST_F(Mmu017, HiddenMemoryInWhateverMode) {
  for (const std::uint32_t mode :
       {update_mode::kCpuVirtual, update_mode::kGpuVirtual, update_mode::kGpuPhysical}) {
    gpu = mode;
    if (gpu != 0) platform_.linked_adapters = gpu + 1;
    add(ev::SegmentReported{.segment = kHidden, .physical_adapter = gpu});
    tables(mode, 0, kHidden);
    EXPECT_EQ(failures("MMU-017"), mode + 1) << mode;
  }
}

TEST_F(Mmu017, EachLevel) {
  caps(3, 48, update_mode::kGpuPhysical);
  for (const std::uint32_t which : {0u, 1u, 2u}) level(which, 9, kSeen, 4096, kSeen);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-017"), 3u);
}

TEST_F(Mmu017, OneOfItsLevels) {
  caps(3, 48, update_mode::kGpuPhysical);
  level(0, 9, kSeen, 4096, kSeen);
  level(1, 9, kSeen, 4096, kSeen);
  level(2, 9, kSeen, 4096, kHidden);
  EXPECT_EQ(failures("MMU-017"), 1u);
}

TEST_F(Mmu017, WhereTheCpuWritesAllTablesThoseOfOthersToo) {
  tables(update_mode::kCpuVirtual, kHidden, kSeen);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu017, AnApertureAndNoSegmentAreAnothersMatter) {
  tables(update_mode::kCpuVirtual, kAnAperture, 9);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-017"), 0u);
}

TEST_F(Mmu017, EachGpuOfALinkHasSegmentsOfItsOwn) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .flags = 0, .physical_adapter = 1});
  add(ev::SegmentReported{.segment = 3, .flags = kCpuVisible, .physical_adapter = 1});
  tables(update_mode::kGpuPhysical, kSeen, kSeen);
  gpu = 1;
  tables(update_mode::kGpuPhysical, 3, 3);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu017, HiddenMemoryOfTheSecondGpu) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .flags = 0, .physical_adapter = 1});
  tables(update_mode::kGpuPhysical, kSeen, kSeen);
  gpu = 1;
  tables(update_mode::kGpuPhysical, kSeen, kSeen);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mmu_017
