// Packets behind a root that was moved.
#include "conformance/rules/tests/space_test.h"

namespace wddm::root_010 {
namespace {

class Root010 : public SpaceTest {
 protected:
  Root010() { root(1, 3, 0x1000); }
  void moved(std::uint32_t process = 3, std::uint32_t level = kRoot, std::uint32_t gone = 0) {
    root(1, 3, 0x9000);
    add(ev::TableMoved{
        .from = 0x1000, .to = 0x9000, .process = process, .level = level, .gone = gone});
    submitted(2);
  }
  bool holds() { return TraceTest::holds("ROOT-010"); }
};

TEST_F(Root010, TheNewPlaceIsRead) {
  moved();
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-010"), 1u);
}

TEST_F(Root010, TheOldPlaceIsRead) {
  moved();
  astray(2, AstrayWalk::FormerTable);
  EXPECT_FALSE(holds());
}

TEST_F(Root010, AnotherContextInTheSlotHasNeverKnownTheOldPlace) {
  root(1, 3, 0x9000);
  add(ev::TableMoved{.from = 0x1000, .to = 0x9000, .process = 3, .level = kRoot});
  add(ev::ContextCreated{.context = 1});
  root(1, 3, 0x9000);
  submitted(2);
  right(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-010"), 0u);
}

TEST_F(Root010, TheOldPlaceIsReadByALaterPacket) {
  moved();
  right(2);
  submitted(3);
  astray(3, AstrayWalk::FormerTable);
  EXPECT_FALSE(holds());
}

// A device without a log.
class Root010Said : public Root010 {
 protected:
  void said_to_fault(std::uint32_t packet, std::uint32_t expected = 1,
                     PacketFate fate = PacketFate::Faulted) {
    add(ev::PageFaultReported{.code = 1, .packet = packet});
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
    add(ev::MarkerRead{.packet = packet,
                       .runs = 0,
                       .expected = expected,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
  void works() {
    submitted(1);
    right(1);
  }
};

TEST_F(Root010Said, WhatWorkedUntilThenFaults) {
  works();
  moved();
  said_to_fault(2);
  EXPECT_FALSE(holds());
}

TEST_F(Root010Said, APacketThatIsToFaultMay) {
  works();
  moved();
  said_to_fault(2, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Root010Said, APacketThatAResetTookBackMayHaveBeenToFault) {
  works();
  moved();
  said_to_fault(2, 1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Root010Said, WhatNeverWorkedSaysNothingOfTheMove) {
  moved();
  said_to_fault(2);
  EXPECT_TRUE(holds());
}

TEST_F(Root010Said, NorWhatFaultsLater) {
  works();
  moved();
  right(2);
  submitted(3);
  said_to_fault(3);
  EXPECT_TRUE(holds());
}

TEST_F(Root010, MemoryDiffersOrTheRootLeadsNowhere) {
  moved();
  differs(2);
  EXPECT_FALSE(holds());
}

TEST_F(Root010, TheRootLeadsNowhere) {
  moved();
  faulted(2, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Root010, ATableBelowLeadsNowhere) {
  moved();
  faulted(2, 0, kLeaf);
  EXPECT_TRUE(holds());
}

TEST_F(Root010, WhatDiffersLaterIsAnothersMatter) {
  moved();
  right(2);
  submitted(3);
  differs(3);
  EXPECT_TRUE(holds());
}

TEST_F(Root010, TablesBelowAndOfOthersAreNoRootOfTheContext) {
  moved(3, kLeaf);
  differs(2);
  moved(4);
  differs(2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ROOT-010"), 0u);
}

TEST_F(Root010, PacketsFromBeforeMayReadIt) {
  submitted(4);
  moved();
  astray(4, AstrayWalk::FormerTable);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::root_010
