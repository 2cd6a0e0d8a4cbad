// Where allocations of segments of 64 KB pages begin and end.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_003 {
namespace {

constexpr std::uint32_t kFill = 9, kUpdate = 11;
constexpr std::uint64_t kBase = 0x10000000;

class Pgsz003 : public TraceTest {
 protected:
  Pgsz003() {
    platform_.segments = {{.base = kBase, .size = 1 << 20}, {.base = 2 * kBase, .size = 1 << 20}};
    platform_.segments[0].flags.value = 1u << 11;
    add(ev::AllocationCreated{.allocation = 1, .write_set = 1});
  }
  void fill(std::uint32_t offset, std::uint64_t size) {
    add(ev::PagingBuilt{.operation = kFill, .allocation = 1},
        std::vector<PagingArguments>{{.size = size, .offset = offset}});
  }
  // Entries of 4 KB or 64 KB for pages behind `offset` of the allocation.
  void map(std::uint32_t offset, std::uint64_t address, std::uint32_t flags = 0) {
    add(ev::PagingBuilt{.operation = kUpdate, .allocation = 1},
        std::vector<PagingArguments>{{.offset = offset}});
    add(ev::TableUpdated{.count = 1, .flags = flags, .allocation = 1},
        std::vector<EntryRecord>{{.address = address, .flags = entry_flag::kValid}});
  }
  static constexpr std::uint32_t k64KB = 8;
};

TEST_F(Pgsz003, WholePagesPartByPart) {
  fill(0, 0x8000);
  fill(0x8000, 0x8000);
  map(0, kBase + 0x20000, k64KB);
  EXPECT_TRUE(holds("PGSZ-003"));
  EXPECT_GT(times_reached("PGSZ-003"), 0u);
}

TEST_F(Pgsz003, APartOfAPage) {
  fill(0, 0x8000);
  map(0, kBase + 0x20000);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, WhatWasNeverBroughtInHasNoSize) {
  map(0, kBase + 0x20000);
  EXPECT_TRUE(holds("PGSZ-003"));
  EXPECT_EQ(times_reached("PGSZ-003"), 0u);
  map(0, kBase + 0x21000);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, AFillOfSomeBytesSaysNothingOfTheSize) {
  fill(0, 0x10000);
  map(0, kBase + 0x20000);
  fill(0, 100);
  map(0, kBase + 0x20000);
  fill(0x800, 0x1000);
  map(0, kBase + 0x20000);
  EXPECT_TRUE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, NorDoesItMakeUpForWhatIsNotThere) {
  fill(0, 0x8000);
  fill(0x100, 0x1000);
  map(0, kBase + 0x20000);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, BeginsInsideAPage) {
  fill(0, 0x10000);
  map(0x3000, kBase + 0x23000);
  EXPECT_TRUE(holds("PGSZ-003"));
  map(0x3000, kBase + 0x24000);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, WhatIsLeftOfAPairIsOfNoAllocation) {
  const auto sixteen = [this](std::uint32_t allocation, std::uint32_t offset) {
    add(ev::PagingBuilt{.operation = kUpdate, .allocation = allocation},
        std::vector<PagingArguments>{{.offset = offset}});
    std::vector<EntryRecord> entries;
    for (std::uint64_t i = 0; i < 16; ++i) {
      entries.push_back({.address = kBase + 0x40000 + i * 4096, .flags = entry_flag::kValid});
    }
    add(ev::TableUpdated{.first_va = 0x2000000, .count = 16, .allocation = allocation}, entries);
  };
  platform_.gpu_mmu_caps.value = 1u << 7;  // DualPteSupported
  sixteen(kNone, 0);
  EXPECT_TRUE(holds("PGSZ-003"));
  sixteen(1, 0);
  EXPECT_TRUE(holds("PGSZ-003"));
  sixteen(1, 0x3000);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, LargeEntriesForAnotherSegment) {
  map(0, 2 * kBase, k64KB);
  EXPECT_FALSE(holds("PGSZ-003"));
}

TEST_F(Pgsz003, SmallOnesForAnotherSegment) {
  map(0, 2 * kBase + 0x1000);
  EXPECT_TRUE(holds("PGSZ-003"));
}

}  // namespace
}  // namespace wddm::pgsz_003
