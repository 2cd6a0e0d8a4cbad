// Events, semaphores, mutexes and the waits for them.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Wait, NotificationEventStaysSet) {
  NTSTATUS first = -1;
  NTSTATUS second = -1;
  run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    first = wait(&event, 0);
    second = wait(&event, 0);
  });
  EXPECT_EQ(first, STATUS_SUCCESS);
  EXPECT_EQ(second, STATUS_SUCCESS);
}

TEST(Wait, SynchronizationEventIsTakenByOneWait) {
  NTSTATUS first = -1;
  NTSTATUS second = -1;
  run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, SynchronizationEvent, TRUE);
    first = wait(&event, 0);
    second = wait(&event, 0);
  });
  EXPECT_EQ(first, STATUS_SUCCESS);
  EXPECT_EQ(second, STATUS_TIMEOUT);
}

TEST(Wait, SetEventReturnsTheStateBefore) {
  LONG first = 9;
  LONG second = 9;
  run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    first = KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    second = KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
  });
  EXPECT_EQ(first, 0);
  EXPECT_EQ(second, 1);
}

TEST(Wait, SynchronizationEventWakesWaitersInOrder) {
  std::string order;
  KEVENT event;
  auto a = [&] { wait(&event), order += 'a'; };
  auto b = [&] { wait(&event), order += 'b'; };
  run_machine([&] {
    KeInitializeEvent(&event, SynchronizationEvent, FALSE);
    driver_thread_detached(a);
    driver_thread_detached(b);
    settle();
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    settle();
    order += '|';
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    settle();
  });
  EXPECT_EQ(order, "a|b");
}

TEST(Wait, NotificationEventWakesAll) {
  int woken = 0;
  KEVENT event;
  auto body = [&] { wait(&event), ++woken; };
  run_machine([&] {
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    for (int i = 0; i < 3; ++i) driver_thread_detached(body);
    settle();
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
    settle();
  });
  EXPECT_EQ(woken, 3);
}

TEST(Wait, RelativeTimeoutTakesItsTime) {
  Time before = 0;
  NTSTATUS status = -1;
  const Recorder seen = run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    status = wait(&event, 12'345);
    before = now();
  });
  EXPECT_EQ(status, STATUS_TIMEOUT);
  EXPECT_EQ(before, 12'345u);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Wait, AbsoluteTimeoutIsSystemTime) {
  Time at = 0;
  run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    LARGE_INTEGER due;
    KeQuerySystemTime(&due);
    due.QuadPart += 777;
    static_cast<void>(KeWaitForSingleObject(&event, Executive, KernelMode, FALSE, &due));
    at = now();
  });
  EXPECT_EQ(at, 777u);
}

struct Pair {
  KEVENT a;
  KEVENT b;
  void init(bool first, bool second) {
    KeInitializeEvent(&a, SynchronizationEvent, first);
    KeInitializeEvent(&b, SynchronizationEvent, second);
  }
  NTSTATUS wait(WAIT_TYPE type, LARGE_INTEGER* timeout) {
    void* objects[]{&a, &b};
    return KeWaitForMultipleObjects(2, objects, type, Executive, KernelMode, FALSE, timeout,
                                    nullptr);
  }
};

TEST(Wait, AnyReturnsTheIndexOfTheSignaledObject) {
  NTSTATUS status = -1;
  run_machine([&] {
    Pair pair;
    pair.init(false, true);
    status = pair.wait(WaitAny, nullptr);
  });
  EXPECT_EQ(status, STATUS_WAIT_1);
}

TEST(Wait, AllTakesNothingUntilEverythingIsSignaled) {
  NTSTATUS status = -1;
  LONG a_after = -1;
  run_machine([&] {
    Pair pair;
    pair.init(true, false);
    LARGE_INTEGER timeout = relative(10);
    status = pair.wait(WaitAll, &timeout);
    a_after = KeReadStateEvent(&pair.a);
  });
  EXPECT_EQ(status, STATUS_TIMEOUT);
  EXPECT_EQ(a_after, 1);
}

