// What a packet leaves in its place of the ring, and who comes to lie there: faults of clauses that
// have another seeded one, caught by the clause in its own scenario.
#include "conformance/harness/suite/configurations.h"
#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class RingPlaces : public ReplayTest {
 protected:
  /// Whether the clause fires on a variant of the built-in driver.
  bool fires_on(const char* id, std::uint32_t variant, Configured where) {
    EXPECT_TRUE(find_rule(id)->played_in.has(where)) << id;
    std::vector<Op> settings = settings_of(where);
    settings.push_back({.kind = OpKind::Configure,
                        .a = static_cast<std::uint8_t>(Setting::Variant),
                        .x = variant});
    return fires_in_its_own(id, settings, nullptr);
  }
};

TEST_F(RingPlaces, WhereAPacketWentOnTheNextOneGoesOn) {
  EXPECT_TRUE(fires_on("PREEMPT-015", 33, Configured::Default));
  EXPECT_TRUE(fires_on("PREEMPT-015", 33, Configured::GpuVirtual));
}

TEST_F(RingPlaces, WhereOneWasRefusedTheNextOneCountsAsCompleted) {
  EXPECT_TRUE(fires_on("PREEMPT-006", 34, Configured::GpuVirtual));
}

}  // namespace
}  // namespace wddm::harness
