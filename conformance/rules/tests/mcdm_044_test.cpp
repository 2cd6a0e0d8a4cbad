// Capabilities of drivers that draw, with and without displays and the functions of these.
#include <d3dkmddi.h>
#include <dispmprt.h>

#include <cstddef>
#include <cstring>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::mcdm_044 {
namespace {

constexpr auto kRelease = static_cast<std::uint32_t>(
    offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiStopDeviceAndReleasePostDisplayOwnership));
constexpr auto kRotate = static_cast<std::uint32_t>(
    offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiUpdateActiveVidPnPresentPath));
constexpr auto kOverlay3 = static_cast<std::uint32_t>(
    offsetof(DRIVER_INITIALIZATION_DATA, DxgkDdiSetVidPnSourceAddressWithMultiPlaneOverlay3));

class Mcdm044 : public TraceTest {
 protected:
  Mcdm044() {
    std::memset(static_cast<void*>(&caps_), 0, sizeof(caps_));
    caps_.SupportPerEngineTDR = TRUE;
  }
  void fills(const std::vector<std::uint32_t>& places) {
    add(ev::EntriesFilled{.count = static_cast<std::uint32_t>(places.size())}, places);
  }
  void starts(std::uint32_t sources = 0) { add(ev::DeviceStarted{.sources = sources}); }
  void answers(std::uint32_t before = 0) {
    std::vector<std::uint8_t> bytes(sizeof(caps_));
    std::memcpy(bytes.data(), &caps_, sizeof(caps_));
    add(ev::CapsAnswered{.before = before}, bytes);
  }
  void answers_with(const std::vector<std::uint32_t>& places) {
    fills(places);
    starts();
    answers();
  }
  bool holds() { return TraceTest::holds("MCDM-044"); }
  std::uint32_t reached() { return times_reached("MCDM-044"); }

  DXGK_DRIVERCAPS caps_;
};

TEST_F(Mcdm044, EnginesAreReset) {
  answers_with({});
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  caps_.SupportPerEngineTDR = FALSE;
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm044, NonVgaNeedsItsFunction) {
  caps_.SupportNonVGA = TRUE;
  answers_with({kRelease});
  EXPECT_TRUE(holds());
  answers_with({kRotate});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm044, RotationNeedsItsFunction) {
  caps_.SupportSmoothRotation = TRUE;
  answers_with({kRotate});
  EXPECT_TRUE(holds());
  answers_with({kRelease});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm044, OverlaysNeedAFunctionOfAnyVersion) {
  caps_.SupportMultiPlaneOverlay = TRUE;
  answers_with({kOverlay3});
  EXPECT_TRUE(holds());
  answers_with({});
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm044, WithADisplayOthersJudge) {
  caps_.SupportPerEngineTDR = FALSE;
  fills({});
  starts(1);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Mcdm044, AnAnswerOverOtherBytesIsNone) {
  caps_.SupportPerEngineTDR = FALSE;
  fills({});
  starts();
  answers(0xCC);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_044
