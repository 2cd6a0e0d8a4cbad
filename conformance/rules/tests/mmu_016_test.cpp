// Engines between a page fault that asks for their reset and the reset.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"
#include "reference/trace/ddi.h"

namespace wddm::mmu_016 {
namespace {

class Mmu016 : public TraceTest {
 protected:
  Mmu016() {
    for (std::uint32_t fence = 10; fence < 13; ++fence) submitted(fence);
    begins(10);
  }
  void submitted(std::uint32_t fence, std::uint32_t node = 0, std::uint32_t engine = 0) {
    add(ev::Submitted{.packet = fence, .node = node, .fence = fence, .engine = engine});
  }
  void begins(std::uint32_t fence, std::uint32_t node = 0, std::uint32_t engine = 0) {
    add(ev::DeviceLogged{
        .kind = WDDM_DEVICE_PACKET_BEGIN, .node = node, .tag = fence, .engine = engine});
  }
  void faults(std::uint32_t fence, std::uint32_t node = 0,
              std::uint32_t flags = DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PAGE_FAULTED, .fence = fence, .node = node});
    add(ev::PageFaultReported{.node = node, .fence = fence, .flags = flags, .packet = fence});
  }
  void calls(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void resets(std::uint32_t node = 0, std::uint32_t engine = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::ResetEngine)},
        std::vector<ddi_arguments::ResetEngine>{{.node = node, .engine = engine}});
  }
  void time_passes() { add(ev::GpuAdvanced{.units = 10}); }
  bool holds() { return TraceTest::holds("MMU-016"); }
  std::uint32_t times_reached() { return TraceTest::times_reached("MMU-016"); }
};

TEST_F(Mmu016, ItStands) {
  faults(10);
  submitted(13);
  time_passes();
  resets();
  submitted(11);
  begins(11);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 1u);
}

TEST_F(Mmu016, ItGoesOn) {
  faults(10);
  begins(11);
  resets();
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016, WhatComesThenBegins) {
  faults(12);  // nothing is behind it
  submitted(13);
  begins(13);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016, APacketBeginsInsideOfItsCall) {
  faults(12);
  enters(13);
  begins(13);
  submitted(13);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016, TheWholeAdapterIsToBeReset) {
  faults(10, 0, DXGK_PAGE_FAULT_ADAPTER_RESET_REQUIRED);
  begins(11);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016, OneThatAsksForNoResetMayGoOn) {
  faults(10, 0, DXGK_PAGE_FAULT_WRITE);
  begins(11);
  time_passes();
  resets();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Mmu016, WhatBeganAheadOfTheReportIsOfNoConcern) {
  begins(11);
  faults(10);
  EXPECT_TRUE(holds());
}

// Before the driver has read what the fault is.
class Mmu016BeforeTheReport : public Mmu016 {
 protected:
  void accesses(std::uint32_t fence) { add(ev::AccessFaulted{.fence = fence, .packet = fence}); }
  void was_reset(std::uint32_t aborted, std::uint32_t cause = 0) {
    resets();
    add(ev::EngineReset{.aborted = aborted, .cause = cause});
  }
};

// Nobody reported it: the fault that comes later is another's.
TEST_F(Mmu016BeforeTheReport, AnAccessIsOverWithTheResetOfItsEngine) {
  accesses(10);
  was_reset(10, 1);
  begins(11);
  begins(12);
  accesses(12);
  faults(0, 0,
         static_cast<std::uint32_t>(DXGK_PAGE_FAULT_FENCE_INVALID) |
             static_cast<std::uint32_t>(DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED));
  was_reset(12);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016BeforeTheReport, WhatBeganBehindTheAccessIsBrokenOff) {
  accesses(10);
  begins(11);
  faults(10);
  was_reset(11);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016BeforeTheReport, WhatBeganBehindTheAccessIsLeftAlone) {
  accesses(10);
  begins(11);
  faults(10);
  was_reset(10);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016BeforeTheReport, WhatBeganAheadOfTheAccessMayBeBrokenOff) {
  begins(11);
  accesses(10);
  faults(10);
  was_reset(11);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016BeforeTheReport, AReportOfAnotherOrOneThatAsksForNoResetSaysNothing) {
  accesses(10);
  begins(11);
  faults(10, 0, DXGK_PAGE_FAULT_WRITE);
  was_reset(11);
  accesses(11);
  begins(12);
  faults(10);
  was_reset(12);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016BeforeTheReport, WhatHasEndedIsNamedWhereNothingRuns) {
  accesses(10);
  begins(11);
  faults(10);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_COMPLETED, .fence = 11});
  was_reset(11);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016BeforeTheReport, ATimeoutIsOfWhatRan) {
  accesses(10);
  begins(11);
  faults(10);
  was_reset(11, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016, NothingIsShownWithoutPacketsOrTime) {
  faults(10);
  resets();
  faults(12);
  time_passes();
  resets();
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Mmu016, WhatWasPreemptedIsNotThereAnyMore) {
  faults(10);
  add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 20, .last_completed = 10});
  time_passes();
  resets();
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Mmu016, OtherEnginesGoOn) {
  submitted(30, 1);
  submitted(11, 0, 1);
  faults(10);
  begins(30, 1);
  begins(11, 0, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016, ResetsOfAnotherGpuAreNotItsOwn) {
  faults(10);
  resets(0, 1);
  begins(11);
  EXPECT_FALSE(holds());
}

TEST_F(Mmu016, AnotherNodeMayDependOnTheOneThatIsReset) {
  faults(10);
  time_passes();
  resets(1);
  begins(11);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Mmu016, AFaultThatIsReportedWithinAResetIsOverWithIt) {
  resets(1);
  faults(10);
  add(ev::EngineReset{.node = 1});
  begins(11);
  calls(DdiId::ResetFromTimeout);
  submitted(12);
  faults(12);
  add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(DdiId::ResetFromTimeout)});
  submitted(13);
  begins(13);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016, ARefusedPacketIsNotThere) {
  faults(12);  // nothing is behind it
  add(ev::Submitted{.packet = 13, .fence = 13, .status = 0xc000000d});
  time_passes();
  resets();
  EXPECT_EQ(times_reached(), 0u);
}

TEST_F(Mmu016, OfAFaultWithoutFenceTheOldestPacketIsNotBehindIt) {
  constexpr auto kFlags = static_cast<std::uint32_t>(DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED) |
                          static_cast<std::uint32_t>(DXGK_PAGE_FAULT_FENCE_INVALID);
  faults(11);
  resets();
  faults(0, 0, kFlags);
  time_passes();
  resets();
  EXPECT_EQ(times_reached(), 0u);
  submitted(13);
  submitted(14);
  faults(0, 0, kFlags);
  time_passes();
  resets();
  EXPECT_EQ(times_reached(), 1u);
}

TEST_F(Mmu016, TheDriverMayHaveWorkOfItsOwn) {
  faults(10);
  begins(99);
  EXPECT_TRUE(holds());
}

TEST_F(Mmu016, AllBeginsAnewWithTheAdapter) {
  for (const DdiId ddi : {DdiId::ResetFromTimeout, DdiId::SetPowerState, DdiId::StopDevice}) {
    faults(10);
    calls(ddi);
    submitted(11);
    begins(11);
  }
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::mmu_016
