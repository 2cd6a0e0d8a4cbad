// How a packet ends that has accessed what is not resident.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::res_002 {
namespace {

constexpr std::uint32_t kFenceInvalid = 2;

class Res002 : public TraceTest {
 protected:
  void faults() {
    add(ev::Submitted{.packet = 1, .fence = 7});
    add(ev::AccessFaulted{.address = 0x5000, .fence = 7, .packet = 1});
  }
  bool ends_as(PacketFate fate) {
    add(ev::PacketEnded{.packet = 1, .fence = 7, .fate = static_cast<std::uint32_t>(fate)});
    return holds("RES-002");
  }
};

TEST_F(Res002, AReportEndsIt) {
  faults();
  add(ev::PageFaultReported{.address = 0x5000, .fence = 7, .packet = 1});
  EXPECT_TRUE(ends_as(PacketFate::Faulted));
  EXPECT_EQ(times_reached("RES-002"), 1u);
}

TEST_F(Res002, CompletionWithoutAReportIsALie) {
  faults();
  EXPECT_FALSE(ends_as(PacketFate::Completed));
}

TEST_F(Res002, AReportMayNameNoFence) {
  faults();
  add(ev::PageFaultReported{.address = 0x5000, .flags = kFenceInvalid, .packet = kNone});
  EXPECT_TRUE(ends_as(PacketFate::Completed));
}

TEST_F(Res002, AReportFromBeforeThePacketIsOfOthers) {
  add(ev::PageFaultReported{.address = 0x5000, .flags = kFenceInvalid, .packet = kNone});
  faults();
  EXPECT_FALSE(ends_as(PacketFate::Completed));
}

TEST_F(Res002, AReportInTheCallThatSubmitsMayBeOfThePacket) {
  enters(1);
  add(ev::AccessFaulted{.address = 0x5000, .fence = 7, .packet = 1});
  add(ev::PageFaultReported{.address = 0x5000, .flags = kFenceInvalid, .packet = kNone});
  add(ev::Submitted{.packet = 1, .fence = 7});
  EXPECT_TRUE(ends_as(PacketFate::Completed));
}

TEST_F(Res002, NoFenceIsSaidByItsFlag) {
  faults();
  add(ev::PageFaultReported{.address = 0x5000, .packet = kNone});
  EXPECT_FALSE(ends_as(PacketFate::Faulted));
}

TEST_F(Res002, WhatWasPreemptedMayFaultAgain) {
  faults();
  EXPECT_TRUE(ends_as(PacketFate::Preempted));
  EXPECT_EQ(times_reached("RES-002"), 0u);
}

// A device without a log.
class Res002ByMarks : public Res002 {
 protected:
  void cannot_come_to_its_end() {
    add(ev::Submitted{.packet = 1, .fence = 7});
    EXPECT_TRUE(ends_as(PacketFate::Completed));
    add(ev::MarkerRead{
        .packet = 1, .fence = 7, .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
};

TEST_F(Res002ByMarks, APacketThatCannotComeToItsEndIsNotCompleted) {
  add(ev::MarkerRead{.packet = 0, .runs = 1, .expected = 1});
  cannot_come_to_its_end();
  EXPECT_FALSE(holds("RES-002"));
}

TEST_F(Res002ByMarks, AnEngineThatRunsNothingHasNotComeToTheAccess) {
  add(ev::Submitted{.packet = 0, .fence = 6});
  add(ev::MarkerRead{.packet = 0, .expected = 1});
  cannot_come_to_its_end();
  EXPECT_TRUE(holds("RES-002"));
  EXPECT_EQ(times_reached("RES-002"), 0u);
}

}  // namespace
}  // namespace wddm::res_002