TEST(Wait, AllTakesEverythingAtOnce) {
  NTSTATUS status = -1;
  LONG left = -1;
  Pair pair;
  auto body = [&] {
    KeSetEvent(&pair.b, IO_NO_INCREMENT, FALSE);
    KeSetEvent(&pair.a, IO_NO_INCREMENT, FALSE);
  };
  run_machine([&] {
    pair.init(false, false);
    driver_thread_detached(body);
    status = pair.wait(WaitAll, nullptr);
    left = KeReadStateEvent(&pair.a) + KeReadStateEvent(&pair.b);
  });
  EXPECT_EQ(status, STATUS_SUCCESS);
  EXPECT_EQ(left, 0);
}

TEST(Wait, BlockingAtDispatchLevelIsFound) {
  const Recorder seen = run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, TRUE);
    const DriverCall call("DxgkDdiX", kDispatch);
    wait(&event);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::WaitAtDispatch});
}

TEST(Wait, PollingAtDispatchLevelIsAllowed) {
  const Recorder seen = run_machine([&] {
    KEVENT event;
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    const DriverCall call("DxgkDdiX", kDispatch);
    wait(&event, 0);
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Wait, UninitialisedEventIsFound) {
  const Recorder seen = run_machine([&] {
    KEVENT event{};
    KeSetEvent(&event, IO_NO_INCREMENT, FALSE);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Wait, ForTheEndOfAThread) {
  bool ended = false;
  auto body = [&] { ended = true; };
  bool seen_ended = false;
  run_machine([&] {
    HANDLE handle = driver_thread(body);
    void* thread = nullptr;
    ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread,
                              nullptr);
    ZwClose(handle);
    wait(thread);
    seen_ended = ended;
    ObDereferenceObject(thread);
  });
  EXPECT_TRUE(seen_ended);
}

TEST(Semaphore, CountsDownAndBlocksAtZero) {
  std::vector<NTSTATUS> results;
  run_machine([&] {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 2, 5);
    for (int i = 0; i < 3; ++i) results.push_back(wait(&semaphore, 0));
  });
  EXPECT_EQ(results, (std::vector<NTSTATUS>{STATUS_SUCCESS, STATUS_SUCCESS, STATUS_TIMEOUT}));
}

TEST(Semaphore, ReleaseBeyondTheLimitIsFound) {
  const Recorder seen = run_machine([&] {
    KSEMAPHORE semaphore;
    KeInitializeSemaphore(&semaphore, 1, 2);
    KeReleaseSemaphore(&semaphore, 0, 2, FALSE);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Mutex, IsRecursive) {
  LONG depth = 9;
  const Recorder seen = run_machine([&] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    wait(&mutex);
    wait(&mutex);
    depth = KeReadStateMutex(&mutex);
    KeReleaseMutex(&mutex, FALSE);
    KeReleaseMutex(&mutex, FALSE);
  });
  EXPECT_EQ(depth, -1);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Mutex, ExcludesOthers) {
  std::string order;
  KMUTEX mutex;
  auto body = [&] {
    wait(&mutex);
    order += 'b';
    KeReleaseMutex(&mutex, FALSE);
  };
  run_machine([&] {
    KeInitializeMutex(&mutex, 0);
    wait(&mutex);
    driver_thread_detached(body);
    settle();
    order += 'a';
    KeReleaseMutex(&mutex, FALSE);
    settle();
  });
  EXPECT_EQ(order, "ab");
}

TEST(Mutex, ReleaseByAnotherThreadIsFound) {
  KMUTEX mutex;
  auto body = [&] { KeReleaseMutex(&mutex, FALSE); };
  const Recorder seen = run_machine([&] {
    KeInitializeMutex(&mutex, 0);
    wait(&mutex);
    driver_thread_detached(body);
    settle();
    KeReleaseMutex(&mutex, FALSE);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockNotHeld});
}

TEST(Mutex, OfAnEndedThreadIsAbandoned) {
  KMUTEX mutex;
  NTSTATUS status = -1;
  auto body = [&] { wait(&mutex); };
  run_machine([&] {
    KeInitializeMutex(&mutex, 0);
    driver_thread_detached(body);
    settle();
    status = wait(&mutex);
    KeReleaseMutex(&mutex, FALSE);
  });
  EXPECT_EQ(status, STATUS_ABANDONED_WAIT_0);
}

}  // namespace
}  // namespace wddm::nt
