// Whether engines begin their packets while others are busy.
#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::mcdm_027 {
namespace {

class Mcdm027 : public TraceTest {
 protected:
  void submits(std::uint32_t packet, std::uint32_t node) {
    add(ev::Submitted{.packet = packet, .node = node, .fence = packet});
  }
  void begins(std::uint32_t packet, std::uint32_t node) {
    add(ev::DeviceLogged{.kind = WDDM_DEVICE_PACKET_BEGIN, .node = node, .tag = packet});
  }
  void ends(std::uint32_t packet, std::uint32_t node) {
    add(ev::PacketEnded{.packet = packet,
                        .node = node,
                        .fence = packet,
                        .fate = static_cast<std::uint32_t>(PacketFate::Completed)});
  }
  void passes(std::uint32_t units) { add(ev::GpuAdvanced{.units = units, .used = units}); }
  void busy() {
    submits(1, 0);
    begins(1, 0);
  }
  bool holds() { return TraceTest::holds("MCDM-027"); }
};

TEST_F(Mcdm027, OneBesideTheOther) {
  busy();
  submits(2, 1);
  begins(2, 1);
  passes(1000);
  ends(2, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-027"), 1u);
}

TEST_F(Mcdm027, OneThatWaitsForTheOther) {
  busy();
  submits(2, 1);
  passes(199);
  EXPECT_TRUE(holds());
  passes(1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm027, TimeWhileTheDriverIsBeingGivenItDoesNotCount) {
  busy();
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommandVirtual)});
  passes(1000);
  submits(2, 1);
  passes(199);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, TheSecondOfItsOwnEngineWaits) {
  busy();
  submits(2, 0);
  passes(1000);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, WhereNothingElseWorksItIsAnotherMatter) {
  busy();
  ends(1, 0);
  submits(2, 1);
  passes(1000);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, ADeviceThatLogsNoBegin) {
  submits(1, 0);
  submits(2, 1);
  passes(1000);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, EnginesThatDependOnEachOther) {
  busy();
  submits(2, 1);
  add(ev::DependentsAsked{.mask = 3});
  passes(1000);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, TheyStillDependAfterAReset) {
  add(ev::DependentsAsked{.mask = 3});
  add(ev::EngineReset{.node = 0});
  busy();
  submits(2, 1);
  passes(1000);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm027, OnlyThoseThatAreNamed) {
  add(ev::DependentsAsked{.mask = 5});
  busy();
  submits(2, 1);
  passes(1000);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm027, WhatWasPreempted) {
  busy();
  submits(2, 1);
  add(ev::PreemptAsked{.node = 1});
  passes(1000);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_027
