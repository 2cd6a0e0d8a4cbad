// Which scheduling capabilities need MultiEngineAware.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_001 {
namespace {

constexpr std::uint32_t kMultiEngine = 1, kPreemption = 4, kCancel = 16;

class Caps001 : public TraceTest {
 protected:
  bool holds_for(std::uint32_t scheduling) {
    add(ev::CapsReported{.scheduling = scheduling});
    return holds("CAPS-001");
  }
};

TEST_F(Caps001, PreemptionNeedsMultiEngine) {
  EXPECT_TRUE(holds_for(kPreemption | kMultiEngine));
  EXPECT_FALSE(holds_for(kPreemption));
}

TEST_F(Caps001, CancellingCommandsNeedsMultiEngine) {
  EXPECT_TRUE(holds_for(kCancel | kMultiEngine));
  EXPECT_FALSE(holds_for(kCancel));
}

}  // namespace
}  // namespace wddm::caps_001
