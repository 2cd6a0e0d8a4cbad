// The kill matrix: a fault that survives, noise, and surprises are all seen.
#include "conformance/harness/suite/kill_matrix.h"

#include <gtest/gtest.h>

#include <fstream>

#include "conformance/host/execute.h"

namespace wddm::harness {
namespace {

KillRow row_of(const Rule& rule) {
  const Rule* const rules[] = {&rule};
  const std::vector<KillRow> rows = kill_matrix(rules, {});
  EXPECT_EQ(rows.size(), 1u);
  return rows.at(0);
}

Rule with_also_fires(const char* id, const char* also_fires) {
  Rule rule = *find_rule(id);
  rule.fault.also_fires = also_fires;
  return rule;
}

TEST(KillMatrix, AFaultIsKilledByItsOwnClause) {
  const KillRow oracle = row_of(*find_rule("SPLIT-001"));
  const KillRow variant = row_of(*find_rule("BIND-001"));
  const KillRow host = row_of(*find_rule("LIFE-001"));

  EXPECT_TRUE(oracle.good) << oracle.about;
  EXPECT_TRUE(variant.good) << variant.about;
  EXPECT_TRUE(host.good) << host.about;
}

TEST(KillMatrix, AFaultThatSurvivesIsSeen) {
  const KillRow row = row_of(*find_rule("PAGE-001"));

  EXPECT_TRUE(row.ran);
  EXPECT_FALSE(row.killed);
  EXPECT_FALSE(row.good);
  EXPECT_EQ(row.about, "the fault survives: its own clause did not fire");
}

TEST(KillMatrix, AFaultOfTheDeviceHasARowOfItsOwn) {
  Rule rule = *find_rule("SPLIT-001");
  rule.device_fault = {.about = "of the device", .seat = FaultSeat::Device, .variant = 1};
  const Rule* const rules[] = {&rule};
  KillMatrixOptions options;
  options.device_variable = "WDDM_VARIANT_OF_NO_DEVICE";
  const std::vector<KillRow> rows = kill_matrix(rules, options);

  ASSERT_EQ(rows.size(), 2u);
  EXPECT_TRUE(rows[0].good) << rows[0].about;
  EXPECT_EQ(rows[1].fault, &rule.device_fault);
  EXPECT_TRUE(rows[1].ran);
  EXPECT_FALSE(rows[1].killed) << "the driver behind this host has no device";
}

TEST(KillMatrix, WhatElseFiresMustBeAnnounced) {
  // Its fault makes SPLIT-001 fire, not itself.
  const KillRow row = row_of(*find_rule("CAPS-001"));

  EXPECT_FALSE(row.killed);
  EXPECT_EQ(row.fired, std::vector<std::string>{"SPLIT-001"});
}

TEST(KillMatrix, WhatIsAnnouncedMustFire) {
  const KillRow row = row_of(with_also_fires("SPLIT-001", "PAGE-001 HANG"));

  EXPECT_TRUE(row.killed);
  EXPECT_FALSE(row.good);
  EXPECT_EQ(row.about, "announced, but does not fire: HANG PAGE-001");
}

TEST(KillMatrix, SomethingUnannouncedIsASurprise) {
  Rule rule = *find_rule("SPLIT-001");
  rule.scenario = "name: find\nops:\n  - start\n";

  const KillRow row = row_of(rule);

  EXPECT_TRUE(row.killed);
  EXPECT_EQ(row.about, "also fires, unannounced: NT-PoolOverrun");
}

TEST(KillMatrix, AScenarioOrControlThatFiresWithoutAFaultIsNoise) {
  Rule rule = *find_rule("SPLIT-001");
  rule.control = "name: fire\nops:\n  - start\n";

  const KillRow row = row_of(rule);

  EXPECT_TRUE(row.killed);
  EXPECT_FALSE(row.good);
  EXPECT_EQ(row.noise, std::vector<std::string>{"control: SPLIT-001"});
}

TEST(KillMatrix, ACrashIsAnnouncedByItsWord) {
  Rule rule = with_also_fires("SPLIT-001", "CRASH");
  rule.scenario = "name: fire-and-crash\nops:\n  - start\n";

  const KillRow row = row_of(rule);

  EXPECT_TRUE(row.killed);
  EXPECT_EQ(row.fired, std::vector<std::string>{"CRASH"});
  EXPECT_EQ(row.about, "fires without a fault: scenario: CRASH, scenario: SPLIT-001");
}

TEST(KillMatrix, AScenarioThatCannotBeReadIsADefectOfOurs) {
  Rule rule = *find_rule("SPLIT-001");
  rule.scenario = "ops:\n  - nosuchop\n";

  const KillRow row = row_of(rule);

  EXPECT_FALSE(row.good);
  ASSERT_EQ(row.harness.size(), 1u);
  EXPECT_NE(row.harness[0].find("scenario of SPLIT-001:2:"), std::string::npos) << row.harness[0];
}

}  // namespace
}  // namespace wddm::harness
