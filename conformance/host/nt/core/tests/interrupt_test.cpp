// Interrupts, DPCs and what calls into the driver must leave as they found it.
#include <gtest/gtest.h>

#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/tests/nt_test_support.h"
#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using test::Kinds;
using test::Recorder;
using test::run_machine;

struct Device {
  std::string order;
  std::uint32_t isr_calls = 0;
  std::uint32_t acknowledges_after = 1;
  std::uint32_t message = 0;
  std::uint8_t isr_irql = 0;
  std::uint8_t dpc_irql = 0;
  HostDpc dpc{"dxgkrnl", [](void* self) { static_cast<Device*>(self)->run_dpc(); }, this};

  void run_dpc() {
    order += 'd';
    dpc_irql = irql();
  }
  static bool isr(void* self, std::uint32_t message) {
    auto* device = static_cast<Device*>(self);
    device->order += 'i';
    device->isr_irql = irql();
    device->message = message;
    if (++device->isr_calls == device->acknowledges_after) set_interrupt_line(false);
    device->dpc.queue();
    return true;
  }
};

TEST(Interrupt, LineIsTakenAtTheNextPoint) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    set_interrupt_line(true);
    device.order += 's';
    settle();
  });
  EXPECT_EQ(device.order, "sid");
  EXPECT_EQ(device.isr_irql, kDirql);
  EXPECT_EQ(device.dpc_irql, kDispatch);
}

TEST(Interrupt, LineIsTakenAgainUntilItFalls) {
  Device device;
  device.acknowledges_after = 3;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    set_interrupt_line(true);
    settle();
  });
  EXPECT_EQ(device.order, "iiid");
}

TEST(Interrupt, LineThatNeverFallsIsAStorm) {
  Device device;
  device.acknowledges_after = 1000;
  bool storm = false;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    set_interrupt_line(true);
    settle();
    storm = interrupt_storm();
  });
  EXPECT_EQ(device.isr_calls, 64u);
  EXPECT_TRUE(storm);
}

TEST(Interrupt, MessagesKeepTheirNumber) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    raise_message(7);
    settle();
  });
  EXPECT_EQ(device.message, 7u);
  EXPECT_EQ(device.isr_calls, 1u);
}

TEST(Interrupt, WaitsForTheDeviceLevelToDrop) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    {
      const DriverCall call("DxgkDdiX", kDirql);
      set_interrupt_line(true);
      device.order += '(';
      device.order += ')';
    }
    device.order += '.';
  });
  EXPECT_EQ(device.order, "()id.");
}

TEST(Interrupt, DpcWaitsForDispatchLevelToDrop) {
  Device device;
  run_machine([&] {
    {
      const DriverCall call("DxgkDdiX", kDispatch);
      device.dpc.queue();
      device.order += '.';
    }
    device.order += '!';
  });
  EXPECT_EQ(device.order, ".d!");
}

TEST(Interrupt, QueuedDpcIsNotQueuedTwice) {
  Device device;
  bool first = false;
  bool second = true;
  run_machine([&] {
    const DriverCall call("DxgkDdiX", kDispatch);
    first = device.dpc.queue();
    second = device.dpc.queue();
  });
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_EQ(device.order, "d");
}

TEST(Interrupt, HeldDpcsLetInterruptsMerge) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    hold_dpcs(true);
    raise_message(1);
    settle();
    raise_message(2);
    settle();
    hold_dpcs(false);
  });
  EXPECT_EQ(device.order, "iid");
}

TEST(Interrupt, HeldInterruptsWait) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    hold_interrupts(true);
    raise_message(1);
    raise_message(2);
    settle();
    device.order += '.';
    hold_interrupts(false);
  });
  EXPECT_EQ(device.order, ".iid");
}

TEST(Interrupt, HeldInterruptsComeBeforeTimePasses) {
  struct Machine {
    HostEvent done{false};
    HostDpc dpc{"dxgkrnl", [](void* self) { static_cast<Machine*>(self)->done.set(); }, this};
  } m;
  Time at = 1;
  run_machine([&] {
    connect_interrupt(
        [](void* self, std::uint32_t) {
          static_cast<Machine*>(self)->dpc.queue();
          return true;
        },
        &m);
    hold_interrupts(true);
    raise_message(0);
    m.done.wait("device");
    at = now();
  });
  EXPECT_EQ(at, 0u);
}

