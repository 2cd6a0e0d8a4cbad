// What NotifySurpriseRemoval returns, and who touches the hardware after it.
#include <d3dkmddi.h>
#include <dispmprt.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_037 {
namespace {

class Mcdm037 : public TraceTest {
 protected:
  Mcdm037() { platform_.removable = true; }
  void removed(NTSTATUS status = STATUS_SUCCESS) {
    add(ev::SurpriseRemoved{.type = DxgkRemovalPnPNotify,
                            .status = static_cast<std::uint32_t>(status)});
  }
  void touched() { add(ev::GoneDeviceTouched{.bytes = 4, .write = 1}); }
  bool holds() { return TraceTest::holds("MCDM-037"); }
};

TEST_F(Mcdm037, LeftAlone) {
  removed();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-037"), 1u);
}

TEST_F(Mcdm037, Refused) {
  removed(STATUS_NOT_SUPPORTED);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm037, EachKindHasACapabilityOfItsOwn) {
  add(ev::SurpriseRemoved{.type = DxgkRemovalHibernation,
                          .status = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm037, WantOfMemoryInAScenarioThatTakesIt) {
  op(OpKind::FailPool);
  removed(STATUS_NO_MEMORY);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm037, TouchedAfterwards) {
  removed();
  touched();
  touched();
  EXPECT_EQ(failures("MCDM-037"), 1u);
}

TEST_F(Mcdm037, TouchedInsideOfTheCall) {
  touched();
  removed();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm037, TheNextDeviceIsAnother) {
  removed();
  add(ev::Running{});
  touched();
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm037, AppliesToDevicesThatDrawToo) {
  platform_.has_caps = true;
  platform_.removable = true;
  EXPECT_EQ(find_rule("MCDM-037")->applies(platform_), nullptr);
  platform_.removable = false;
  EXPECT_NE(find_rule("MCDM-037")->applies(platform_), nullptr);
}

}  // namespace
}  // namespace wddm::mcdm_037
