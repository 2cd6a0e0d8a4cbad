// Variants of the built-in driver whose clause has another seeded fault: they are caught by it, in
// its own scenario, too.
#include <algorithm>
#include <vector>

#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class FurtherVariants : public ReplayTest {
 protected:
  /// Whether the clause fires in its own scenario.
  bool fires(const char* id, std::uint32_t variant) {
    const Rule& rule = *find_rule(id);
    std::vector<Op> settings = configuration_of_fault(rule).settings;
    settings.push_back({.kind = OpKind::Configure,
                        .a = static_cast<std::uint8_t>(Setting::Variant),
                        .x = variant});
    const Judged& judged = run(with_settings(scenario_of(rule.scenario), settings));
    return std::any_of(judged.failures.begin(), judged.failures.end(),
                       [&](const auto& failure) { return failure.id == rule.id; });
  }
};

TEST_F(FurtherVariants, AcknowledgedLateLosesACompletion) {
  EXPECT_TRUE(fires("FENCE-001", 17));
}

TEST_F(FurtherVariants, StoppedWithItsRootReadsTheOldOne) {
  EXPECT_TRUE(fires("ROOT-010", 18));
}

}  // namespace
}  // namespace wddm::harness
