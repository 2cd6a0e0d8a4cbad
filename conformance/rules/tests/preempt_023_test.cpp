// What other engines do while one is preempted, by the device's log.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_023 {
namespace {

class Preempt023 : public TraceTest {
 protected:
  void asks(std::uint32_t node) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::PreemptCommand), .object = node},
        std::vector<ddi_arguments::PreemptCommand>{{.node = node}});
  }
  void answers(std::uint32_t node) {
    add(ev::Notified{.type = DXGK_INTERRUPT_DMA_PREEMPTED, .node = node});
  }
  void calls(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void logs(std::uint32_t kind, std::uint32_t node) {
    add(ev::DeviceLogged{.kind = kind, .node = node, .tag = 5});
  }
  void begins(std::uint32_t node) { logs(WDDM_DEVICE_PACKET_BEGIN, node); }
  void stops(std::uint32_t node) { logs(WDDM_DEVICE_PACKET_STOPPED, node); }
  void ends(std::uint32_t node) { logs(WDDM_DEVICE_PACKET_END, node); }
  bool holds() { return TraceTest::holds("PREEMPT-023"); }
  std::uint32_t reached() { return times_reached("PREEMPT-023"); }
};

TEST_F(Preempt023, TheOtherStopsToo) {
  begins(1);
  asks(0);
  stops(1);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt023, TheOtherGoesOn) {
  begins(0);
  begins(1);
  asks(0);
  stops(0);
  answers(0);
  ends(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Preempt023, ALogWithoutStopsShowsNothing) {
  begins(0);
  begins(1);
  asks(0);
  answers(0);
  ends(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt023, WithNobodyBesideNothingIsJudged) {
  begins(0);
  asks(0);
  stops(0);
  answers(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Preempt023, TheOtherMayBeAskedForItself) {
  begins(1);
  asks(1);
  asks(0);
  stops(1);
  answers(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt023, AndMayStopWhenItHasAnswered) {
  begins(1);
  asks(1);
  answers(1);
  asks(0);
  stops(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt023, UntilItIsGivenWorkAgain) {
  asks(1);
  answers(1);
  add(ev::Submitted{.node = 1});
  begins(1);
  asks(0);
  stops(1);
  EXPECT_FALSE(holds());
}

TEST_F(Preempt023, AfterTheAnswerTheRequestIsOver) {
  begins(1);
  asks(0);
  answers(0);
  stops(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt023, AResetHasReasonsOfItsOwn) {
  begins(1);
  asks(0);
  calls(DdiId::ResetEngine);
  stops(1);
  EXPECT_TRUE(holds());
}

TEST_F(Preempt023, SoHasAFault) {
  for (const std::uint32_t kind : {WDDM_DEVICE_PAGE_FAULT, WDDM_DEVICE_FAULT}) {
    begins(1);
    asks(0);
    logs(kind, 1);
    stops(1);
  }
  EXPECT_TRUE(holds());
}

TEST_F(Preempt023, SoHasOneThatOnlyTheIommuKnowsOf) {
  begins(1);
  asks(0);
  add(ev::IommuFaulted{.node = 1});
  stops(1);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::preempt_023
