// Where tables lie, and how large they are.
#include "conformance/rules/tests/levels_test.h"

namespace wddm::pt_002 {
namespace {

constexpr std::uint32_t kUse64KBPages = 8, kLeaf64K = 1024;

class Pt002 : public LevelsTest {
 protected:
  Pt002() {
    platform_.segments.resize(2);
    platform_.segments[1].flags.value = 1;  // an aperture
    add(ev::GpuMmuReported{.address_bits = 48, .leaf_64kb_bytes = kLeaf64K, .levels = 3});
    for (std::uint32_t i = 0; i < 3; ++i) {
      add(ev::PageTableLevelReported{.level = i,
                                     .index_bits = 9,
                                     .segment = 1,
                                     .paging_segment = i == 2 ? 2u : 0u,
                                     .bytes = 8192,
                                     .alignment = 8192});
    }
  }
  void table(std::uint64_t place, std::uint32_t segment, std::uint32_t bytes,
             std::uint32_t level = 0, std::uint32_t process = 0, std::uint32_t flags = 0) {
    add(ev::TableUpdated{.place = place,
                         .process = process,
                         .segment = segment,
                         .level = level,
                         .count = 1,
                         .flags = flags,
                         .table_bytes = bytes});
  }
  bool holds() { return TraceTest::holds("PT-002"); }
};

TEST_F(Pt002, AsDescribed) {
  table(0x4000, 1, 8192);
  table(0x6000, 1, kLeaf64K, 0, 0, kUse64KBPages);
  table(0x8000, 0, 8192, 1, kSystemProcessNumber);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-002"), 3u);
}

TEST_F(Pt002, AnotherSize) {
  table(0x4000, 1, 4096);
  EXPECT_FALSE(holds());
}

TEST_F(Pt002, AnotherSegment) {
  table(0x4000, 0, 8192);
  EXPECT_FALSE(holds());
}

TEST_F(Pt002, NotAligned) {
  table(0x5000, 1, 8192);
  EXPECT_FALSE(holds());
}

// There memory comes page by page.
TEST_F(Pt002, InSystemMemoryAPageIsAllTheAlignmentThereIs) {
  table(0x5000, 0, 8192, 1, kSystemProcessNumber);
  EXPECT_TRUE(holds());
  table(0x5800, 0, 8192, 1, kSystemProcessNumber);
  EXPECT_FALSE(holds());
}

// Of a segment that page tables cannot lie in MMU-009 tells; they are in system memory then.
TEST_F(Pt002, InsteadOfAnApertureSystemMemory) {
  table(0x4000, 0, 8192, 2, kSystemProcessNumber);
  EXPECT_TRUE(holds());
}

class Pt002OfOddAlignment : public LevelsTest {
 protected:
  Pt002OfOddAlignment() {
    platform_.segments.resize(1);
    caps(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      add(ev::PageTableLevelReported{
          .level = i, .index_bits = 9, .segment = 1, .bytes = 4096, .alignment = 6000});
    }
  }
};

TEST_F(Pt002OfOddAlignment, CountsInWholePages) {
  add(ev::TableUpdated{.place = 0x2000, .segment = 1, .count = 1, .table_bytes = 4096});
  EXPECT_TRUE(holds("PT-002"));
  add(ev::TableUpdated{.place = 0x3000, .segment = 1, .count = 1, .table_bytes = 4096});
  EXPECT_FALSE(holds("PT-002"));
}

class Pt002OfTwoLevels : public LevelsTest {
 protected:
  Pt002OfTwoLevels() {
    platform_.segments.resize(1);
    caps(2);
    level(0);
    level(1, 0, 1, 0, 0);
  }
};

TEST_F(Pt002OfTwoLevels, TheRootHasTheSizeThatWasAnswered) {
  add(ev::TableUpdated{.segment = 1, .level = 1, .count = 1, .table_bytes = 12288});
  EXPECT_TRUE(holds("PT-002"));
  EXPECT_EQ(times_reached("PT-002"), 1u);
}

}  // namespace
}  // namespace wddm::pt_002
