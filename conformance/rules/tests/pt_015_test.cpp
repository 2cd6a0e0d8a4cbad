// Tables that go, and what was written to them last.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt_015 {
namespace {

class Pt015 : public TraceTest {
 protected:
  void writes(std::uint32_t flags, std::uint32_t first = 0, std::uint32_t count = 1,
              std::uint32_t level = 0, std::uint64_t place = 0x4000) {
    add(ev::TableUpdated{.place = place, .level = level, .first = first, .count = count},
        std::vector<EntryRecord>{{.flags = flags}});
  }
  void moves(std::uint64_t from, std::uint64_t to, std::uint32_t gone) {
    add(ev::TableMoved{.from = from, .to = to, .gone = gone});
  }
  void writes_entry(std::uint32_t index, std::uint32_t flags) {
    add(ev::TableUpdated{.place = 0x4000, .first_va = index * 4096ull, .first = index, .count = 1},
        std::vector<EntryRecord>{{.flags = flags}});
  }
  // Entry 9 of the leaf table becomes what entry 3 is.
  void copies() {
    add(ev::EntriesCopied{.from_first = 3, .to_first = 9, .count = 1, .read = 1, .ranges = 1},
        std::vector<CopiedFrom>{{.source_va = 3 * 4096, .first_va = 9 * 4096}});
  }
  bool holds() { return TraceTest::holds("PT-015"); }
};

TEST_F(Pt015, EmptiedFirst) {
  writes(entry_flag::kValid, 3);
  writes(0, 0, 512);
  moves(0x4000, 0, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-015"), 1u);
}

TEST_F(Pt015, WithAnEntry) {
  writes(entry_flag::kValid, 3);
  writes(0, 0, 3);
  moves(0x4000, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, WithAnEntryThatWasCopied) {
  writes_entry(3, entry_flag::kValid);
  copies();
  writes_entry(3, 0);
  moves(0x4000, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, EmptiedByACopy) {
  writes_entry(9, entry_flag::kValid);
  copies();
  moves(0x4000, 0, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-015"), 1u);
}

TEST_F(Pt015, WhoMovesTakesThemAlong) {
  writes(entry_flag::kValid);
  moves(0x4000, 0x8000, 0);
  EXPECT_TRUE(holds());
  moves(0x8000, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, ARootThatIsReplacedGoesToo) {
  writes(entry_flag::kValid);
  writes(entry_flag::kValid, 0, 1, 0, 0x8000);
  writes(0);
  moves(0x4000, 0x8000, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PT-015"), 1u);
  moves(0x8000, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, ARootThatIsReplacedWithItsEntries) {
  writes(entry_flag::kValid);
  writes(entry_flag::kValid, 0, 1, 0, 0x8000);
  moves(0x4000, 0x8000, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, WhatAnEarlierProcessHadIsForgotten) {
  writes(entry_flag::kValid, 0, 1, 0, 0x8000);
  add(ev::ProcessCreated{});
  writes(entry_flag::kValid);
  moves(0x4000, 0x8000, 0);
  EXPECT_TRUE(holds());
  moves(0x8000, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt015, SoIsAllOfAnAdapterThatWasReset) {
  writes(entry_flag::kValid, 0, 1, 0, 0x8000);
  add(ev::AdapterReset{});
  writes(entry_flag::kValid);
  moves(0x4000, 0x8000, 0);
  EXPECT_TRUE(holds());
}

// A table of another level at the same offset of another segment.
TEST_F(Pt015, OfItsOwnLevelAlone) {
  writes(0);
  writes(entry_flag::kValid, 0, 1, 1);
  moves(0x4000, 0, 1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pt_015
