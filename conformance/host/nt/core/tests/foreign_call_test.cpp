// Who gives back what it owns when a run ends, and who is jumped over.
#include "conformance/host/nt/core/foreign_call.h"

#include <gtest/gtest.h>

#include <tuple>
#include <utility>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/tests/nt_test_support.h"

namespace wddm::nt {
namespace {

using namespace test;

struct Counts {
  explicit Counts(int& destroyed) : destroyed_(destroyed) {}
  ~Counts() { ++destroyed_; }
  int& destroyed_;
};

TEST(ForeignCall, FramesOfAThreadThatStillWaitsAreUnwound) {
  HostEvent never(false);
  int destroyed = 0;
  auto waits = [&] {
    const Counts mine(destroyed);
    never.wait("never");
  };
  run_machine([&] {
    spawn("waits", waits);
    settle();
  });
  EXPECT_EQ(destroyed, 1);
}

TEST(ForeignCall, ForeignFramesAreJumpedOver) {
  HostEvent never(false);
  int of_host = 0, of_driver = 0;
  auto calls = [&] {
    const Counts mine(of_host);
    call_foreign([&] {
      const Counts theirs(of_driver);
      call_foreign([&] { never.wait("never"); });
    });
  };
  run_machine([&] {
    spawn("calls", calls);
    settle();
  });
  EXPECT_EQ(of_host, 1);
  EXPECT_EQ(of_driver, 0);
}

TEST(ForeignCall, SoAreThoseOfWhoStopsTheMachine) {
  int of_host = 0, of_driver = 0;
  run_machine([&] {
    const Counts mine(of_host);
    call_foreign([&] {
      const Counts theirs(of_driver);
      stop_machine();
    });
  });
  EXPECT_EQ(of_host, 1);
  EXPECT_EQ(of_driver, 0);
}

TEST(ForeignCall, AHangUnwindsWhoWaitsForEachOther) {
  HostEvent never(false);
  int destroyed = 0;
  auto waits = [&] {
    const Counts mine(destroyed);
    never.wait("never");
  };
  const Recorder seen = run_machine([&] {
    spawn("waits", waits);
    waits();
  });
  EXPECT_FALSE(seen.hang_report.empty());
  EXPECT_EQ(destroyed, 2);
}

void wait_as_a_driver(void* context) {
  auto& [never, destroyed] = *static_cast<std::pair<HostEvent, int>*>(context);
  const Counts mine(destroyed);
  call_foreign([&never = never] { never.wait("never"); });
}

TEST(ForeignCall, ThreadsOfTheDriverAreNotUnwound) {
  std::pair<HostEvent, int> context(std::piecewise_construct, std::tuple(false), std::tuple(0));
  run_machine([&] {
    HANDLE thread = nullptr;
    static_cast<void>(
        PsCreateSystemThread(&thread, 0, nullptr, nullptr, nullptr, &wait_as_a_driver, &context));
    settle();
  });
  EXPECT_EQ(context.second, 0);
}

TEST(ForeignCall, ItsEndIsTheEndOfTheWayOut) {
  run_machine([] {
    call_foreign([] { EXPECT_NE(running().way_out, nullptr); });
    EXPECT_EQ(running().way_out, nullptr);
  });
}

}  // namespace
}  // namespace wddm::nt
