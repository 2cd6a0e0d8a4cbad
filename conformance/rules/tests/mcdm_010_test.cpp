// What comes before the reset of an engine whose completion is missing.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_010 {
namespace {

class Mcdm010 : public TraceTest {
 protected:
  void reset(std::uint32_t node = 0, std::uint32_t cause = 1) {
    add(ev::EngineReset{.node = node, .cause = cause});
  }
  bool holds() { return TraceTest::holds("MCDM-010"); }
};

TEST_F(Mcdm010, AfterAPreemption) {
  add(ev::PreemptAsked{});
  reset();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-010"), 1u);
}

TEST_F(Mcdm010, WithoutOne) {
  reset();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm010, AfterOneOfAnotherNode) {
  add(ev::PreemptAsked{.node = 1});
  reset();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm010, AfterOneThatIsAnswered) {
  add(ev::PreemptAsked{});
  add(ev::ReportJudged{.type = DXGK_INTERRUPT_DMA_PREEMPTED});
  reset();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm010, APageFaultNeedsNone) {
  reset(0, 0);
  EXPECT_EQ(times_reached("MCDM-010"), 0u);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm010, ThroughTheEntryThatIsNotThere) {
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::QueryCurrentFence)});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::mcdm_010
