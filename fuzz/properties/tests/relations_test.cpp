// Each relation holds on the built-in driver.
#include "fuzz/properties/relation.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "conformance/host/execute.h"

namespace wddm::fuzz {
namespace {

class Driver : public ::testing::Environment {
  void SetUp() override {
    std::string error;
    ASSERT_TRUE(host::load({WDDM_DRIVER_FILE, WDDM_DEVICE_FILE, WDDM_CLIENT_FILE}, error)) << error;
  }
};
const ::testing::Environment* const g_driver = ::testing::AddGlobalTestEnvironment(new Driver);

rc::Gen<std::uint64_t> any_seed() {
  return rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
}

void holds(const Relation& relation) {
  Random random(*any_seed());
  const std::vector<Op> ops = relation.scenario(random);
  const Comparison comparison = compare(relation, ops);
  RC_PRE(comparison.finding != Finding::NotComparable);
  RC_PRE(comparison.finding != Finding::NotReached);
  if (comparison.finding == Finding::Violated) {
    RC_FAIL(print_scenario(shortest_violation(relation, ops)));
  }
}

RC_GTEST_PROP(Memory, SPLIT_005_TakingEverySplitPointChangesNothing, ()) {
  holds(kSplitAnywhere);
}
RC_GTEST_PROP(Memory, PAGE_005_EvictingAnythingIsInvisible, ()) {
  holds(kEvictAnything);
}
RC_GTEST_PROP(Memory, PATCH_003_PatchingAgainEqualsPatchingOnce, ()) {
  holds(kPatchAgain);
}
RC_GTEST_PROP(Memory, PREEMPT_009_AnyPreemptionGivesTheUndisturbedRun, ()) {
  holds(kPreemptAnywhere);
}
RC_GTEST_PROP(Memory, SPLIT_018_IndependentContextsCommute, ()) {
  holds(kInterleaveContexts);
}

}  // namespace
}  // namespace wddm::fuzz
