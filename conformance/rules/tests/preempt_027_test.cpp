// Requests for one engine before the answer to the last.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_027 {
namespace {

class Preempt027 : public TraceTest {
 protected:
  void asks(std::uint32_t fence, std::uint32_t node = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::PreemptCommand), .object = node},
        std::vector{ddi_arguments::PreemptCommand{.fence = fence, .node = node}});
  }
  void answers() { add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .fence = 5}); }
  bool holds() { return TraceTest::holds("PREEMPT-027"); }
};

TEST_F(Preempt027, OnceItHasAnswered) {
  asks(5);
  answers();
  asks(6);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-027"), 2u);
}

TEST_F(Preempt027, BeforeItHasAnswered) {
  asks(5);
  asks(6);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt027, EnginesAreAskedEachByItself) {
  asks(5, 0);
  asks(5, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt027, AResetEndsARequest) {
  asks(5);
  add(ev::EngineReset{});
  asks(6);
  add(ev::AdapterReset{});
  asks(7);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::preempt_027
