// Fibers, order, virtual time and hangs.
#include <gtest/gtest.h>

#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/tests/nt_test_support.h"

namespace wddm::nt {
namespace {

using test::Recorder;
using test::run_machine;
using test::spawn;

TEST(Scheduler, RunsMainAsThreadZero) {
  std::uint32_t ordinal = 99;
  run_machine([&] { ordinal = current_thread(); });
  EXPECT_EQ(ordinal, 0u);
}

TEST(Scheduler, SpawnedThreadRunsAtSettle) {
  std::string order;
  auto body = [&] { order += 'b'; };
  run_machine([&] {
    spawn("b", body);
    order += 'a';
    settle();
    order += 'c';
  });
  EXPECT_EQ(order, "abc");
}

TEST(Scheduler, FirstComeFirstServed) {
  std::string order;
  auto first = [&] { order += '1'; };
  auto second = [&] { order += '2'; };
  auto third = [&] { order += '3'; };
  run_machine([&] {
    spawn("1", first);
    spawn("2", second);
    spawn("3", third);
    settle();
  });
  EXPECT_EQ(order, "123");
}

class TakeLast : public SchedulePolicy {
 public:
  std::uint32_t choose(std::uint32_t ready) override { return ready - 1; }
};

TEST(Scheduler, PolicyChoosesAmongTheReady) {
  TakeLast policy;
  std::string order;
  auto first = [&] { order += '1'; };
  auto second = [&] { order += '2'; };
  run_machine(
      [&] {
        spawn("1", first);
        spawn("2", second);
        settle();
      },
      &policy);
  EXPECT_EQ(order, "21");
}

TEST(Scheduler, EventHandsControlBackAndForth) {
  std::string order;
  HostEvent ping(true);
  HostEvent pong(true);
  auto body = [&] {
    for (int i = 0; i < 3; ++i) {
      ping.wait("ping");
      order += 'b';
      pong.set();
    }
  };
  run_machine([&] {
    spawn("b", body);
    for (int i = 0; i < 3; ++i) {
      order += 'a';
      ping.set();
      pong.wait("pong");
    }
  });
  EXPECT_EQ(order, "ababab");
}

TEST(Scheduler, TimeStandsStillWhileSomethingCanRun) {
  Time seen = 1;
  HostEvent never(false);
  auto sleeper = [&] { static_cast<void>(never.wait_for(1000, "never")); };
  run_machine([&] {
    spawn("sleeper", sleeper);
    settle();
    seen = now();
  });
  EXPECT_EQ(seen, 0u);
}

TEST(Scheduler, TimeJumpsToTheNextTimeoutWhenNothingCanRun) {
  Time seen = 0;
  HostEvent never(false);
  bool signaled = true;
  run_machine([&] {
    signaled = never.wait_for(600'000'000, "never");
    seen = now();
  });
  EXPECT_FALSE(signaled);
  EXPECT_EQ(seen, 600'000'000u);
}

TEST(Scheduler, AdvanceTimeRunsWhatExpiresInIt) {
  std::string order;
  HostEvent never(false);
  auto early = [&] {
    static_cast<void>(never.wait_for(10, "never"));
    order += 'e';
  };
  auto due_at_the_end = [&] {
    static_cast<void>(never.wait_for(20, "never"));
    order += 'd';
  };
  auto late = [&] {
    static_cast<void>(never.wait_for(21, "never"));
    order += 'l';
  };
  Time seen = 0;
  run_machine([&] {
    spawn("late", late);
    spawn("due", due_at_the_end);
    spawn("early", early);
    advance_time(20);
    seen = now();
    order += '|';
  });
  EXPECT_EQ(order, "ed|");
  EXPECT_EQ(seen, 20u);
}

TEST(Scheduler, HangSaysWhoWaitsForWhat) {
  HostEvent a(false);
  HostEvent b(false);
  auto body = [&] { b.wait("wait for b"); };
  const Recorder seen = run_machine([&] {
    spawn("worker", body);
    a.wait("wait for a");
  });
  EXPECT_EQ(seen.hang_report,
            "nothing can run and no timer is set\n"
            "thread 0 (application 0) waits in wait for a for event #1\n"
            "thread 1 (worker) waits in wait for b for event #2\n");
}

TEST(Scheduler, WaitersOfTheSameObjectShareItsNumber) {
  HostEvent a(false);
  auto body = [&] { a.wait("w"); };
  const Recorder seen = run_machine([&] {
    spawn("worker", body);
    a.wait("w");
  });
  EXPECT_EQ(seen.hang_report,
            "nothing can run and no timer is set\n"
            "thread 0 (application 0) waits in w for event #1\n"
            "thread 1 (worker) waits in w for event #1\n");
}

TEST(Scheduler, LeftoverThreadsDoNotKeepTheMachineUp) {
  HostEvent never(false);
  bool after = false;
  auto body = [&] {
    never.wait("never");
    after = true;
  };
  const Recorder seen = run_machine([&] {
    spawn("worker", body);
    settle();
  });
  EXPECT_FALSE(after);
  EXPECT_EQ(seen.hang_report, "");
}

TEST(Scheduler, StopMachineEndsTheRunFromAnyFiber) {
  bool after = false;
  auto body = [] { stop_machine(); };
  run_machine([&] {
    spawn("stopper", body);
    settle();
    after = true;
  });
  EXPECT_FALSE(after);
}

TEST(Scheduler, IdleHookIsAskedBeforeTimeMoves) {
  HostEvent done(false);
  Time seen = 1;
  run_machine([&] {
    set_idle_hook(
        [](void* event) {
          auto* set = static_cast<HostEvent*>(event);
          if (set->is_set()) return false;
          set->set();
          return true;
        },
        &done);
    static_cast<void>(done.wait_for(100, "device"));
    seen = now();
  });
  EXPECT_EQ(seen, 0u);
}

TEST(Scheduler, SameScenarioSameSwitches) {
  const auto scenario = [] {
    HostEvent ping(true);
    HostEvent pong(true);
    auto body = [&] {
      for (;;) {
        ping.wait("ping");
        pong.set();
      }
    };
    return run_machine([&] {
             spawn("b", body);
             for (int i = 0; i < 10; ++i) {
               ping.set();
               pong.wait("pong");
             }
           })
        .switches;
  };
  const std::uint64_t first = scenario();
  EXPECT_GE(first, 20u);
  EXPECT_EQ(scenario(), first);
}

TEST(Scheduler, ManyMachinesInOneProcess) {
  HostEvent never(false);
  auto leftover = [&] { never.wait("never"); };
  Recorder recorder;
  struct Context {
    decltype(leftover)* body;
  } context{&leftover};
  memory::map();
  for (int i = 0; i < 20'000; ++i) {
    memory::reset();
    boot(recorder, nullptr);
    run(
        [](void* c) {
          spawn("leftover", *static_cast<Context*>(c)->body);
          settle();
        },
        &context);
  }
  EXPECT_EQ(recorder.findings.size(), 0u);
  EXPECT_GE(recorder.switches, 40'000u);
}

}  // namespace
}  // namespace wddm::nt
