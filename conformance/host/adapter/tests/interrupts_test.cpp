// From the device's interrupt to the driver's DPC.
#include "conformance/host/adapter/interrupts.h"

#include "conformance/host/adapter/bus.h"
#include "conformance/host/adapter/questions/interview.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

/// Its interrupt routine and DPC do as a test says.
struct InterruptedDriver : FakeDriver {
  BOOLEAN InterruptRoutine(const PVOID context, ULONG message) override {
    FakeDriver::InterruptRoutine(context, message);
    levels.push_back(nt::irql());
    return on_interrupt ? on_interrupt(message) : TRUE;
  }
  void DpcRoutine(const PVOID context) override {
    FakeDriver::DpcRoutine(context);
    levels.push_back(nt::irql());
  }
  std::function<BOOLEAN(ULONG)> on_interrupt;
  std::vector<int> levels;
};

class InterruptsTest : public HostTest {
 protected:
  InterruptsTest() { session().wire = &gpu_driver; }
  template <class Body>
  void with_adapter(Body body) {
    device = &gpu.table;
    on_machine([&](World& world) {
      ASSERT_NO_FATAL_FAILURE(begin(world));
      gpu_driver.calls.clear();
      body(world);
    });
  }
  void raise(std::uint32_t message) {
    gpu.host->raise_message(gpu.host->host, message);
    nt::settle();
  }
  InterruptedDriver gpu_driver;
  FakeDevice gpu;
};

TEST_F(InterruptsTest, MessageComesToTheRoutineAtDeviceLevel) {
  with_adapter([&](World&) { raise(3); });
  EXPECT_EQ(gpu_driver.calls, Calls{"InterruptRoutine"});
  EXPECT_EQ(gpu_driver.levels, std::vector<int>{nt::kDirql});
  EXPECT_EQ(seen<ev::IsrEntered>().at(0).message, 3u);
  EXPECT_EQ(seen<ev::IsrLeft>().at(0).claimed, 1u);
}

TEST_F(InterruptsTest, MessagesThatWereNotGrantedDoNotCome) {
  gpu.table.messages = 4;
  with_adapter([&](World& world) {
    EXPECT_TRUE(world.bus.sends_messages()) << "before the first, too";
    raise(3);
    raise(4);
  });
  EXPECT_EQ(gpu_driver.calls, Calls{"InterruptRoutine"});
  EXPECT_EQ(seen<ev::IsrEntered>().at(0).message, 3u);
}

TEST_F(InterruptsTest, InterruptThatTheDriverDoesNotClaimIsNotedSo) {
  gpu_driver.on_interrupt = [](ULONG) { return FALSE; };
  with_adapter([&](World&) { raise(0); });
  EXPECT_EQ(seen<ev::IsrLeft>().at(0).claimed, 0u);
}

TEST_F(InterruptsTest, NobodyElseInterruptsBeforeTheDeviceHasShownThatItHasALine) {
  const auto ask = [](World& world) { interview(world.adapter, world.objects, world.processes); };
  with_adapter([&](World& world) {
    ask(world);
    EXPECT_TRUE(seen<ev::IsrEntered>().empty());
    gpu_driver.on_interrupt = [this](ULONG) {
      gpu.host->set_interrupt_line(gpu.host->host, 0);
      return TRUE;
    };
    gpu.host->set_interrupt_line(gpu.host->host, 1);
    nt::settle();
    EXPECT_EQ(seen<ev::IsrEntered>().size(), 1u);
    ask(world);
    EXPECT_EQ(seen<ev::IsrEntered>().size(), 2u);
    raise(1);
    ask(world);
    EXPECT_EQ(seen<ev::IsrEntered>().size(), 3u) << "a device with messages shares nothing";
  });
}

TEST_F(InterruptsTest, DpcFollowsTheRoutineThatQueuedIt) {
  gpu_driver.on_interrupt = [](ULONG) {
    EXPECT_TRUE(queue_dpc());
    EXPECT_FALSE(queue_dpc()) << "it is pending";
    return TRUE;
  };
  with_adapter([&](World&) { raise(0); });
  EXPECT_EQ(gpu_driver.calls, (Calls{"InterruptRoutine", "DpcRoutine"}));
  EXPECT_EQ(gpu_driver.levels, (std::vector<int>{nt::kDirql, nt::kDispatch}));
  EXPECT_EQ(seen<ev::DpcEntered>().at(0).merged, 2u);
}

TEST_F(InterruptsTest, RoutinesOfALinkSayWhoseTheyAre) {
  gpu_driver.use_link(2);
  gpu_driver.on_interrupt = [](ULONG) {
    EXPECT_TRUE(queue_dpc(1));
    return TRUE;
  };
  with_adapter([&](World&) { raise(1u << kMessageAdapterShift); });
  const auto isrs = seen<ev::IsrEntered>();
  const auto dpcs = seen<ev::DpcEntered>();
  ASSERT_EQ(isrs.size(), 1u);
  ASSERT_EQ(dpcs.size(), 1u);
  EXPECT_EQ(isrs[0].physical_adapter, 1u);
  EXPECT_EQ(dpcs[0].physical_adapter, 1u);
}

TEST_F(InterruptsTest, StoppedAdapterRunsNoDpc) {
  with_adapter([&](World&) {
    nt::hold_dpcs(true);
    EXPECT_TRUE(queue_dpc());
    disconnect_dpc();
    nt::hold_dpcs(false);
    EXPECT_FALSE(queue_dpc());
    nt::settle();
  });
  EXPECT_TRUE(seen<ev::DpcEntered>().empty());
}

TEST_F(InterruptsTest, DriverWithoutARoutineIsNotCalled) {
  gpu_driver.table.DxgkDdiInterruptRoutine = nullptr;
  with_adapter([&](World&) { raise(0); });
  EXPECT_TRUE(gpu_driver.calls.empty());
  EXPECT_TRUE(seen<ev::IsrEntered>().empty());
}

TEST_F(InterruptsTest, SynchronizedRoutineRunsAtDeviceLevelAndItsResultComesBack) {
  struct Seen {
    int level;
    BOOLEAN result;
  } inside{-1, TRUE};
  const auto routine = [](PVOID context) -> BOOLEAN {
    auto& call = *static_cast<Seen*>(context);
    call.level = nt::irql();
    return call.result;
  };
  with_adapter([&](World&) {
    EXPECT_TRUE(synchronize(routine, &inside, 2));
    EXPECT_EQ(inside.level, nt::kDirql);
    inside.result = FALSE;
    EXPECT_FALSE(synchronize(routine, &inside, 2));
  });
  ASSERT_EQ(seen<ev::SyncEntered>().size(), 2u);
  EXPECT_EQ(seen<ev::SyncEntered>()[0].message, 2u);
  EXPECT_EQ(seen<ev::SyncLeft>()[0].result, 1u);
  EXPECT_EQ(seen<ev::SyncLeft>()[1].result, 0u);
}

}  // namespace
}  // namespace wddm::host
