// Failures that are known by the time they are met again are repeated in company.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "conformance/harness/fake/fake_host.h"
#include "conformance/harness/isolate/isolate.h"

namespace wddm::harness {
namespace {

Scenario scenario_named(const std::string& name) {
  Scenario scenario;
  scenario.name = name;
  scenario.ops = {{.kind = OpKind::Start}, {.kind = OpKind::Idle}};
  scenario.lines = {3, 4};
  return scenario;
}

// What was confirmed often enough is repeated in company; whoever differs there is asked alone.
TEST(RepeatedFailures, KnownOnesComeBackInCompanyAndFlakesDoNot) {
  const std::string file = testing::TempDir() + "flaky_among_known";
  ::setenv(fake::kFlakyFile, file.c_str(), 1);
  const Scenario fires = scenario_named("fire"), flaky = scenario_named("flaky");
  std::size_t replayed = 0, flakes = 0;
  std::string about;
  Isolator isolator(IsolatorOptions{});
  const auto enqueue_fires = [&](int count) {
    for (int i = 0; i < count; ++i) {
      isolator.enqueue({.scenario = &fires}, [&](const RunOutcome& outcome) {
        replayed += outcome.replayed ? 1 : 0;
        flakes += outcome.flaky ? 1 : 0;
      });
    }
  };
  enqueue_fires(8);
  isolator.run();

  enqueue_fires(40);
  isolator.enqueue({.scenario = &flaky},
                   [&about](const RunOutcome& outcome) { about = outcome.flake_about; });
  isolator.run();
  std::filesystem::remove(file);

  EXPECT_EQ(replayed, 48u);
  EXPECT_EQ(flakes, 0u);
  EXPECT_EQ(about, "first finished SPLIT-001 at op 0; then finished");
}

}  // namespace
}  // namespace wddm::harness