// A call that polls for what the routine is to do waits for it as who waits for an event does.
TEST(Interrupt, HeldInterruptsComeWhereACallSleepsAgainAndAgain) {
  bool told = false;
  std::uint32_t naps = 0;
  auto body = [&] {
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    LARGE_INTEGER interval{};
    for (interval.QuadPart = -10'000; !told && naps < 100; ++naps)
      KeDelayExecutionThread(KernelMode, FALSE, &interval);
  };
  run_machine([&] {
    connect_interrupt(
        [](void* told_so, std::uint32_t) { return *static_cast<bool*>(told_so) = true; }, &told);
    hold_interrupts(true);
    raise_message(0);
    test::spawn("VidSch", body);
    settle();
  });
  EXPECT_TRUE(told);
  EXPECT_LT(naps, 10u);
}

TEST(Interrupt, IdleProcessorTakesItWhenEverybodyWaits) {
  struct Machine {
    HostEvent done{false};
    HostDpc dpc{"dxgkrnl", [](void* self) { static_cast<Machine*>(self)->done.set(); }, this};
  } m;
  Time at = 1;
  run_machine([&] {
    connect_interrupt(
        [](void* self, std::uint32_t) {
          static_cast<Machine*>(self)->dpc.queue();
          return true;
        },
        &m);
    set_idle_hook(
        [](void* self) {
          if (static_cast<Machine*>(self)->done.is_set()) return false;
          raise_message(0);
          return true;
        },
        &m);
    m.done.wait("device");
    at = now();
  });
  EXPECT_EQ(at, 0u);
}

TEST(Interrupt, SynchronizeRunsAtDeviceLevel) {
  std::uint8_t seen = 0;
  bool result = false;
  run_machine([&] {
    result = synchronize(
        [](void* level) {
          *static_cast<std::uint8_t*>(level) = irql();
          return true;
        },
        &seen);
  });
  EXPECT_EQ(seen, kDirql);
  EXPECT_TRUE(result);
}

TEST(Interrupt, SynchronizeKeepsTheIsrOut) {
  Device device;
  run_machine([&] {
    connect_interrupt(Device::isr, &device);
    static_cast<void>(synchronize(
        [](void* context) {
          auto* d = static_cast<Device*>(context);
          set_interrupt_line(true);
          d->order += 's';
          return true;
        },
        &device));
  });
  EXPECT_EQ(device.order, "sid");
}

TEST(Interrupt, SynchronizeDoesNotRunAboveDeviceLevel) {
  bool ran = false;
  bool result = true;
  run_machine([&] {
    const DriverCall call("DxgkDdiX", kHigh);
    result = synchronize(
        [](void* context) {
          *static_cast<bool*>(context) = true;
          return true;
        },
        &ran);
  });
  EXPECT_FALSE(ran);
  EXPECT_FALSE(result);
}

TEST(Interrupt, SynchronizedRoutineReturnsAtItsLevel) {
  std::uint8_t after = kHigh;
  const Recorder seen = run_machine([&] {
    const auto raise = [](void*) {
      irql_raise(kHigh);
      return true;
    };
    static_cast<void>(synchronize(raise, nullptr));
    after = irql();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::IrqlChanged});
  EXPECT_EQ(seen.findings[0].service, "SynchronizeRoutine");
  EXPECT_EQ(after, kPassive);
}

TEST(Interrupt, MessagesBeyondWhatCanWaitAreLost) {
  Device device;
  run_machine([&] {
    {
      const DriverCall call("DxgkDdiX", kDirql);
      connect_interrupt(Device::isr, &device);
      for (std::uint32_t message = 0; message < 100; ++message) raise_message(message);
    }
    settle();
  });
  EXPECT_EQ(device.isr_calls, 64u);
  EXPECT_EQ(device.message, 63u);
}

TEST(Interrupt, EachThreadHasItsOwnWordForTheHost) {
  std::uint32_t of_other = 9;
  std::uint32_t of_first = 0;
  auto other = [&] {
    of_other = host_word();
    host_word() = 2;
  };
  run_machine([&] {
    host_word() = 1;
    test::spawn("other", other);
    settle();
    of_first = host_word();
  });
  EXPECT_EQ(of_other, 0u);
  EXPECT_EQ(of_first, 1u);
}

TEST(DriverCall, NamesTheInnermostCall) {
  std::string names;
  run_machine([&] {
    const DriverCall outer("outer", kPassive);
    {
      const DriverCall inner("inner", kDispatch);
      names += innermost_call();
    }
    names += ' ';
    names += innermost_call();
  });
  EXPECT_EQ(names, "inner outer");
}

TEST(DriverCall, RestoresTheLevel) {
  std::uint8_t during = 0;
  std::uint8_t after = 9;
  const Recorder seen = run_machine([&] {
    {
      const DriverCall call("DxgkDdiX", kDispatch);
      during = irql();
    }
    after = irql();
  });
  EXPECT_EQ(during, kDispatch);
  EXPECT_EQ(after, kPassive);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

}  // namespace
}  // namespace wddm::nt
