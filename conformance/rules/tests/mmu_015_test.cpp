// What contexts without fault do after the reset of an engine.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_015 {
namespace {

class Mmu015 : public TraceTest {
 protected:
  void faulted(std::uint32_t gpu = 0) {
    add(ev::PageFaultReported{.address = 0x1000, .engine = gpu, .fence = 5, .packet = 1});
  }
  void reset(std::uint32_t status = 0, std::uint32_t gpu = 0) {
    add(ev::EngineReset{.engine = gpu, .status = status});
  }
  /// Packet 2 is submitted and ends.
  void runs(PacketFate fate, std::uint32_t runs, std::uint32_t expected = 1) {
    add(ev::Submitted{.packet = 2, .fence = 6});
    add(ev::PacketEnded{.packet = 2, .fence = 6, .fate = static_cast<std::uint32_t>(fate)});
    add(ev::MarkerRead{.packet = 2,
                       .fence = 6,
                       .runs = runs,
                       .expected = expected,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
  bool holds() { return TraceTest::holds("MMU-015"); }
};

TEST_F(Mmu015, APacketAfterTheResetRunsToItsEnd) {
  faulted();
  reset();
  runs(PacketFate::Completed, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-015"), 1u);
}

TEST_F(Mmu015, ItDoesNotFault) {
  faulted();
  reset();
  runs(PacketFate::Faulted, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu015, UnlessItIsTo) {
  faulted();
  reset();
  runs(PacketFate::Faulted, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu015, WhatFaultsBeforeAnyResetIsAnotherMatter) {
  runs(PacketFate::Faulted, 0);
  EXPECT_TRUE(holds());
  reset();
  runs(PacketFate::Faulted, 0);
  EXPECT_TRUE(holds()) << "no page fault led to that reset";
}

TEST_F(Mmu015, AnEngineIsThatOfItsGpu) {
  faulted(1);
  reset(0, 0);
  runs(PacketFate::Faulted, 0);
  EXPECT_TRUE(holds()) << "no page fault led to the reset of GPU 0's";
  reset(0, 1);
  runs(PacketFate::Faulted, 0);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu015, AResetThatFailedLeavesNothingToJudge) {
  faulted();
  reset(0xC0000001u);
  runs(PacketFate::Faulted, 0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mmu_015
