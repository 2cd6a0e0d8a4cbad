// Until when a DPC must be queued, and by whom.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::intr_004 {
namespace {

class Intr004 : public TraceTest {
 protected:
  void notifies(CallPlace place, std::uint32_t type = DXGK_INTERRUPT_DMA_COMPLETED) {
    add(ev::Notified{.type = type, .place = static_cast<std::uint32_t>(place)});
  }
  void queues_dpc() {
    add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::QueueDpc)});
  }
  bool holds() { return TraceTest::holds("INTR-004"); }
};

TEST_F(Intr004, TheIsrQueuesBeforeItEnds) {
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr);
  queues_dpc();
  add(ev::IsrLeft{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-004"), 1u);
}

TEST_F(Intr004, TheIsrEndsWithout) {
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr);
  add(ev::IsrLeft{});
  queues_dpc();
  EXPECT_FALSE(holds());
}

TEST_F(Intr004, ADpcTellsWhatItHasNotifiedItself) {
  add(ev::DpcEntered{});
  notifies(CallPlace::Synchronize);
  add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc)});
  add(ev::DpcLeft{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr004, NotWhatItNotifiesBehindThat) {
  add(ev::DpcEntered{});
  add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc)});
  notifies(CallPlace::Synchronize);
  add(ev::DpcLeft{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr004, NorWhatAnIsrDoes) {
  add(ev::DpcEntered{});
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr);
  add(ev::IsrLeft{});
  add(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(CallbackId::NotifyDpc)});
  add(ev::DpcLeft{});
  EXPECT_FALSE(holds());
}

// Whatever it is that is told.
TEST_F(Intr004, ARetraceAloneWithout) {
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr, DXGK_INTERRUPT_CRTC_VSYNC);
  add(ev::IsrLeft{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr004, ARetraceBesideACompletionSharesItsDpc) {
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr);
  notifies(CallPlace::Isr, DXGK_INTERRUPT_CRTC_VSYNC);
  queues_dpc();
  add(ev::IsrLeft{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr004, AnIsrThatFindsNothingLeftToTellOwesNoDpc) {
  add(ev::IsrEntered{});
  add(ev::IsrLeft{.claimed = 1});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-004"), 0u);
}

TEST_F(Intr004, ADdiMayQueueBehindItsSynchronizedRoutine) {
  add(ev::DdiEntered{});
  notifies(CallPlace::Synchronize);
  add(ev::SyncLeft{});
  queues_dpc();
  add(ev::DdiReturned{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr004, ADdiEndsWithout) {
  add(ev::DdiEntered{});
  notifies(CallPlace::Synchronize);
  add(ev::SyncLeft{});
  add(ev::DdiReturned{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr004, ADdiMayGoOnOnAnotherProcessor) {
  add(ev::DdiEntered{});
  notifies(CallPlace::Synchronize);
  cpu_ = 1;
  queues_dpc();
  add(ev::DdiReturned{});
  add(ev::Ended{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("INTR-004"), 1u);
}

TEST_F(Intr004, AnotherThreadQueuesForItself) {
  add(ev::DdiEntered{});
  notifies(CallPlace::Synchronize);
  thread_ = 1;
  queues_dpc();
  thread_ = 0;
  add(ev::DdiReturned{});
  EXPECT_FALSE(holds());
}

// On the same processor, and over what it interrupts.
TEST_F(Intr004, AnInterruptThatComesInBetweenExcusesNobody) {
  add(ev::DpcEntered{});
  notifies(CallPlace::Synchronize);
  add(ev::IsrEntered{});
  notifies(CallPlace::Isr);
  queues_dpc();
  add(ev::IsrLeft{});
  add(ev::DpcLeft{});
  EXPECT_FALSE(holds());
}

TEST_F(Intr004, AnInterruptThatComesInBetweenAccusesNobody) {
  add(ev::DpcEntered{});
  notifies(CallPlace::Synchronize);
  add(ev::IsrEntered{});
  add(ev::IsrLeft{});
  queues_dpc();
  add(ev::DpcLeft{});
  EXPECT_TRUE(holds());
}

TEST_F(Intr004, AThreadOfTheDriversOwnHasUntilTheEnd) {
  notifies(CallPlace::Synchronize);
  EXPECT_TRUE(holds());
  add(ev::Ended{});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::intr_004
