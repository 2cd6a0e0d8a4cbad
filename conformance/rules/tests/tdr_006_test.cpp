// Which calls are taken for waits for the GPU.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::tdr_006 {
namespace {

class Tdr006 : public TraceTest {
 protected:
  void enters(std::uint16_t thread, DdiId ddi) {
    thread_ = thread;
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)});
    thread_ = 0;
  }
  void leaves(std::uint16_t thread, DdiId ddi) {
    thread_ = thread;
    add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)});
    thread_ = 0;
  }
  void packet_runs() {
    op(OpKind::Advance);
    add(ev::Submitted{.packet = 1, .render = 0});
  }
  void is_stuck() {
    op(OpKind::Idle);
    add(ev::Stuck{.packets = 1, .jobs = 0, .excused = 1, .timed = 1});
  }
  bool holds() { return TraceTest::holds("TDR-006"); }
  std::uint32_t reached() { return times_reached("TDR-006"); }
};

TEST_F(Tdr006, CallsReturnAlthoughAPacketHangs) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  leaves(2, DdiId::BuildPagingBuffer);
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Tdr006, ACallIsStillInTheDriver) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  is_stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Tdr006, ItWaitsForDxgkrnl) {
  packet_runs();
  enters(2, DdiId::SetRootPageTable);
  is_stuck();
  thread_ = 2;
  add(ev::ContextAllocationUpdated{});
  EXPECT_TRUE(holds());
}

TEST_F(Tdr006, NoTimeHasPassedForIt) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  op(OpKind::Idle);
  add(ev::Stuck{.packets = 1, .excused = 1, .timed = 0});
  EXPECT_TRUE(holds());
}

TEST_F(Tdr006, WhatWasPreemptedIsStillToRun) {
  packet_runs();
  add(ev::PacketEnded{.packet = 1, .fate = static_cast<std::uint32_t>(PacketFate::Preempted)});
  enters(2, DdiId::Patch);
  is_stuck();
  EXPECT_FALSE(holds());
}

TEST_F(Tdr006, OnlyTheOneThatDoesNotReturn) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  enters(0, DdiId::CreateAllocation);
  leaves(0, DdiId::CreateAllocation);
  is_stuck();
  EXPECT_EQ(failures("TDR-006"), 1u);
}

TEST_F(Tdr006, WhoEnteredWithinTheOpMayHaveJustBegun) {
  packet_runs();
  op(OpKind::Idle);
  enters(2, DdiId::BuildPagingBuffer);
  add(ev::Stuck{.packets = 1, .jobs = 0, .excused = 1, .timed = 1});
  EXPECT_TRUE(holds());
}

TEST_F(Tdr006, WithoutAPacketNobodyWaitsForTheGpu) {
  packet_runs();
  add(ev::PacketEnded{.packet = 1});
  enters(2, DdiId::BuildPagingBuffer);
  is_stuck();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Tdr006, ReportedBeforeSubmitCommandHasReturned) {
  op(OpKind::Advance);
  add(ev::PacketEnded{.packet = 1});
  add(ev::Submitted{.packet = 1, .render = 0});
  enters(2, DdiId::BuildPagingBuffer);
  is_stuck();
  EXPECT_TRUE(holds());
}

TEST_F(Tdr006, ACallThatNeverReturns) {
  packet_runs();
  enters(0, DdiId::DestroyContext);
  add(ev::Hung{.waiters = 1});
  EXPECT_FALSE(holds());
}

TEST_F(Tdr006, NoHarmInReturningBeforeThePacketEnds) {
  packet_runs();
  enters(0, DdiId::DestroyContext);
  leaves(0, DdiId::DestroyContext);
  add(ev::PacketEnded{.packet = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

class Tdr006Stall : public Tdr006 {
 protected:
  void gpu_stands(std::uint32_t milliseconds = 6000) {
    op(OpKind::Stall);
    add(ev::GpuStood{.milliseconds = milliseconds});
  }
};

TEST_F(Tdr006Stall, CallsReturnAlthoughTheGpuStands) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  leaves(2, DdiId::BuildPagingBuffer);
  gpu_stands();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Tdr006Stall, ACallIsInTheDriverAllThatTime) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  gpu_stands();
  EXPECT_FALSE(holds());
}

TEST_F(Tdr006Stall, ForAsLongAsTdrDdiDelayItMay) {
  packet_runs();
  enters(2, DdiId::BuildPagingBuffer);
  gpu_stands(4999);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Tdr006Stall, WhereAPacketEndedMeanwhileItMayHaveBegunToWaitForAnother) {
  packet_runs();
  add(ev::Submitted{.packet = 2, .render = 1});
  enters(2, DdiId::BuildPagingBuffer);
  op(OpKind::Stall);
  add(ev::PacketEnded{.packet = 1});
  add(ev::GpuStood{.milliseconds = 6000});
  EXPECT_TRUE(holds());
}

TEST_F(Tdr006Stall, WhileDpcsWaitItMayWaitForOne) {
  packet_runs();
  op(OpKind::HoldDpcs);
  enters(2, DdiId::BuildPagingBuffer);
  gpu_stands();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Tdr006Stall, WithoutAPacketItWaitsForSomethingElse) {
  enters(2, DdiId::BuildPagingBuffer);
  gpu_stands();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::tdr_006
