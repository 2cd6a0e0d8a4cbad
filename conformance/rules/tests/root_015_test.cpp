// Roots that come in the place of others, and the entries that they begin with.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::root_015 {
namespace {

constexpr std::uint32_t kRepeat = 1, kInitial = 2;
constexpr std::uint64_t kOld = 0x1000, kNew = 0x9000;

EntryRecord leaf(std::uint64_t place) {
  return {.address = place, .flags = entry_flag::kValid};
}

// The old root leads to two leaf tables, by entries 0 and 4.
class Root015 : public TraceTest {
 protected:
  Root015() {
    platform_.page_table_levels = 2;
    begins(kOld, 512);
    writes(kOld, 0, {leaf(0x2000)});
    writes(kOld, 4, {leaf(0x3000)});
    told(kOld, 512);
  }
  void begins(std::uint64_t place, std::uint32_t count) {
    writes(place, 0, {EntryRecord{}}, kInitial | kRepeat, count);
  }
  void writes(std::uint64_t place, std::uint32_t first, const std::vector<EntryRecord>& entries,
              std::uint32_t flags = 0, std::uint32_t count = 0) {
    add(ev::TableUpdated{.place = place,
                         .process = 3,
                         .level = 1,
                         .first = first,
                         .count = count != 0 ? count : static_cast<std::uint32_t>(entries.size()),
                         .flags = flags},
        entries);
  }
  void grown(const std::vector<EntryRecord>& entries) {
    writes(kNew, 0, entries, kInitial);
    const auto first = static_cast<std::uint32_t>(entries.size());
    writes(kNew, first, {EntryRecord{}}, kInitial | kRepeat, 1024 - first);
    told(kNew, 1024);
  }
  void copied(std::uint32_t from, std::uint32_t to, std::uint32_t count) {
    add(
        ev::EntriesCopied{
            .process = 3, .level = 1, .from_first = from, .to_first = to, .count = count},
        std::vector<CopiedFrom>{{.source_process = 3}});
  }
  void told(std::uint64_t place, std::uint32_t entries, std::uint32_t context = 1) {
    add(ev::RootSet{.place = place, .context = context, .process = 3, .entries = entries});
  }
  bool holds() { return TraceTest::holds("ROOT-015"); }
};

TEST_F(Root015, ALargerOneHasThemAll) {
  grown({leaf(0x2000), {}, {}, {}, leaf(0x3000)});
  told(kNew, 1024, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-015"), 1u);
}

TEST_F(Root015, ALargerOneIsEmpty) {
  grown({EntryRecord{}});
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ALargerOneHasOneBesideItsPlace) {
  grown({leaf(0x2000), {}, {}, leaf(0x3000)});
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ALargerOneLeadsToAnotherLeaf) {
  grown({leaf(0x2000), {}, {}, {}, leaf(0x4000)});
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ASmallerOneGetsThemByACopy) {
  begins(kNew, 256);
  copied(0, 0, 3);
  copied(3, 3, 2);
  told(kNew, 256);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-015"), 1u);
}

TEST_F(Root015, ACopyThatIsTooShort) {
  begins(kNew, 256);
  copied(0, 0, 4);
  told(kNew, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ACopyToTheNextIndices) {
  begins(kNew, 256);
  copied(0, 1, 5);
  told(kNew, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ASmallerOneEndsBeforeWhatIsInUse) {
  begins(kNew, 4);
  copied(0, 0, 5);
  told(kNew, 4);
  EXPECT_FALSE(holds());
}

TEST_F(Root015, WhatWasTakenAwayBeforeIsNotMissed) {
  writes(kOld, 4, {EntryRecord{}});
  grown({leaf(0x2000)});
  EXPECT_TRUE(holds());
}

TEST_F(Root015, ItIsWrittenTooLate) {
  grown({leaf(0x2000)});
  writes(kNew, 4, {leaf(0x3000)});
  EXPECT_FALSE(holds());
}

TEST_F(Root015, ARootThatMovesTakesItsEntriesAlong) {
  add(ev::TableMoved{.from = kOld, .to = kNew, .process = 3, .level = 1});
  told(kNew, 512);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-015"), 0u);
  begins(kOld, 256);
  told(kOld, 256);
  EXPECT_FALSE(holds());
}

TEST_F(Root015, OfOneThatWasAwayNothingIsKnown) {
  add(ev::TableMoved{.from = kOld, .process = 3, .level = 1, .gone = 1});
  begins(kNew, 256);
  told(kNew, 256);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-015"), 0u);
}

TEST_F(Root015, AnotherProcessInTheSlotBeginsAnew) {
  add(ev::ProcessCreated{.process = 3});
  begins(kNew, 512);
  told(kNew, 512);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-015"), 0u);
}

}  // namespace
}  // namespace wddm::root_015
