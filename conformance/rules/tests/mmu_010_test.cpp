// Updates by the CPU, and where directories lie.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::mmu_010 {
namespace {

class Mmu010 : public LevelsTest {
 protected:
  Mmu010() {
    platform_.segments.resize(2);
    platform_.segments[1].flags.value = 1;  // an aperture
  }
  bool holds() { return TraceTest::holds("MMU-010"); }
};

TEST_F(Mmu010, DirectoriesInSystemMemory) {
  caps(2);
  level(0, 9, 1);  // the leaf may be anywhere
  level(1, 9, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-010"), 1u);
}

TEST_F(Mmu010, ADirectoryInMemoryOfTheGpu) {
  caps(2);
  level(0, 9, 1);
  level(1, 9, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu010, TheGpuMayWriteItThere) {
  for (const std::uint32_t mode : {update_mode::kGpuVirtual, update_mode::kGpuPhysical}) {
    caps(2, 48, mode);
    level(0, 9, 1);
    level(1, 9, 1);
  }
  EXPECT_TRUE(holds());
}

TEST_F(Mmu010, TheSecondGpuOfALink) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .physical_adapter = 1});
  for (gpu = 0; gpu < 2; ++gpu) {
    caps(2);
    level(0, 9, 1);
    level(1, 9, gpu);
    EXPECT_EQ(holds(), gpu == 0);
  }
}

TEST_F(Mmu010, AnApertureIsAnothersMatter) {
  caps(2);
  level(0, 9, 1);
  level(1, 9, 2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mmu_010
