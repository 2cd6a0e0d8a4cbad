// Threads of a driver that wait as where others keep the processors.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(HeldThreads, WaitUntilTheyAreLetGo) {
  std::string order;
  auto body = [&] { order += 't'; };
  run_machine([&] {
    hold_threads(true);
    driver_thread_detached(body);
    settle();
    order += '.';
    hold_threads(false);
    settle();
  });
  EXPECT_EQ(order, ".t");
}

TEST(HeldThreads, RunBeforeTimePasses) {
  Time at = 1;
  auto body = [&] { at = now(); };
  run_machine([&] {
    hold_threads(true);
    driver_thread_detached(body);
    advance_time(100);
    EXPECT_FALSE(threads_held());
  });
  EXPECT_EQ(at, 0u);
}

TEST(HeldThreads, RunWhereACallWaits) {
  KEVENT done;
  Time at = 1;
  auto body = [&] { KeSetEvent(&done, 0, FALSE); };
  run_machine([&] {
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    hold_threads(true);
    driver_thread_detached(body);
    settle();
    EXPECT_TRUE(threads_held());
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    static_cast<void>(KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr));
    at = now();
  });
  EXPECT_EQ(at, 0u);
}

LARGE_INTEGER a_millisecond() {
  LARGE_INTEGER interval{};
  interval.QuadPart = -10'000;
  return interval;
}

// Nothing goes on beside a call that is to come back.
TEST(WaitingCalls, AreOverBeforeOthersHaveSettled) {
  std::string order;
  auto body = [&] {
    const DriverCall call("DxgkDdiQueryEngineStatus", kPassive);
    LARGE_INTEGER interval = a_millisecond();
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    order += 'c';
  };
  run_machine([&] {
    test::spawn("VidSch", body);
    settle();
    order += '.';
    EXPECT_EQ(now(), 10'000u);
  });
  EXPECT_EQ(order, "c.");
}

TEST(WaitingCalls, ThreadsOfTheDriverSleepOn) {
  std::string order;
  auto body = [&] {
    LARGE_INTEGER interval = a_millisecond();
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
    order += 't';
  };
  run_machine([&] {
    driver_thread_detached(body);
    settle();
    order += '.';
    EXPECT_EQ(now(), 0u);
    advance_time(10'000);
  });
  EXPECT_EQ(order, ".t");
}

// Some device answers only when the scenario lets it.
TEST(WaitingCalls, ThatSleepToNoEndAreLeft) {
  bool done = false;
  std::uint32_t asked = 0;
  auto body = [&] {
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    LARGE_INTEGER interval = a_millisecond();
    for (; !done; ++asked) KeDelayExecutionThread(KernelMode, FALSE, &interval);
  };
  run_machine([&] {
    test::spawn("VidSch", body);
    settle();
    EXPECT_EQ(asked, 1'000u);
    done = true;
    advance_time(20'000);
  });
  EXPECT_EQ(asked, 1'001u);
}

TEST(WaitingCalls, AreOverWhereTheyWaitForAnObject) {
  std::string order;
  KTIMER timer;
  auto body = [&] {
    const DriverCall call("DxgkDdiDestroyContext", kPassive);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, a_millisecond(), nullptr);
    static_cast<void>(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, nullptr));
    order += 'c';
  };
  run_machine([&] {
    test::spawn("VidMm", body);
    settle();
    order += '.';
  });
  EXPECT_EQ(order, "c.");
}

TEST(WaitingCalls, GetTheDpcsThatAreHeld) {
  KEVENT done;
  KDPC dpc;
  Time at = 1;
  NTSTATUS status = STATUS_TIMEOUT;
  const auto routine = [](KDPC*, void* event, void*, void*) {
    KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE);
  };
  auto body = [&] {
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    LARGE_INTEGER patience = a_millisecond();
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    status = KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, &patience);
    at = now();
  };
  run_machine([&] {
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    KeInitializeDpc(&dpc, routine, &done);
    hold_dpcs(true);
    test::spawn("VidSch", body);
    settle();
  });
  EXPECT_EQ(status, STATUS_SUCCESS);
  EXPECT_EQ(at, 0u);
}

// A DPC that runs long is not run by who waits for it.
TEST(WaitingCalls, GetDpcsThatUseUpTheirTurn) {
  KEVENT done;
  KDPC dpc;
  const auto routine = [](KDPC*, void* event, void*, void*) {
    KSPIN_LOCK lock;
    KeInitializeSpinLock(&lock);
    for (int i = 0; i < 2'000; ++i) {
      KeAcquireSpinLockAtDpcLevel(&lock);
      KeReleaseSpinLockFromDpcLevel(&lock);
    }
    KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE);
  };
  bool over = false;
  auto body = [&] {
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    static_cast<void>(KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr));
    over = KeReadStateEvent(&done) != 0;
  };
  run_machine([&] {
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    KeInitializeDpc(&dpc, routine, &done);
    hold_dpcs(true);
    test::spawn("VidSch", body);
    settle();
  });
  EXPECT_TRUE(over);
}

// A set timer is a sleep: what is held stays so.
TEST(WaitingCalls, ForATimerLeaveDpcsHeld) {
  KTIMER timer;
  KDPC dpc;
  bool ran = false;
  auto body = [&] {
    const DriverCall call("DxgkDdiCreateContext", kPassive);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, a_millisecond(), nullptr);
    static_cast<void>(KeWaitForSingleObject(&timer, Executive, KernelMode, FALSE, nullptr));
  };
  run_machine([&] {
    KeInitializeDpc(
        &dpc, [](KDPC*, void* flag, void*, void*) { *static_cast<bool*>(flag) = true; }, &ran);
    hold_dpcs(true);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
    test::spawn("VidSch", body);
    settle();
    EXPECT_EQ(now(), 10'000u);
    EXPECT_FALSE(ran);
    hold_dpcs(false);
  });
  EXPECT_TRUE(ran);
}

// What it waits for may be another op of the scenario.
TEST(WaitingCalls, ThatNobodyEndsAreLeft) {
  KEVENT done;
  NTSTATUS status = STATUS_TIMEOUT;
  auto body = [&] {
    const DriverCall call("DxgkDdiResetEngine", kPassive);
    LARGE_INTEGER two_seconds{};
    two_seconds.QuadPart = -20'000'000;
    status = KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, &two_seconds);
    LARGE_INTEGER interval = a_millisecond();
    KeDelayExecutionThread(KernelMode, FALSE, &interval);
  };
  run_machine([&] {
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    test::spawn("VidSch", body);
    settle();
    EXPECT_EQ(now(), 0u);
    KeSetEvent(&done, 0, FALSE);
    settle();
    EXPECT_EQ(now(), 10'000u) << "its next wait passes";
  });
  EXPECT_EQ(status, STATUS_SUCCESS);
}

}  // namespace
}  // namespace wddm::nt
