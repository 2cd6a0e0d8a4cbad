// Processes with the same addresses, of which one's are flushed.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pt_020 {
namespace {

constexpr std::uint64_t kHere = 0x10000, kElsewhere = 0x900000;

class Pt020 : public TraceTest {
 protected:
  Pt020() {
    platform_.page_table_levels = 2;
    add(ev::RootSet{.context = 1, .process = 3});
    add(ev::RootSet{.context = 2, .process = 4});
  }
  void mapped(std::uint32_t process, std::uint64_t address = kHere) {
    add(ev::TableUpdated{.first_va = address, .process = process, .count = 4},
        std::vector<EntryRecord>{{.address = 0x4000, .flags = entry_flag::kValid}});
  }
  void both_mapped() {
    mapped(3);
    mapped(4);
  }
  void flushed(std::uint32_t process, std::uint64_t start = kHere,
               std::uint64_t end = kHere + 0x4000) {
    add(ev::TlbFlushBuilt{.start = start, .end = end, .process = process});
  }
  // Contexts have the number of their packets.
  void draws(std::uint32_t context) {
    add(ev::Submitted{.packet = context, .render = 7, .fence = context, .context = context});
  }
  void right(std::uint32_t packet) { add(ev::MemoryChecked{.object = packet}); }
  void differs(std::uint32_t packet) { add(ev::MemoryDiffers{.cause_object = packet}); }
  bool holds() { return TraceTest::holds("PT-020"); }
  std::uint32_t reached() { return times_reached("PT-020"); }
};

TEST_F(Pt020, EachItsOwn) {
  both_mapped();
  flushed(3);
  draws(1);
  right(1);
  draws(2);
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Pt020, APacketThatUsesNothingTellsNothing) {
  add(ev::PortionPlanned{.render = 7, .count = 1});  // the mark
  both_mapped();
  flushed(3);
  draws(1);
  right(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt020, TheOneThatWasNamedKeepsTheOld) {
  both_mapped();
  flushed(3);
  draws(1);
  differs(1);
  EXPECT_FALSE(holds());
}

TEST_F(Pt020, AnotherLosesItsOwn) {
  both_mapped();
  flushed(3);
  draws(2);
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Pt020, AnEntryOfATableThatWas) {
  both_mapped();
  flushed(3, 0, 0);
  draws(1);
  add(ev::WalkAstray{.fence = 1,
                     .level = 0,
                     .process = 3,
                     .why = static_cast<std::uint32_t>(AstrayWalk::FormerTable)});
  EXPECT_FALSE(holds());
}

TEST_F(Pt020, OtherAddressesTellNothing) {
  mapped(3);
  mapped(4, kElsewhere);
  flushed(3);
  draws(1);
  differs(1);
  draws(2);
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Pt020, PacketsFromBeforeTheFlushTellNothing) {
  both_mapped();
  draws(1);
  flushed(3);
  differs(1);
  EXPECT_TRUE(holds());
}

TEST_F(Pt020, WhoDidWrongBeforeTellsNothing) {
  both_mapped();
  draws(1);
  differs(1);
  flushed(3);
  draws(1);
  differs(1);
  EXPECT_TRUE(holds());
}

TEST_F(Pt020, OneProcessAloneTellsNothing) {
  mapped(3);
  flushed(3);
  draws(1);
  differs(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::pt_020
