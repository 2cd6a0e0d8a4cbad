// What PreemptCommand returns.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::preempt_004 {
namespace {

class Preempt004 : public TraceTest {
 protected:
  void asked(std::uint32_t status, std::uint32_t outstanding) {
    add(ev::PreemptAsked{.status = status, .outstanding = outstanding});
  }
  bool holds() { return TraceTest::holds("PREEMPT-004"); }
};

TEST_F(Preempt004, ItSucceeds) {
  asked(0, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-004"), 1u);
}

TEST_F(Preempt004, ItFails) {
  asked(0xC000000D, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt004, AnIdleEngineShowsNothingUnlessItFails) {
  asked(0, 0);
  EXPECT_EQ(times_reached("PREEMPT-004"), 0u);
  asked(0xC000000D, 0);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::preempt_004
