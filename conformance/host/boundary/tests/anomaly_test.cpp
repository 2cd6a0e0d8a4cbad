// Callbacks that fail, and schedules from a seed.
#include "conformance/host/boundary/anomaly.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace wddm::host {
namespace {

constexpr auto kMap = FallibleCallback::MapMemory;
constexpr auto kRead = FallibleCallback::ReadDeviceSpace;

std::vector<bool> strikes(CallbackFailure& failure, int calls) {
  std::vector<bool> all;
  for (int i = 0; i < calls; ++i) all.push_back(failure.strikes(kMap));
  return all;
}

TEST(CallbackFailureTest, NothingFailsUnarmed) {
  CallbackFailure failure;
  EXPECT_EQ(strikes(failure, 2), (std::vector<bool>{false, false}));
}

TEST(CallbackFailureTest, KthCallFailsAndNoOther) {
  CallbackFailure failure;
  failure.arm(kMap, 2, false);
  EXPECT_EQ(strikes(failure, 4), (std::vector<bool>{false, true, false, false}));
}

TEST(CallbackFailureTest, AllFromTheKthOnFail) {
  CallbackFailure failure;
  failure.arm(kMap, 2, true);
  EXPECT_EQ(strikes(failure, 4), (std::vector<bool>{false, true, true, true}));
}

TEST(CallbackFailureTest, OtherCallbacksAreNotCounted) {
  CallbackFailure failure;
  failure.arm(kMap, 1, false);
  EXPECT_FALSE(failure.strikes(kRead));
  EXPECT_TRUE(failure.strikes(kMap));
}

TEST(CallbackFailureTest, DisarmedItDoesNotFail) {
  CallbackFailure failure;
  failure.arm(kMap, 1, true);
  failure.disarm();
  EXPECT_FALSE(failure.strikes(kMap));
}

std::vector<std::uint32_t> choices(Policy policy, std::uint32_t seed) {
  constexpr std::uint32_t kThreads[] = {3, 4, 7};
  SeededSchedule schedule;
  schedule.begin(policy, seed);
  std::vector<std::uint32_t> all;
  for (int i = 0; i < 64; ++i) all.push_back(schedule.choose_among(kThreads));
  return all;
}

TEST(SeededScheduleTest, SameSeedIsTheSameSchedule) {
  for (const Policy policy : {Policy::Random, Policy::Pct}) {
    EXPECT_EQ(choices(policy, 5), choices(policy, 5));
  }
}

TEST(SeededScheduleTest, ChoicesAreAmongThoseOffered) {
  for (const Policy policy : {Policy::Random, Policy::Pct}) {
    for (const std::uint32_t choice : choices(policy, 6)) EXPECT_LT(choice, 3u);
  }
}

TEST(SeededScheduleTest, RandomChoosesEveryoneAndPrioritiesStay) {
  const auto random = choices(Policy::Random, 7);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    EXPECT_NE(std::count(random.begin(), random.end(), thread), 0);
  }
  const auto priorities = choices(Policy::Pct, 7);
  int changes = 0;
  for (std::size_t i = 1; i < priorities.size(); ++i) changes += priorities[i] != priorities[i - 1];
  EXPECT_LE(changes, 3) << "at its points of change only";
}

TEST(SeededScheduleTest, AnotherSeedIsAnotherSchedule) {
  EXPECT_NE(choices(Policy::Random, 1), choices(Policy::Random, 2));
}

}  // namespace
}  // namespace wddm::host
