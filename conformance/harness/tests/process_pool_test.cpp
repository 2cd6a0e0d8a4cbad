// Whose time is up: what uses it, and what waits for ever.
#include "conformance/harness/isolate/process_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace wddm::harness {
namespace {

ProcessEnd run(std::function<int()> child, double seconds) {
  ProcessEnd ended;
  ProcessPool pool(1);
  ProcessPool::Job job;
  job.child = std::move(child);
  job.timeout_seconds = seconds;
  job.done = [&ended](const ProcessEnd& end) { ended = end; };
  pool.push_back(std::move(job));
  pool.run(nullptr);
  return ended;
}

int sleep_for(long milliseconds) {
  const timespec time{.tv_sec = 0, .tv_nsec = milliseconds * 1000000};
  ::nanosleep(&time, nullptr);
  return 0;
}

[[noreturn]] int loop() {
  [[maybe_unused]] volatile int turns = 0;
  while (true) turns = 1;
}

TEST(ProcessPool, WhatUsesItsTimeIsStopped) {
  const ProcessEnd ended = run(loop, 0.05);

  EXPECT_TRUE(ended.timed_out);
  EXPECT_FALSE(ended.waited);
  EXPECT_GE(ended.milliseconds, 50);
}

TEST(ProcessPool, WhatIsKeptWaitingIsNot) {
  const ProcessEnd ended = run([] { return sleep_for(300); }, 0.1);

  EXPECT_FALSE(ended.timed_out);
  EXPECT_TRUE(ended.exited);
  EXPECT_EQ(ended.code, 0);
}

TEST(ProcessPool, WhatWaitsForEverIsStoppedMuchLater) {
  const ProcessEnd ended = run([] { return ::pause(); }, 0.03);

  EXPECT_TRUE(ended.timed_out);
  EXPECT_TRUE(ended.waited);
  EXPECT_GE(ended.milliseconds, 0.03 * kWallOfOwnTime * 1000);
}

// It shares its CPU with another that gets nearly all of it: such a child is ready for long, and
// gets to its time all the same.
TEST(ProcessPool, WhatWaitsForACpuIsNotWaiting) {
  if (::access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "the kernel does not count it";
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  const pid_t other = ::fork();
  if (other == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::sched_setaffinity(0, sizeof(one), &one);
    loop();
  }
  const ProcessEnd ended = run(
      [&one] {
        ::sched_setaffinity(0, sizeof(one), &one);
        if (::nice(15) < 0) return 1;
        return loop();
      },
      0.01);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);

  EXPECT_TRUE(ended.timed_out);
  EXPECT_FALSE(ended.waited);
  EXPECT_GE(ended.cpu_milliseconds, 10);
}

}  // namespace
}  // namespace wddm::harness
