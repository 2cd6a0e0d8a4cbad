// Entry points for resets of engines and of the adapter.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_010 {
namespace {

class Caps010 : public TraceTest {
 protected:
  void reported(std::uint32_t engine_resets) {
    add(ev::CapsReported{.engine_resets = engine_resets});
  }
  void lacks(DdiId ddi) { platform_.absent_ddis.value.set(static_cast<std::size_t>(ddi)); }
  bool holds() { return TraceTest::holds("CAPS-010"); }
};

TEST_F(Caps010, AllAreThere) {
  reported(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-010"), 1u);
}

TEST_F(Caps010, OneOfEnginesIsMissing) {
  lacks(DdiId::QueryEngineStatus);
  reported(1);
  EXPECT_FALSE(holds());
}

TEST_F(Caps010, WithoutSupportPerEngineTdrItMay) {
  lacks(DdiId::QueryEngineStatus);
  lacks(DdiId::ResetEngine);
  lacks(DdiId::QueryDependentEngineGroup);
  reported(0);
  EXPECT_TRUE(holds());
}

TEST_F(Caps010, OneOfTheAdapterIsMissing) {
  lacks(DdiId::RestartFromTimeout);
  reported(0);
  EXPECT_FALSE(holds());
}

}  // namespace
}  // namespace wddm::caps_010
