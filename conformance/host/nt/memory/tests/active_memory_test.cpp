// Pool blocks freed, and objects initialised, while the kernel still refers to them.
#include <gtest/gtest.h>

#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

constexpr ULONG kActiveTag = 0x74736574;

template <typename T>
T* allocate() {
  return static_cast<T*>(ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(T), kActiveTag));
}

void release(void* block) {
  ExFreePoolWithTag(block, kActiveTag);
}

void expect_found(const Recorder& seen, const char* detail) {
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::PoolUseAfterFree});
  EXPECT_EQ(seen.findings[0].detail, detail);
  EXPECT_EQ(seen.findings[0].service, "ExFreePoolWithTag");
}

TEST(ActiveMemory, SetTimerIsFound) {
  const Recorder seen = run_machine([] {
    auto* timer = allocate<KTIMER>();
    KeInitializeTimer(timer);
    KeSetTimer(timer, relative(1000), nullptr);
    release(timer);
    advance_time(5000);
  });
  expect_found(seen, "freed while it holds a set timer");
}

TEST(ActiveMemory, AMutexThatIsOwnedWhenItsImageGoesIsALeakAndGone) {
  static KMUTEX mutex;
  const Recorder seen = run_machine([] {
    KeInitializeMutex(&mutex, 0);
    static_cast<void>(KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr));
    retire_variables(&mutex, sizeof(mutex));
    KeInitializeMutex(&mutex, 0);  // nothing leads there any more
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail,
            "unloaded while its variables hold a mutex that thread 0 owns");
}

TEST(ActiveMemory, CancelledTimerIsNot) {
  const Recorder seen = run_machine([] {
    auto* timer = allocate<KTIMER>();
    KeInitializeTimer(timer);
    KeSetTimer(timer, relative(1000), nullptr);
    KeCancelTimer(timer);
    release(timer);
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(ActiveMemory, QueuedDpcIsFound) {
  const Recorder seen = run_machine([] {
    auto* dpc = allocate<KDPC>();
    KeInitializeDpc(
        dpc, [](KDPC*, void*, void*, void*) {}, nullptr);
    const DriverCall call("DxgkDdiX", kDispatch);
    KeInsertQueueDpc(dpc, nullptr, nullptr);
    release(dpc);
  });
  expect_found(seen, "freed while it holds a queued DPC");
}

TEST(ActiveMemory, EventSomebodyWaitsForIsFound) {
  PKEVENT event = nullptr;
  auto waiter = [&] { test::wait(event); };
  const Recorder seen = run_machine([&] {
    event = allocate<KEVENT>();
    KeInitializeEvent(event, NotificationEvent, FALSE);
    driver_thread_detached(waiter);
    settle();
    release(event);
  });
  expect_found(seen, "freed while it holds an object that thread 1 waits for");
}

TEST(ActiveMemory, HeldSpinLockIsFound) {
  const Recorder seen = run_machine([] {
    auto* lock = allocate<KSPIN_LOCK>();
    KeInitializeSpinLock(lock);
    KIRQL old;
    KeAcquireSpinLock(lock, &old);
    release(lock);
    KeLowerIrql(old);
  });
  expect_found(seen, "freed while it holds a lock that thread 0 holds");
}

TEST(ActiveMemory, OwnedMutexIsFound) {
  const Recorder seen = run_machine([] {
    auto* mutex = allocate<KMUTEX>();
    KeInitializeMutex(mutex, 0);
    test::wait(mutex);
    release(mutex);
  });
  expect_found(seen, "freed while it holds a mutex that thread 0 owns");
}

TEST(ActiveMemory, QueuedWorkItemIsFound) {
  const Recorder seen = run_machine([] {
    auto* item = allocate<WORK_QUEUE_ITEM>();
    ExInitializeWorkItem(
        item, [](void*) {}, nullptr);
    ExQueueWorkItem(item, DelayedWorkQueue);
    release(item);
    settle();
  });
  expect_found(seen, "freed while it holds a queued work item");
}

void expect_found_by(const char* service, const Recorder& seen, const char* detail) {
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
  EXPECT_EQ(seen.findings[0].detail, detail);
  EXPECT_EQ(seen.findings[0].service, service);
}

TEST(ActiveMemory, SetTimerIsNotInitialisedAgain) {
  bool set = true;
  const Recorder seen = run_machine([&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, relative(1000), nullptr);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, relative(1000), nullptr);
    advance_time(5000);
    set = KeCancelTimer(&timer) != FALSE;
  });
  expect_found_by("KeInitializeTimer", seen, "initialised while it is a set timer");
  EXPECT_FALSE(set);
}

TEST(ActiveMemory, QueuedDpcIsNotInitialisedAgain) {
  int ran = 0;
  const Recorder seen = run_machine([&] {
    const auto routine = [](KDPC*, void* count, void*, void*) { ++*static_cast<int*>(count); };
    KDPC dpc;
    KDPC other;
    KeInitializeDpc(&dpc, routine, &ran);
    KeInitializeDpc(&other, routine, &ran);
    {
      const DriverCall call("DxgkDdiX", kDispatch);
      KeInsertQueueDpc(&dpc, nullptr, nullptr);
      KeInitializeDpc(&dpc, routine, &ran);
    }
    KeInsertQueueDpc(&other, nullptr, nullptr);
  });
  expect_found_by("KeInitializeDpc", seen, "initialised while it is a queued DPC");
  EXPECT_EQ(ran, 1);
}

TEST(ActiveMemory, EventSomebodyWaitsForIsNotInitialisedAgain) {
  KEVENT event;
  auto waiter = [&] { test::wait(&event); };
  const Recorder seen = run_machine([&] {
    KeInitializeEvent(&event, NotificationEvent, FALSE);
    driver_thread_detached(waiter);
    settle();
    KeInitializeEvent(&event, NotificationEvent, FALSE);
  });
  expect_found_by("KeInitializeEvent", seen,
                  "initialised while it is an object that thread 1 waits for");
}

TEST(ActiveMemory, OwnedMutexIsNotInitialisedAgain) {
  const Recorder seen = run_machine([] {
    KMUTEX mutex;
    KeInitializeMutex(&mutex, 0);
    test::wait(&mutex);
    KeInitializeMutex(&mutex, 0);
  });
  expect_found_by("KeInitializeMutex", seen, "initialised while it is a mutex that thread 0 owns");
}

TEST(ActiveMemory, ObjectsAtRestAreInitialisedAgain) {
  const Recorder seen = run_machine([] {
    KTIMER timer;
    KEVENT event;
    KSEMAPHORE semaphore;
    for (int round = 0; round < 2; ++round) {
      KeInitializeTimer(&timer);
      KeSetTimer(&timer, relative(1000), nullptr);
      test::wait(&timer);
      KeInitializeEvent(&event, SynchronizationEvent, TRUE);
      test::wait(&event);
      KeInitializeSemaphore(&semaphore, 1, 1);
      test::wait(&semaphore);
    }
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

}  // namespace
}  // namespace wddm::nt
