// Tables that are led to before they are written, and after.
#include <utility>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_003 {
namespace {

constexpr std::uint32_t kInitialUpdate = 2, kEntries = 512;

class Pt003 : public TraceTest {
 protected:
  Pt003() {
    platform_.segments.push_back({.base = 0x100000, .size = 0x100000});
    platform_.segments.push_back({.base = 0x300000, .size = 0x100000});
  }
  void written(std::uint64_t place, std::uint32_t first = 0, std::uint32_t count = kEntries,
               std::uint32_t segment = 1, std::uint32_t level = 0) {
    add(ev::TableUpdated{.place = place,
                         .segment = segment,
                         .level = level,
                         .first = first,
                         .count = count,
                         .flags = kInitialUpdate,
                         .entries = kEntries});
  }
  void linked(std::uint64_t address, std::uint32_t flags = entry_flag::kValid) {
    add(ev::TableUpdated{.segment = 1, .level = 1, .count = 1, .entries = kEntries},
        std::vector<EntryRecord>{{.address = address, .flags = flags}});
  }
  void moved(std::uint64_t from, std::uint64_t to, std::uint32_t gone = 0,
             std::uint32_t level = 0) {
    add(ev::TableMoved{.from = from, .to = to, .level = level, .gone = gone});
  }
  bool holds() { return TraceTest::holds("PT-003"); }
};

TEST_F(Pt003, WrittenWhole) {
  written(0x4000);
  linked(0x104000);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-003"), 1u);
}

TEST_F(Pt003, WrittenInParts) {
  written(0x4000, 0, 100);
  written(0x4000, 100, kEntries - 100);
  linked(0x104000);
  EXPECT_TRUE(holds());
}

TEST_F(Pt003, WrittenByNobody) {
  linked(0x104000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt003, WrittenInPart) {
  written(0x4000, 0, 100);
  linked(0x104000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt003, ATableThatMovedTakesItsEntriesAlong) {
  written(0x4000);
  moved(0x4000, 0x8000);
  linked(0x108000);
  EXPECT_TRUE(holds());
  linked(0x104000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt003, WhatCameBackIsWrittenAgain) {
  written(0x4000);
  moved(0x4000, 0, 1);
  linked(0x104000);
  EXPECT_FALSE(holds());
}

// A table of another level at the same offset of another segment.
TEST_F(Pt003, AnotherTableMayMoveFromTheSameOffset) {
  written(0x4000, 0, kEntries, 2, 1);
  written(0x4000);
  moved(0x4000, 0x8000, 0, 1);
  linked(0x104000);
  EXPECT_TRUE(holds());
}

// From WDDM 2.0 on a place is a segment and an offset.
TEST_F(Pt003, AnApertureMayHaveTheSameAddresses) {
  platform_.segments[1] = std::exchange(platform_.segments[0], {.size = 0x1000000, .flags = {1}});
  written(0x4000, 0, kEntries, 2);
  linked(0x104000);
  EXPECT_TRUE(holds());
  linked(0x108000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt003, OfSegmentsThatShareAddressesTheOneWithTheTableIsMeant) {
  platform_.segments[1] = std::exchange(platform_.segments[0], {.size = 0x1000000});
  written(0x4000, 0, kEntries, 2);
  linked(0x104000);
  EXPECT_TRUE(holds());
}

TEST_F(Pt003, LargePagesAndInvalidEntriesLeadToNoTable) {
  linked(0x104000, entry_flag::kValid | entry_flag::kLargePage);
  linked(0x104000, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-003"), 0u);
}

}  // namespace
}  // namespace wddm::pt_003
