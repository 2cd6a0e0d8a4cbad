// Clocks, delays, polling loops, timers and DPCs.
#include <gtest/gtest.h>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

TEST(Clock, DelayMovesAllClocksAlike) {
  LONGLONG system = 0;
  ULONGLONG up = 0;
  LONGLONG counter = 0;
  run_machine([&] {
    LARGE_INTEGER before;
    LARGE_INTEGER after;
    KeQuerySystemTime(&before);
    const ULONGLONG up_before = KeQueryInterruptTime();
    const LARGE_INTEGER counter_before = KeQueryPerformanceCounter(nullptr);
    LARGE_INTEGER delay = relative(500'000);
    KeDelayExecutionThread(KernelMode, FALSE, &delay);
    KeQuerySystemTime(&after);
    system = after.QuadPart - before.QuadPart;
    up = KeQueryInterruptTime() - up_before;
    counter = KeQueryPerformanceCounter(nullptr).QuadPart - counter_before.QuadPart;
  });
  EXPECT_EQ(system, 500'000);
  EXPECT_EQ(up, 500'000u);
  EXPECT_EQ(counter, 500'000);
}

TIME_FIELDS fields_of(LONGLONG time) {
  TIME_FIELDS fields{};
  LARGE_INTEGER large;
  large.QuadPart = time;
  RtlTimeToTimeFields(&large, &fields);
  return fields;
}

TEST(Clock, TimeBeginsOnMonday1601) {
  const TIME_FIELDS fields = fields_of(0);
  EXPECT_EQ(fields.Year, 1601);
  EXPECT_EQ(fields.Month, 1);
  EXPECT_EQ(fields.Day, 1);
  EXPECT_EQ(fields.Weekday, 1);
}

TEST(Clock, LeapDayHasItsFields) {
  // 2020-02-29 13:14:15.016, a Saturday: 60 days less one after 2020-01-01.
  const LONGLONG day = 864'000'000'000;
  const TIME_FIELDS fields = fields_of(132'223'104'000'000'000 + 59 * day + 13 * (day / 24) +
                                       14 * 600'000'000LL + 15 * 10'000'000LL + 160'000);
  EXPECT_EQ(fields.Year, 2020);
  EXPECT_EQ(fields.Month, 2);
  EXPECT_EQ(fields.Day, 29);
  EXPECT_EQ(fields.Hour, 13);
  EXPECT_EQ(fields.Minute, 14);
  EXPECT_EQ(fields.Second, 15);
  EXPECT_EQ(fields.Milliseconds, 16);
  EXPECT_EQ(fields.Weekday, 6);
}

TEST(Clock, MachineStartsOnNewYear2020) {
  LARGE_INTEGER time;
  run_machine([&] { KeQuerySystemTime(&time); });
  EXPECT_EQ(fields_of(time.QuadPart).Year, 2020);
  EXPECT_EQ(fields_of(time.QuadPart).Day, 1);
}

TEST(Clock, StallTakesMicroseconds) {
  Time after = 0;
  run_machine([&] {
    KeStallExecutionProcessor(50);
    after = now();
  });
  EXPECT_EQ(after, 500u);
}

TEST(Clock, WhoStallsHasNotSettled) {
  bool done = false;
  bool seen = false;
  auto body = [&] {
    for (int i = 0; i < 3; ++i) KeStallExecutionProcessor(50);
    done = true;
  };
  run_machine([&] {
    spawn("stalls", body);
    settle();
    seen = done;
  });
  EXPECT_TRUE(seen);
}

TEST(Clock, ALoopOfStallsIsLeftToOthersInTheEnd) {
  bool there = false;
  bool seen = false;
  auto body = [&] {
    while (!there) KeStallExecutionProcessor(50);
    seen = true;
  };
  run_machine([&] {
    spawn("polls", body);
    settle();
    EXPECT_FALSE(seen);
    EXPECT_LE(now(), 2'000u * 10);
    there = true;
    advance_time(1'000'000);
  });
  EXPECT_TRUE(seen);
}

TEST(Clock, LoopThatOnlyReadsClocksEnds) {
  Time after = 0;
  run_machine([&] {
    const ULONGLONG end = KeQueryInterruptTime() + 10'000'000;
    while (KeQueryInterruptTime() < end) {
    }
    after = now();
  });
  EXPECT_GE(after, 10'000'000u);
  EXPECT_LT(after, 11'000'000u);
}

TEST(Polling, LoopOnMemoryLetsTheWriterRun) {
  volatile bool flag = false;
  Time after = 1;
  auto writer = [&] { flag = true; };
  run_machine([&] {
    spawn("writer", writer);
    while (!flag) YieldProcessor();
    after = now();
  });
  EXPECT_EQ(after, 0u);
}

TEST(Polling, LoopOnMemoryLetsTimersExpire) {
  volatile bool flag = false;
  auto writer = [&] {
    LARGE_INTEGER delay = relative(10'000'000);
    KeDelayExecutionThread(KernelMode, FALSE, &delay);
    flag = true;
  };
  Time after = 0;
  run_machine([&] {
    spawn("writer", writer);
    while (!flag) YieldProcessor();
    after = now();
  });
  EXPECT_GE(after, 10'000'000u);
  EXPECT_LT(after, 10'200'000u);
}

TEST(Polling, SettleReturnsWhenOthersOnlyPoll) {
  volatile bool flag = false;
  bool ended = false;
  auto poller = [&] {
    while (!flag) YieldProcessor();
    ended = true;
  };
  Time at = 1;
  run_machine([&] {
    spawn("poller", poller);
    settle();
    at = now();
    flag = true;
    settle();
  });
  EXPECT_EQ(at, 0u);
  EXPECT_TRUE(ended);
}

TEST(Polling, LoopThatNothingCanEndIsAHang) {
  volatile bool flag = false;
  const Recorder seen = run_machine([&] {
    while (!flag) YieldProcessor();
  });
  EXPECT_EQ(seen.hang_report, "nothing runs but polling loops\nthread 0 (application 0) polls\n");
}

TEST(Polling, InterlockedLoopGivesUpItsTurn) {
  LONG lock = 1;
  auto other = [&] { InterlockedExchange(&lock, 0); };
  const Recorder seen = run_machine([&] {
    spawn("other", other);
    while (InterlockedCompareExchange(&lock, 1, 0) != 0) {
    }
  });
  EXPECT_EQ(seen.hang_report, "");
  EXPECT_EQ(lock, 1);
}

struct TimerAndDpc {
  KTIMER timer;
  KDPC dpc;
  int runs = 0;
  Time last = 0;
  std::uint8_t level = 9;
  ULONG cpu = 9;

  void init(TIMER_TYPE type) {
    KeInitializeTimerEx(&timer, type);
    KeInitializeDpc(&dpc, routine, this);
  }
  static void routine(KDPC*, void* context, void*, void*) {
    auto* self = static_cast<TimerAndDpc*>(context);
    ++self->runs;
    self->last = now();
    self->level = irql();
    self->cpu = KeGetCurrentProcessorNumber();
  }
};

TEST(Timer, QueuesItsDpcWhenDue) {
  TimerAndDpc t;
  run_machine([&] {
    t.init(NotificationTimer);
    KeSetTimer(&t.timer, relative(1000), &t.dpc);
    advance_time(2000);
  });
  EXPECT_EQ(t.runs, 1);
  EXPECT_EQ(t.last, 1000u);
  EXPECT_EQ(t.level, kDispatch);
}

TEST(Timer, PeriodRepeatsInMilliseconds) {
  TimerAndDpc t;
  run_machine([&] {
    t.init(NotificationTimer);
    KeSetTimerEx(&t.timer, relative(10'000), 1, &t.dpc);
    advance_time(35'000);
    KeCancelTimer(&t.timer);
    advance_time(50'000);
  });
  EXPECT_EQ(t.runs, 3);
  EXPECT_EQ(t.last, 30'000u);
}

TEST(Timer, CancelTellsWhetherItWasSet) {
  BOOLEAN first = FALSE;
  BOOLEAN second = TRUE;
  TimerAndDpc t;
  run_machine([&] {
    t.init(NotificationTimer);
    KeSetTimer(&t.timer, relative(1000), nullptr);
    first = KeCancelTimer(&t.timer);
    second = KeCancelTimer(&t.timer);
  });
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

TEST(Timer, SettingItAgainMovesIt) {
  BOOLEAN was_set = FALSE;
  TimerAndDpc t;
  run_machine([&] {
    t.init(NotificationTimer);
    KeSetTimer(&t.timer, relative(1000), &t.dpc);
    was_set = KeSetTimer(&t.timer, relative(3000), &t.dpc);
    advance_time(5000);
  });
  EXPECT_TRUE(was_set);
  EXPECT_EQ(t.runs, 1);
  EXPECT_EQ(t.last, 3000u);
}

TEST(Timer, CanBeWaitedFor) {
  NTSTATUS status = -1;
  Time at = 0;
  run_machine([&] {
    KTIMER timer;
    KeInitializeTimerEx(&timer, SynchronizationTimer);
    KeSetTimer(&timer, relative(1234), nullptr);
    status = wait(&timer);
    at = now();
  });
  EXPECT_EQ(status, STATUS_SUCCESS);
  EXPECT_EQ(at, 1234u);
}

TEST(Timer, DueInThePastExpiresAtOnce) {
  LONG state = 0;
  run_machine([&] {
    KTIMER timer;
    KeInitializeTimer(&timer);
    LARGE_INTEGER due;
    due.QuadPart = 1;
    KeSetTimer(&timer, due, nullptr);
    state = KeReadStateTimer(&timer);
  });
  EXPECT_TRUE(state);
}

TEST(Timer, PeriodicTimerAloneIsAHang) {
  TimerAndDpc t;
  KEVENT never;
  const Recorder seen = run_machine([&] {
    t.init(NotificationTimer);
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    KeSetTimerEx(&t.timer, relative(10'000), 1, &t.dpc);
    wait(&never);
  });
  EXPECT_EQ(seen.hang_report.substr(0, 45), "nothing runs but timers that wake nobody\nthre");
}

TEST(Dpc, RunsBeforeInsertReturnsBelowDispatchLevel) {
  TimerAndDpc t;
  int runs = 0;
  run_machine([&] {
    t.init(NotificationTimer);
    KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    runs = t.runs;
  });
  EXPECT_EQ(runs, 1);
}

TEST(Dpc, SecondInsertOfAQueuedDpcFails) {
  TimerAndDpc t;
  BOOLEAN first = FALSE;
  BOOLEAN second = TRUE;
  run_machine([&] {
    t.init(NotificationTimer);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    first = KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    second = KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    KeLowerIrql(old);
  });
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_EQ(t.runs, 1);
}

TEST(Dpc, RemovedDpcDoesNotRun) {
  TimerAndDpc t;
  run_machine([&] {
    t.init(NotificationTimer);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    KeRemoveQueueDpc(&t.dpc);
    KeLowerIrql(old);
  });
  EXPECT_EQ(t.runs, 0);
}

TEST(Dpc, RunsOnItsTargetProcessor) {
  TimerAndDpc t;
  ULONG here = 9;
  run_machine([&] {
    t.init(NotificationTimer);
    here = KeGetCurrentProcessorNumber();
    KeSetTargetProcessorDpc(&t.dpc, static_cast<CCHAR>(1 - here));
    KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    settle();
  });
  EXPECT_EQ(t.runs, 1);
  EXPECT_EQ(t.cpu, 1 - here);
}

TEST(Dpc, FlushWaitsForDpcsOfOtherProcessors) {
  TimerAndDpc t;
  int runs = 0;
  run_machine([&] {
    t.init(NotificationTimer);
    KeSetTargetProcessorDpc(&t.dpc, static_cast<CCHAR>(1 - KeGetCurrentProcessorNumber()));
    KeInsertQueueDpc(&t.dpc, nullptr, nullptr);
    KeFlushQueuedDpcs();
    runs = t.runs;
  });
  EXPECT_EQ(runs, 1);
}

TEST(Dpc, HighImportanceGoesFirst) {
  static std::string order;
  order.clear();
  run_machine([&] {
    KDPC medium;
    KDPC high;
    KeInitializeDpc(
        &medium, [](KDPC*, void*, void*, void*) { order += 'm'; }, nullptr);
    KeInitializeDpc(
        &high, [](KDPC*, void*, void*, void*) { order += 'h'; }, nullptr);
    KeSetImportanceDpc(&high, HighImportance);
    KIRQL old;
    KeRaiseIrql(DISPATCH_LEVEL, &old);
    KeInsertQueueDpc(&medium, nullptr, nullptr);
    KeInsertQueueDpc(&high, nullptr, nullptr);
    KeLowerIrql(old);
  });
  EXPECT_EQ(order, "hm");
}

TEST(Dpc, ReturnWithALockHeldIsFound) {
  static KSPIN_LOCK lock;
  lock = 0;
  const Recorder seen = run_machine([&] {
    KDPC dpc;
    KeInitializeDpc(
        &dpc, [](KDPC*, void*, void*, void*) { KeAcquireSpinLockAtDpcLevel(&lock); }, nullptr);
    KeInsertQueueDpc(&dpc, nullptr, nullptr);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockHeldAtReturn});
}

TEST(Dpc, ForAProcessorThatIsNotThereIsFound) {
  BOOLEAN queued = TRUE;
  const Recorder seen = run_machine([&] {
    KDPC dpc;
    KeInitializeDpc(
        &dpc, [](KDPC*, void*, void*, void*) {}, nullptr);
    dpc.Number = 77;
    queued = KeInsertQueueDpc(&dpc, nullptr, nullptr);
  });
  ASSERT_EQ(seen.kinds(), Kinds{FindingKind::BadParameter});
  EXPECT_EQ(seen.findings[0].service, "KeInsertQueueDpc");
  EXPECT_EQ(queued, FALSE);
}

}  // namespace
}  // namespace wddm::nt
