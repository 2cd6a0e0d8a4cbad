// Entries of allocations that move, and packets that come behind.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/copied_entries.h"

namespace wddm::pt_028 {
namespace {

class Pt028 : public TraceTest {
 protected:
  Pt028() {
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
    writes(0x20000);
    writes(0x40000);
  }
  void writes(std::uint64_t address, std::uint32_t allocation = 1, std::uint32_t pages = 1,
              std::uint32_t process = 3) {
    const std::vector<EntryRecord> entries(
        pages, EntryRecord{.address = 0x9000, .flags = entry_flag::kValid});
    update(address, allocation, pages, process, entries);
  }
  void empties(std::uint64_t address, std::uint32_t pages = 1) {
    update(address, 1, pages, 3, {EntryRecord{}});
  }
  void moves(std::uint32_t allocation = 1) { add(ev::TransferBuilt{.allocation = allocation}); }
  void planned(std::uint32_t render) { add(ev::PortionPlanned{.render = render}); }
  void submitted(std::uint32_t render, std::uint32_t context = 1) {
    add(ev::Submitted{.packet = render, .render = render, .context = context});
  }
  void draws(std::uint32_t render, std::uint32_t context = 1) {
    planned(render);
    submitted(render, context);
  }
  bool holds() { return TraceTest::holds("PT-028"); }
  std::uint32_t reached() { return times_reached("PT-028"); }

 private:
  void update(std::uint64_t address, std::uint32_t allocation, std::uint32_t pages,
              std::uint32_t process, const std::vector<EntryRecord>& entries) {
    add(ev::TableUpdated{.place = 0x5000,
                         .first_va = address,
                         .process = process,
                         .count = pages,
                         .allocation = allocation},
        entries);
  }
};

TEST_F(Pt028, AllAreWritten) {
  moves();
  writes(0x20000);
  writes(0x40000);
  draws(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Pt028, OneIsNot) {
  moves();
  writes(0x40000);
  draws(7);
  EXPECT_FALSE(holds());
}

TEST_F(Pt028, OneIsTooLate) {
  moves();
  writes(0x40000);
  draws(7);
  writes(0x20000);
  EXPECT_FALSE(holds());
}

TEST_F(Pt028, WhatLeadsNowhereMayStay) {
  empties(0x20000);
  moves();
  empties(0x40000);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Pt028, PartOfIt) {
  writes(0x80000, 1, 4);
  moves();
  writes(0x20000);
  writes(0x40000);
  writes(0x80000, 1, 2);
  draws(7);
  EXPECT_FALSE(holds());
  writes(0x82000, 1, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Pt028, PartAfterPart) {
  writes(0x80000, 1, 4);
  moves();
  writes(0x20000);
  writes(0x40000);
  writes(0x81000, 1, 2);
  writes(0x80000);
  writes(0x83000);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Pt028, AnothersEntriesInItsPlace) {
  moves();
  writes(0x20000, 2);
  writes(0x40000, 2);
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Pt028, AnotherAllocationMoves) {
  moves(2);
  draws(7);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt028, WhatWasDecidedOnBeforeGoesOn) {
  planned(7);
  moves();
  submitted(7);
  EXPECT_TRUE(holds());
}

TEST_F(Pt028, OtherProcessesHaveTheirOwn) {
  moves();
  draws(7, 2);
  EXPECT_TRUE(holds());
  writes(0x20000, 1, 1, 4);
  moves();
  draws(8, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Pt028, BehindATableThatIsGoneNothingIsFound) {
  add(ev::TableMoved{.from = 0x5000, .process = 3, .level = 0, .gone = 1});
  moves();
  draws(7);
  EXPECT_TRUE(holds());
}

TEST_F(Pt028, ATableThatMovesTakesItsEntriesAlong) {
  add(ev::TableMoved{.from = 0x5000, .to = 0x6000, .process = 3, .level = 0});
  add(ev::TableMoved{.from = 0x5000, .process = 3, .level = 0, .gone = 1});
  moves();
  draws(7);
  EXPECT_FALSE(holds());
}

TEST_F(Pt028, WhatACopyHasWrittenIsNotKnown) {
  for (const std::uint64_t at : {0x20000, 0x40000}) {
    add(ev::EntriesCopied{.process = 3, .level = 0, .count = 1},
        std::vector<CopiedFrom>{{.source_va = 0x80000, .first_va = at, .source_process = 3}});
  }
  moves();
  draws(7);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::pt_028
