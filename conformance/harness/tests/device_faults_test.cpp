// Faults of the reference device: the clauses that bind it catch them, and say that it is not the
// driver whose entries are wrong.
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class DeviceFaults : public ReplayTest {
 protected:
  /// What the clause has seen with the fault of its device; empty: nothing wrong.
  std::string seen_by(const char* id) {
    const Rule& rule = *find_rule(id);
    const Judged& judged =
        run(with_settings(scenario_of(rule.scenario), settings_of_fault(id)), &rule.device_fault);
    for (const Failure& failure : judged.failures) {
      if (failure.id == id) return failure.seen;
    }
    return {};
  }
};

TEST_F(DeviceFaults, EntriesOnTheWayAreRight) {
  for (const char* id : {"MMU-002", "MMU-006", "MMU-007", "MMU-012", "VPAGE-006"}) {
    EXPECT_NE(seen_by(id).find("the entries in memory are right: the device"), std::string::npos)
        << id << ": " << seen_by(id);
  }
}

TEST_F(DeviceFaults, WhatLiesBehindTheRootIsNoEntryOfTheDriver) {
  EXPECT_NE(seen_by("ROOT-011").find("no entry of the driver leads there"), std::string::npos);
}

// The choice is of one run: the next one has the conforming device.
TEST_F(DeviceFaults, EndWithTheirRun) {
  EXPECT_NE(seen_by("MMU-002"), "");
  const Rule& rule = *find_rule("MMU-002");
  EXPECT_TRUE(run(with_settings(scenario_of(rule.scenario), settings_of_fault("MMU-002")))
                  .failures.empty());
}

}  // namespace
}  // namespace wddm::harness
