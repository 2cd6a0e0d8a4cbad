// Whose time is up: what uses it, and what waits for ever.
#include "conformance/harness/isolate/process_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

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

}  // namespace
}  // namespace wddm::harness
