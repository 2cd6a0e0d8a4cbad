// Seeded schedules: what no schedule may break, and that a seed repeats itself.
#include <gtest/gtest.h>

#include <random>

#include "conformance/host/nt/tests/services_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

class Random : public SchedulePolicy {
 public:
  explicit Random(std::uint32_t seed) : random_(seed) {}
  std::uint32_t choose(std::uint32_t ready) override {
    ++choices;
    return static_cast<std::uint32_t>(random_() % ready);
  }
  std::uint64_t choices = 0;

 private:
  std::mt19937 random_;
};

// Three threads, a periodic timer's DPC and an ISR share a counter under the locks they should use.
struct Shared {
  KSPIN_LOCK lock = 0;
  FAST_MUTEX mutex;
  KTIMER timer;
  KDPC dpc;
  LONG under_lock = 0;
  LONG under_mutex = 0;
  LONG interlocked = 0;
  LONG dpcs = 0;
  LONG interrupts = 0;
  bool torn = false;

  // A read and a write with a point in between where others may come.
  void bump(LONG& value) {
    const LONG before = value;
    KeMemoryBarrier();
    torn |= value != before;
    value = before + 1;
  }
  void thread() {
    for (int i = 0; i < 20; ++i) {
      KIRQL old;
      KeAcquireSpinLock(&lock, &old);
      bump(under_lock);
      KeReleaseSpinLock(&lock, old);
      ExAcquireFastMutex(&mutex);
      bump(under_mutex);
      ExReleaseFastMutex(&mutex);
      InterlockedIncrement(&interlocked);
      if (i % 5 == 0) raise_message(0);
      LARGE_INTEGER delay = relative(5'000);
      if (i % 7 == 0) KeDelayExecutionThread(KernelMode, FALSE, &delay);
    }
  }
};

struct Outcome {
  Shared shared;
  Recorder seen;
  std::uint64_t choices = 0;
};

void explore(std::uint32_t seed, Outcome& outcome) {
  Random policy(seed);
  Shared& shared = outcome.shared;
  auto thread = [&] { shared.thread(); };
  outcome.seen = run_machine(
      [&] {
        ExInitializeFastMutex(&shared.mutex);
        KeInitializeTimer(&shared.timer);
        KeInitializeDpc(
            &shared.dpc,
            [](KDPC*, void* context, void*, void*) {
              auto* s = static_cast<Shared*>(context);
              KeAcquireSpinLockAtDpcLevel(&s->lock);
              s->bump(s->under_lock);
              KeReleaseSpinLockFromDpcLevel(&s->lock);
              ++s->dpcs;
            },
            &shared);
        connect_interrupt(
            [](void* context, std::uint32_t) {
              auto* s = static_cast<Shared*>(context);
              ++s->interrupts;
              KeInsertQueueDpc(&s->dpc, nullptr, nullptr);
              return true;
            },
            &shared);
        KeSetTimerEx(&shared.timer, relative(3'000), 1, &shared.dpc);
        for (int i = 0; i < 3; ++i) driver_thread_detached(thread);
        while (driver_threads_alive() != 0) advance_time(10'000);
        KeCancelTimer(&shared.timer);
        KeFlushQueuedDpcs();
        report_leaks();
      },
      &policy);
  outcome.choices = policy.choices;
}

TEST(Exploration, LocksHoldUnderEverySchedule) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Outcome outcome;
    explore(seed, outcome);
    ASSERT_FALSE(outcome.shared.torn) << seed;
    ASSERT_EQ(outcome.shared.under_lock, 60 + outcome.shared.dpcs) << seed;
    ASSERT_EQ(outcome.shared.under_mutex, 60) << seed;
    ASSERT_EQ(outcome.shared.interlocked, 60) << seed;
    ASSERT_EQ(outcome.shared.interrupts, 12) << seed;
    ASSERT_EQ(outcome.seen.kinds(), Kinds{}) << seed;
    ASSERT_EQ(outcome.seen.hang_report, "") << seed;
    ASSERT_GT(outcome.choices, 100u) << seed;
  }
}

TEST(Exploration, SeedRepeatsItself) {
  Outcome first;
  Outcome second;
  explore(7, first);
  explore(7, second);
  EXPECT_EQ(first.seen.switches, second.seen.switches);
  EXPECT_EQ(first.choices, second.choices);
  EXPECT_EQ(first.shared.dpcs, second.shared.dpcs);
}

// The control: without the lock some schedule tears the update.
TEST(Exploration, MissingLockShows) {
  bool torn = false;
  for (std::uint32_t seed = 0; seed < 50 && !torn; ++seed) {
    Random policy(seed);
    Shared shared;
    auto body = [&] {
      for (int i = 0; i < 5; ++i) shared.bump(shared.under_lock);
    };
    run_machine(
        [&] {
          driver_thread_detached(body);
          driver_thread_detached(body);
          settle();
        },
        &policy);
    torn = shared.torn;
  }
  EXPECT_TRUE(torn);
}

TEST(Exploration, IsrThatTakesTheLockOfWhatItInterruptsIsFound) {
  static KSPIN_LOCK lock;
  lock = 0;
  const Recorder seen = run_machine([] {
    connect_interrupt(
        [](void*, std::uint32_t) {
          KeAcquireSpinLockAtDpcLevel(&lock);
          KeReleaseSpinLockFromDpcLevel(&lock);
          return true;
        },
        nullptr);
    KIRQL old;
    KeAcquireSpinLock(&lock, &old);
    raise_message(0);
    KeReleaseSpinLock(&lock, old);
  });
  EXPECT_EQ(seen.kinds(), Kinds{FindingKind::LockRecursive});
}

TEST(Exploration, ApplicationLostAmongTimeoutsIsAHang) {
  KEVENT never;
  auto ticker = [&] {
    for (;;) static_cast<void>(wait(&never, 1'000'000));
  };
  const Recorder seen = run_machine([&] {
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    driver_thread_detached(ticker);
    wait(&never);
  });
  EXPECT_EQ(seen.hang_report.substr(0, 51), "application 0 waits since an hour of virtual time\nt");
}

}  // namespace
}  // namespace wddm::nt
