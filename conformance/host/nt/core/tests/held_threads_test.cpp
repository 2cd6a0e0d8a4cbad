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

}  // namespace
}  // namespace wddm::nt
