// Time that the GPU has while a call is made.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::irql_001 {
namespace {

class Irql001 : public TraceTest {
 protected:
  void begins(DdiId ddi) { add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void returns(DdiId ddi) { add(ev::DdiReturned{.ddi = static_cast<std::uint32_t>(ddi)}); }
  void gpu_has_time(std::uint16_t thread = 1) {
    thread_ = thread;
    add(ev::GpuAdvanced{.units = 10, .used = 1});
    thread_ = 0;
  }
  bool holds() { return TraceTest::holds("IRQL-001"); }
};

TEST_F(Irql001, TheGpuHasTimeLater) {
  begins(DdiId::PreemptCommand);
  returns(DdiId::PreemptCommand);
  gpu_has_time();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("IRQL-001"), 1u);
}

TEST_F(Irql001, TheCallWaitsForIt) {
  begins(DdiId::PreemptCommand);
  gpu_has_time();
  returns(DdiId::PreemptCommand);
  EXPECT_FALSE(holds());
}

TEST_F(Irql001, ItAdvancesInsideOfTheCallItself) {
  begins(DdiId::PreemptCommand);
  gpu_has_time(0);
  returns(DdiId::PreemptCommand);
  EXPECT_TRUE(holds());
}

TEST_F(Irql001, OtherCallsMay) {
  begins(DdiId::StopDevice);
  gpu_has_time();
  returns(DdiId::StopDevice);
  EXPECT_TRUE(holds());
}

TEST_F(Irql001, TheScenarioGivesTimeInsideOfCalls) {
  op(OpKind::AdvanceInside);
  begins(DdiId::SubmitCommandVirtual);
  gpu_has_time();
  returns(DdiId::SubmitCommandVirtual);
  EXPECT_TRUE(holds());
}

TEST_F(Irql001, WhoPreemptsAtALowLevelMayWait) {
  DXGK_VIDSCHCAPS caps{};
  caps.LowIrqlPreemptCommand = 1;
  platform_.scheduling.value = caps.Value;
  platform_.interface_version = DXGKDDI_INTERFACE_VERSION_WDDM2_0;
  begins(DdiId::PreemptCommand);
  gpu_has_time();
  returns(DdiId::PreemptCommand);
  EXPECT_TRUE(holds());
}

TEST_F(Irql001, ItNeverReturns) {
  begins(DdiId::SubmitCommand);
  add(ev::Hung{});
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::irql_001
