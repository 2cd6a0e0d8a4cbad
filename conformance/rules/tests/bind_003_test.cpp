// What opting out of the detection of binding leaks needs.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::bind_003 {
namespace {

constexpr std::uint32_t kMultiEngine = 1, kPreemption = 4, kNoDmaPatching = 8;

class Bind003 : public TraceTest {
 protected:
  bool holds_for(std::uint32_t scheduling) {
    add(ev::CapsReported{.scheduling = scheduling});
    return holds("BIND-003");
  }
};

TEST_F(Bind003, OptingOutNeedsBoth) {
  EXPECT_TRUE(holds_for(kNoDmaPatching | kPreemption | kMultiEngine));
  EXPECT_FALSE(holds_for(kNoDmaPatching | kMultiEngine));
}

}  // namespace
}  // namespace wddm::bind_003
