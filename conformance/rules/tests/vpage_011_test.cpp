// What speaks of a context allocation that was moved, and of who has not heard of it.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::vpage_011 {
namespace {

class Vpage011 : public TraceTest {
 protected:
  Vpage011() { platform_.page_table_levels = 2; }
  void moves() {
    add(ev::ContextAllocationMoved{.from = 0x1000, .to = 0x2000, .number = 0, .context = 1});
  }
  void evicts() {
    add(ev::ContextAllocationMoved{.from = 0x1000, .number = 0, .context = 1, .evicted = 1});
  }
  void submits(std::uint32_t context = 1, std::uint32_t packet = 5) {
    add(ev::Submitted{.packet = packet, .fence = packet + 1, .context = context});
  }
  void differs(std::uint32_t packet = 5) { add(ev::MemoryDiffers{.cause_object = packet}); }
  void completes() {
    add(ev::PacketEnded{
        .packet = 5, .fence = 6, .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  }
  void looks(std::uint32_t changed) {
    add(ev::FormerPlaceLooked{.number = 0, .context = 1, .changed = changed});
  }
};

TEST_F(Vpage011, UsedAtTheNewPlace) {
  moves();
  submits();
  completes();
  looks(0);
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 2u);
}

TEST_F(Vpage011, WhatRunsNothingShowsNothing) {
  moves();
  looks(0);
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 0u);
}

TEST_F(Vpage011, WrittenWhereItWas) {
  moves();
  submits();
  completes();
  looks(4);
  EXPECT_FALSE(holds("VPAGE-011"));
}

TEST_F(Vpage011, ItsFirstPacketNeverEnds) {
  moves();
  submits();
  add(ev::Stuck{.packets = 1});
  EXPECT_FALSE(holds("VPAGE-011"));
}

TEST_F(Vpage011, AnotherContextInTheSlotHasMovedNothing) {
  moves();
  add(ev::ContextCreated{.context = 1});
  submits();
  differs();
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 0u);
}

TEST_F(Vpage011, ALaterOneSaysNothing) {
  moves();
  submits();
  completes();
  submits();
  add(ev::Stuck{.packets = 1});
  EXPECT_TRUE(holds("VPAGE-011"));
}

TEST_F(Vpage011, NorDoesWhatTheScenarioHoldsUp) {
  moves();
  submits();
  add(ev::Stuck{.packets = 1, .excused = 1});
  EXPECT_TRUE(holds("VPAGE-011"));
}

TEST_F(Vpage011, NorAnotherContext) {
  moves();
  submits(2);
  add(ev::Stuck{.packets = 1});
  EXPECT_TRUE(holds("VPAGE-011"));
}

TEST_F(Vpage011, TheRootIsNotFound) {
  moves();
  submits();
  add(ev::WalkAstray{.address = 0x5000,
                     .fence = 6,
                     .level = 1,
                     .why = static_cast<std::uint32_t>(AstrayWalk::NoTable)});
  EXPECT_FALSE(holds("VPAGE-011"));
}

TEST_F(Vpage011, ItsFirstPacketDoesSomethingElse) {
  moves();
  submits();
  differs();
  EXPECT_FALSE(holds("VPAGE-011"));
}

TEST_F(Vpage011, WhatALaterPacketDoesMayHaveAnotherCause) {
  moves();
  submits();
  completes();
  submits(1, 8);
  differs(8);
  EXPECT_TRUE(holds("VPAGE-011"));
}

TEST_F(Vpage011, UsedWhereItHasComeBack) {
  evicts();
  looks(0);
  moves();
  submits();
  completes();
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 1u);
}

TEST_F(Vpage011, NotUsedWhereItHasComeBack) {
  evicts();
  moves();
  submits();
  differs();
  EXPECT_FALSE(holds("VPAGE-011"));
}

TEST_F(Vpage011, WrittenWhereItWasBeforeItWasEvicted) {
  evicts();
  looks(4);
  EXPECT_FALSE(holds("VPAGE-011"));
}

// VidMm has let it run without its memory: the driver can do nothing about it.
TEST_F(Vpage011, WhatRunsWhileItIsEvictedSaysNothing) {
  evicts();
  submits();
  differs();
  add(ev::Stuck{.packets = 1});
  looks(4);
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 0u);
}

// Whose memory it was, no packet alone can tell.
TEST_F(Vpage011, PagingShowsNothingOfAMove) {
  add(ev::ContextAllocationMoved{.from = 0x1000, .to = 0x2000, .number = 0, .context = kNone});
  add(ev::Submitted{.packet = 5, .fence = 6, .context = kNone, .paging = 1});
  differs();
  EXPECT_TRUE(holds("VPAGE-011"));
  EXPECT_EQ(times_reached("VPAGE-011"), 0u);
}

}  // namespace
}  // namespace wddm::vpage_011
