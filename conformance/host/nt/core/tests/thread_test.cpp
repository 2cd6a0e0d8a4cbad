// System threads, work items, objects, handles, lists, leaks.
#include <gtest/gtest.h>

#include <vector>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Thread, ReturnFromTheStartRoutineEndsIt) {
  std::uint32_t alive = 9;
  auto body = [] {};
  run_machine([&] {
    driver_thread_detached(body);
    settle();
    alive = driver_threads_alive();
  });
  EXPECT_EQ(alive, 0u);
}

TEST(Thread, TerminateDoesNotReturn) {
  bool after = false;
  auto body = [&] {
    static_cast<void>(PsTerminateSystemThread(STATUS_SUCCESS));
    after = true;
  };
  const Recorder seen = run_machine([&] {
    driver_thread_detached(body);
    settle();
  });
  EXPECT_FALSE(after);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Thread, CreationFailsWhenAsked) {
  bool ran = false;
  HANDLE handle = nullptr;
  auto body = [&] { ran = true; };
  const Recorder seen = run_machine([&] {
    fail_pool(1, false);
    handle = driver_thread(body);
    settle();
    report_leaks();
  });
  EXPECT_EQ(handle, nullptr);
  EXPECT_FALSE(ran);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Thread, EndWithALockHeldIsFound) {
  FAST_MUTEX mutex;
  auto body = [&] { ExAcquireFastMutex(&mutex); };
  const Recorder seen = run_machine([&] {
    ExInitializeFastMutex(&mutex);
    driver_thread_detached(body);
    settle();
  });
  EXPECT_EQ(seen.kinds(), (Kinds{FindingKind::IrqlChanged, FindingKind::LockHeldAtReturn}));
}

TEST(Thread, IdsDiffer) {
  HANDLE mine = nullptr;
  HANDLE other = nullptr;
  auto body = [&] { other = PsGetCurrentThreadId(); };
  run_machine([&] {
    mine = PsGetCurrentThreadId();
    driver_thread_detached(body);
    settle();
  });
  EXPECT_NE(mine, other);
}

TEST(Thread, ManyThreadsReuseTheirStacks) {
  int runs = 0;
  auto body = [&] { ++runs; };
  run_machine([&] {
    for (int i = 0; i < 2000; ++i) {
      driver_thread_detached(body);
      settle();
    }
  });
  EXPECT_EQ(runs, 2000);
}

TEST(Leaks, ThreadAliveAfterUnloadIsFound) {
  KEVENT never;
  auto body = [&] { wait(&never); };
  const Recorder seen = run_machine([&] {
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    driver_thread_detached(body);
    settle();
    report_leaks();
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::ThreadAliveAtUnload});
}

