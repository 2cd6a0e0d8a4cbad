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
TEST(SleepingCalls, AreOverBeforeOthersHaveSettled) {
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

TEST(SleepingCalls, ThreadsOfTheDriverSleepOn) {
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
TEST(SleepingCalls, ThatComeToNoEndAreLeft) {
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

}  // namespace
}  // namespace wddm::nt
