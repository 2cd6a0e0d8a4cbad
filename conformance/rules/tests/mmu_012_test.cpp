// Faults that the device logs and the driver keeps to itself, and devices that do not fault at all.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mmu_012 {
namespace {

class Mmu012 : public TraceTest {
 protected:
  Mmu012() { submitted(1, 5); }
  void submitted(std::uint32_t packet, std::uint32_t fence) {
    add(ev::Submitted{.packet = packet, .fence = fence});
  }
  void faults(std::uint32_t packet = 1, std::uint32_t fence = 5) {
    add(ev::AccessFaulted{.address = 0x1000, .fence = fence, .packet = packet});
  }
  void reports(std::uint32_t fence = 5, std::uint32_t type = DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
    add(ev::Notified{.type = type, .fence = fence});
  }
  void preempted(std::uint32_t last_completed) {
    add(ev::Notified{
        .type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 90, .last_completed = last_completed});
  }
  void ends_trace() { add(ev::Ended{}); }
  bool holds() { return TraceTest::holds("MMU-012"); }
};

TEST_F(Mmu012, AFaultIsReported) {
  faults();
  reports();
  ends_trace();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-012"), 1u);
}

TEST_F(Mmu012, ManyRecordsOfOnePacketWantOneReport) {
  faults();
  faults();
  reports();
  faults();
  ends_trace();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012, AReportWithoutAFenceIsOne) {
  faults();
  reports(0);
  ends_trace();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012, AFaultThatIsNeverReportedIsSeenAtTheEnd) {
  faults();
  EXPECT_TRUE(holds()) << "a trace that broke off";
  ends_trace();
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012, ALaterFenceClaimsThatThePacketCompleted) {
  submitted(2, 6);
  faults();
  reports(6, DXGK_INTERRUPT_DMA_COMPLETED);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012, AnEarlierFenceDoesNot) {
  submitted(2, 6);
  faults(2, 6);
  reports(5, DXGK_INTERRUPT_DMA_COMPLETED);
  reports(6);
  ends_trace();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012, APacketThatIsPreemptedAfterItsAccessMayFaultAgain) {
  submitted(2, 6);
  faults(2, 6);
  preempted(5);
  ends_trace();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012, EnginesThatFaultAtATimeAreBothTold) {
  add(ev::Submitted{.packet = 2, .node = 1, .fence = 5});
  faults();
  add(ev::AccessFaulted{.address = 0x1000, .node = 1, .fence = 5, .packet = 2});
  reports();
  EXPECT_TRUE(holds());
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = 5, .node = 1});
  ends_trace();
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012, OneReportIsNotOfBoth) {
  add(ev::Submitted{.packet = 2, .node = 1, .fence = 5});
  faults();
  add(ev::AccessFaulted{.address = 0x1000, .node = 1, .fence = 5, .packet = 2});
  reports();
  ends_trace();
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012, LastCompletedFenceIdMayNotCoverIt) {
  faults();
  preempted(5);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012, APacketThatIsToFaultDoesNotRunToItsEnd) {
  constexpr auto kAtEnd = static_cast<std::uint32_t>(MarkerReason::AtEnd);
  add(ev::MarkerRead{.packet = 1, .fence = 5, .runs = 0, .expected = 0, .reason = kAtEnd});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MMU-012"), 1u);
  add(ev::MarkerRead{.packet = 2, .fence = 6, .runs = 1, .expected = 0, .reason = kAtEnd});
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012, MemoryThatAFaultingPacketHasWrittenIsItsFault) {
  constexpr auto kRender = static_cast<std::uint32_t>(MemoryCause::Render);
  faults();
  reports();
  add(ev::MemoryDiffers{.length = 4, .cause = kRender, .cause_object = 2});
  EXPECT_TRUE(holds()) << "another packet's";
  add(ev::MemoryDiffers{.length = 4, .cause = kRender, .cause_object = 1});
  EXPECT_FALSE(holds());
}

// Reports of faults that nothing gives a reason for.
class Mmu012False : public Mmu012 {
 protected:
  Mmu012False() { add(ev::Submitted{.packet = 4, .fence = 9, .paging = 1}); }
  void is_said_of(std::uint32_t packet, std::uint32_t fence, std::uint32_t flags = 0) {
    reports(fence);
    add(ev::PageFaultReported{.fence = fence, .flags = flags, .packet = packet});
  }
  void ends(std::uint32_t packet, std::uint32_t runs, std::uint32_t expected) {
    add(ev::MarkerRead{.packet = packet,
                       .runs = runs,
                       .expected = expected,
                       .reason = static_cast<std::uint32_t>(MarkerReason::AtEnd)});
  }
};

TEST_F(Mmu012False, PagingFindsWhatItNames) {
  is_said_of(4, 9);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012False, APacketThatIsToRunToItsEndDoesNotFault) {
  is_said_of(1, 5);
  EXPECT_TRUE(holds());
  ends(1, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012False, OneThatIsToFaultMay) {
  is_said_of(1, 5);
  ends(1, 0, 0);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, OneThatAResetTookBackMayHaveBeenToFault) {
  is_said_of(1, 5);
  add(ev::PacketEnded{
      .packet = 1, .fence = 5, .fate = static_cast<std::uint32_t>(PacketFate::Lost)});
  ends(1, 0, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, OneThatEndsByItsFaultIsToHaveOne) {
  is_said_of(1, 5);
  add(ev::PacketEnded{
      .packet = 1, .fence = 5, .fate = static_cast<std::uint32_t>(PacketFate::Faulted)});
  ends(1, 0, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu012False, WhatTheDeviceHasMetIsNotFalse) {
  faults(4, 9);
  is_said_of(4, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, NorWhatEntriesLeadTo) {
  add(ev::TableCompared{.wrong = 1});
  is_said_of(4, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, NorWhatWasNeverWritten) {
  add(ev::PagingDone{.gave_up = 1});
  is_said_of(4, 9);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, AnotherCauseIsNoPageFault) {
  reports(9);
  add(ev::PageFaultReported{.fence = 9, .code = 1, .packet = 4});
  EXPECT_TRUE(holds());
}

TEST_F(Mmu012False, NorAreTheIommusTablesTheDrivers) {
  is_said_of(4, 9, DXGK_PAGE_FAULT_IOMMU);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mmu_012