TEST(Leaks, OpenHandleIsFound) {
  auto body = [] {};
  const Recorder seen = run_machine([&] {
    static_cast<void>(driver_thread(body));
    settle();
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 thread handle left");
}

TEST(Leaks, ReferenceIsFound) {
  auto body = [] {};
  const Recorder seen = run_machine([&] {
    HANDLE handle = driver_thread(body);
    void* thread = nullptr;
    ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread,
                              nullptr);
    ZwClose(handle);
    settle();
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 thread reference left");
}

TEST(Leaks, SetTimerIsFound) {
  const Recorder seen = run_machine([&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, relative(1000), nullptr);
    report_leaks();
    KeCancelTimer(&timer);
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 set timer left");
}

TEST(Leaks, WorkItemIsFound) {
  const Recorder seen = run_machine([&] {
    static_cast<void>(IoAllocateWorkItem(nullptr));
    report_leaks();
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::ObjectLeak});
  EXPECT_EQ(seen.findings[0].detail, "1 I/O work item left");
}

TEST(Leaks, CleanDriverHasNone) {
  auto body = [] {};
  const Recorder seen = run_machine([&] {
    driver_thread_detached(body);
    settle();
    report_leaks();
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Objects, CloseOfAClosedHandleIsFound) {
  auto body = [] {};
  NTSTATUS second = 0;
  const Recorder seen = run_machine([&] {
    HANDLE handle = driver_thread(body);
    ZwClose(handle);
    second = ZwClose(handle);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadHandle});
  EXPECT_EQ(second, STATUS_INVALID_HANDLE);
}

TEST(Objects, HandleOfAnotherTypeIsRefused) {
  auto body = [] {};
  NTSTATUS status = 0;
  void* object = &status;
  run_machine([&] {
    HANDLE handle = driver_thread(body);
    status = ObReferenceObjectByHandle(handle, 0, *IoFileObjectType, KernelMode, &object, nullptr);
    ZwClose(handle);
  });
  EXPECT_EQ(status, STATUS_OBJECT_TYPE_MISMATCH);
  EXPECT_EQ(object, nullptr);
}

TEST(Objects, OneDereferenceTooManyIsFound) {
  const Recorder seen = run_machine([&] {
    void* thread = KeGetCurrentThread();
    ObReferenceObject(thread);
    ObDereferenceObject(thread);
    ObDereferenceObject(thread);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::ReferenceUnderflow});
}

TEST(Objects, AnEventWithAHandleFailsWhenAsked) {
  PKEVENT event = nullptr;
  HANDLE handle = nullptr;
  const Recorder seen = run_machine([&] {
    fail_pool(1, false);
    event = IoCreateNotificationEvent(nullptr, &handle);
    report_leaks();
  });
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Objects, NamedEventIsOneObject) {
  PKEVENT first = nullptr;
  PKEVENT second = nullptr;
  const Recorder seen = run_machine([&] {
    WCHAR text[] = u"\\BaseNamedObjects\\X";
    UNICODE_STRING name{sizeof text - 2, sizeof text, text};
    HANDLE a;
    HANDLE b;
    first = IoCreateNotificationEvent(&name, &a);
    second = IoCreateNotificationEvent(&name, &b);
    ZwClose(a);
    ZwClose(b);
    report_leaks();
  });
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(first, second);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

struct Work {
  std::string order;
  KEVENT go;
  PIO_WORKITEM item = nullptr;
  std::uint8_t level = 9;
};

TEST(WorkItem, RunsAtPassiveLevelAfterADispatchCaller) {
  Work work;
  const Recorder seen = run_machine([&] {
    work.item = IoAllocateWorkItem(nullptr);
    {
      const DriverCall call("DxgkDdiX", kDispatch);
      IoQueueWorkItem(
          work.item,
          [](PDEVICE_OBJECT, void* context) {
            auto* w = static_cast<Work*>(context);
            w->level = irql();
            w->order += 'w';
          },
          DelayedWorkQueue, &work);
      work.order += 'd';
    }
    settle();
    IoFreeWorkItem(work.item);
  });
  EXPECT_EQ(work.order, "dw");
  EXPECT_EQ(work.level, kPassive);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(WorkItem, AllocationFailsWhenAsked) {
  PIO_WORKITEM first = nullptr, second = nullptr;
  const Recorder seen = run_machine([&] {
    fail_pool(1, false);
    first = IoAllocateWorkItem(nullptr);
    second = IoAllocateWorkItem(nullptr);
    IoFreeWorkItem(second);
    report_leaks();
  });
  EXPECT_EQ(first, nullptr);
  EXPECT_NE(second, nullptr);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(WorkItem, BlockedItemDoesNotHoldUpTheNext) {
  Work work;
  run_machine([&] {
    KeInitializeEvent(&work.go, NotificationEvent, FALSE);
    WORK_QUEUE_ITEM blocked;
    WORK_QUEUE_ITEM next;
    ExInitializeWorkItem(
        &blocked,
        [](void* context) {
          auto* w = static_cast<Work*>(context);
          wait(&w->go);
          w->order += 'b';
        },
        &work);
    ExInitializeWorkItem(
        &next, [](void* context) { static_cast<Work*>(context)->order += 'n'; }, &work);
    ExQueueWorkItem(&blocked, DelayedWorkQueue);
    ExQueueWorkItem(&next, DelayedWorkQueue);
    settle();
    KeSetEvent(&work.go, 0, FALSE);
    settle();
  });
  EXPECT_EQ(work.order, "nb");
}

TEST(WorkItem, FreeWhileQueuedIsFound) {
  Work work;
  const Recorder seen = run_machine([&] {
    work.item = IoAllocateWorkItem(nullptr);
    IoQueueWorkItem(
        work.item, [](PDEVICE_OBJECT, void*) {}, DelayedWorkQueue, nullptr);
    IoFreeWorkItem(work.item);
    settle();
    IoFreeWorkItem(work.item);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

// No driver is unloaded before they have ended; of the others nobody knows.
TEST(WorkItem, ThoseOfDeviceObjectsAreAtWorkUntilTheyReturn) {
  std::vector<bool> at_work;
  run_machine([&] {
    PIO_WORKITEM const item = IoAllocateWorkItem(nullptr);
    at_work.push_back(io_items_at_work());
    IoQueueWorkItem(
        item,
        [](PDEVICE_OBJECT, void* context) {
          static_cast<std::vector<bool>*>(context)->push_back(io_items_at_work());
        },
        DelayedWorkQueue, &at_work);
    settle();
    at_work.push_back(io_items_at_work());
    WORK_QUEUE_ITEM plain;
    ExInitializeWorkItem(
        &plain, [](void*) {}, nullptr);
    ExQueueWorkItem(&plain, DelayedWorkQueue);
    at_work.push_back(io_items_at_work());
    settle();
    IoFreeWorkItem(item);
  });
  EXPECT_EQ(at_work, (std::vector<bool>{false, true, false, false}));
}

TEST(WorkItem, MayFreeItself) {
  Work work;
  const Recorder seen = run_machine([&] {
    work.item = IoAllocateWorkItem(nullptr);
    IoQueueWorkItemEx(
        work.item, [](void*, void*, PIO_WORKITEM item) { IoFreeWorkItem(item); }, DelayedWorkQueue,
        nullptr);
    settle();
    report_leaks();
  });
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Lists, InterlockedInsertAndRemoveKeepOrder) {
  PLIST_ENTRY first = nullptr;
  PLIST_ENTRY none = nullptr;
  LIST_ENTRY a;
  LIST_ENTRY b;
  const Recorder seen = run_machine([&] {
    LIST_ENTRY head;
    KSPIN_LOCK lock = 0;
    InitializeListHead(&head);
    ExInterlockedInsertTailList(&head, &a, &lock);
    ExInterlockedInsertTailList(&head, &b, &lock);
    first = ExInterlockedRemoveHeadList(&head, &lock);
    ExInterlockedRemoveHeadList(&head, &lock);
    none = ExInterlockedRemoveHeadList(&head, &lock);
  });
  EXPECT_EQ(first, &a);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(seen.kinds(), Kinds{});
}

TEST(Lists, DamagedListIsFound) {
  const Recorder seen = run_machine([&] {
    LIST_ENTRY head{};
    LIST_ENTRY entry;
    KSPIN_LOCK lock = 0;
    ExInterlockedInsertTailList(&head, &entry, &lock);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
}

TEST(Lists, SListIsAStack) {
  SLIST_ENTRY a;
  SLIST_ENTRY b;
  PSLIST_ENTRY popped = nullptr;
  USHORT depth = 9;
  run_machine([&] {
    SLIST_HEADER head;
    ExInitializeSListHead(&head);
    InterlockedPushEntrySList(&head, &a);
    InterlockedPushEntrySList(&head, &b);
    popped = InterlockedPopEntrySList(&head);
    depth = ExQueryDepthSList(&head);
  });
  EXPECT_EQ(popped, &b);
  EXPECT_EQ(depth, 1);
}

TEST(Interlocked, ValuesAreThoseOfTheInstructions) {
  run_machine([&] {
    LONG value = 5;
    EXPECT_EQ(InterlockedIncrement(&value), 6);
    EXPECT_EQ(InterlockedDecrement(&value), 5);
    EXPECT_EQ(InterlockedExchangeAdd(&value, 10), 5);
    EXPECT_EQ(InterlockedAdd(&value, 1), 16);
    EXPECT_EQ(InterlockedExchange(&value, 3), 16);
    EXPECT_EQ(InterlockedCompareExchange(&value, 9, 4), 3);
    EXPECT_EQ(InterlockedCompareExchange(&value, 9, 3), 3);
    EXPECT_EQ(InterlockedOr(&value, 6), 9);
    EXPECT_EQ(InterlockedAnd(&value, 3), 15);
    EXPECT_EQ(InterlockedXor(&value, 1), 3);
    EXPECT_EQ(value, 2);
  });
}

TEST(Interlocked, OverflowWraps) {
  run_machine([&] {
    LONG value = 0x7fffffff;
    EXPECT_EQ(InterlockedIncrement(&value), static_cast<LONG>(0x80000000));
  });
}

TEST(Interlocked, BitTestReachesBeyondTheFirstWord) {
  run_machine([&] {
    LONG words[2] = {0, 0};
    EXPECT_EQ(InterlockedBitTestAndSet(words, 33), 0);
    EXPECT_EQ(InterlockedBitTestAndSet(words, 33), 1);
    EXPECT_EQ(words[1], 2);
    EXPECT_EQ(InterlockedBitTestAndReset(words, 33), 1);
    EXPECT_EQ(words[1], 0);
  });
}

TEST(BugCheck, EndsTheScenarioWithItsCode) {
  bool after = false;
  const Recorder seen = run_machine([&] {
    KeBugCheckEx(0x117, 1, 2, 3, 4);
    after = true;
  });
  EXPECT_EQ(seen.bug_check_code, 0x117u);
  EXPECT_FALSE(after);
}

TEST(Validate, UndamagedMachineIsConsistent) {
  bool good = false;
  auto body = [] {};
  run_machine([&] {
    driver_thread_detached(body);
    good = validate();
  });
  EXPECT_TRUE(good);
}

}  // namespace
}  // namespace wddm::nt
