// Where page tables are to lie.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::mmu_009 {
namespace {

constexpr std::uint32_t kAperture = 1;

class Mmu009 : public LevelsTest {
 protected:
  Mmu009() {
    platform_.segments.resize(2);
    platform_.segments[1].flags.value = kAperture;
    add(ev::SegmentReported{.segment = 1});
    caps(2);
  }
  bool holds() { return TraceTest::holds("MMU-009"); }
};

TEST_F(Mmu009, SystemMemoryOrASegmentOfMemory) {
  level(0, 9, 0, 4096, 0);
  level(1, 9, 1, 65536, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-009"), 2u);
}

TEST_F(Mmu009, AnAperture) {
  level(0, 9, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu009, ASegmentThatThereIsNot) {
  level(0, 9, 3);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu009, OfThePagingProcessToo) {
  level(0, 9, 1, 4096, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu009, SystemMemoryHasTablesOfOnePage) {
  level(0, 9, 0, 8192);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu009, AlsoWhereOnlyThePagingProcessHasThemThere) {
  level(0, 9, 1, 8192, 0);
  EXPECT_FALSE(holds());
}

class Mmu009Leaf64K : public Mmu009 {
 protected:
  Mmu009Leaf64K() { gpu = 1; }
  void leaves_of(std::uint32_t bytes) {
    add(ev::GpuMmuReported{
        .physical_adapter = gpu, .caps = caps, .leaf_64kb_bytes = bytes, .levels = 2});
  }
  std::uint32_t caps = 512;  // SysMem64KBPageSupported
};

TEST_F(Mmu009Leaf64K, OfNothingWhereNoPageIsOf64KB) {
  caps = 0;
  leaves_of(8192);
  level(0);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu009Leaf64K, OfOnePageInSystemMemory) {
  leaves_of(4096);
  level(0);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu009Leaf64K, LargerInSystemMemory) {
  leaves_of(8192);
  level(0);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu009Leaf64K, LargerInASegment) {
  leaves_of(8192);
  level(0, 9, 1, 4096, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu009, EachGpuOfALinkHasSegmentsOfItsOwn) {
  platform_.linked_adapters = 2;
  for (const std::uint32_t segment : {1u, 2u, 3u}) {
    add(ev::SegmentReported{
        .segment = segment, .flags = segment == 1 ? kAperture : 0, .physical_adapter = 1});
  }
  level(0, 9, 1);
  gpu = 1;
  caps(2);
  level(0, 9, 3);
  level(1, 9, 2, 65536, 2);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu009, AnApertureOfTheSecondGpu) {
  platform_.linked_adapters = 2;
  add(ev::SegmentReported{.segment = 1, .flags = kAperture, .physical_adapter = 1});
  level(0, 9, 1);
  EXPECT_TRUE(holds());
  gpu = 1;
  caps(2);
  level(0, 9, 1);
  EXPECT_FALSE(holds());
}

// How large it is no description says.
TEST_F(Mmu009, TheRootOfTwoLevelsMayHaveAnySize) {
  level(0, 9);
  level(1, 0, 0, 65536);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-009"), 2u);
}

TEST_F(Mmu009, ButItLiesInNoAperture) {
  level(0, 9);
  level(1, 0, 2, 0);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mmu_009
