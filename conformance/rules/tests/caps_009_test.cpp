// What is mandatory of WDDM 1.2, with and without displays.
#include <d3dkmddi.h>

#include <cstring>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_009 {
namespace {

class Caps009 : public TraceTest {
 protected:
  Caps009() { std::memset(static_cast<void*>(&caps_), 0, sizeof(caps_)); }
  void starts(std::uint32_t sources) { add(ev::DeviceStarted{.sources = sources}); }
  void answers(std::uint32_t before = 0) {
    std::vector<std::uint8_t> bytes(sizeof(caps_));
    std::memcpy(bytes.data(), &caps_, sizeof(caps_));
    add(ev::CapsAnswered{.before = before}, bytes);
  }
  bool holds() { return TraceTest::holds("CAPS-009"); }
  std::uint32_t reached() { return times_reached("CAPS-009"); }

  DXGK_DRIVERCAPS caps_;
};

TEST_F(Caps009, EnginesAreResetWithoutDisplaysToo) {
  starts(0);
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Caps009, NothingFlipsWithoutDisplays) {
  caps_.SupportPerEngineTDR = TRUE;
  starts(0);
  answers();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Caps009, WithDisplaysBothAreMandatory) {
  caps_.SupportPerEngineTDR = TRUE;
  starts(2);
  answers();
  EXPECT_FALSE(holds());
}

TEST_F(Caps009, ADriverOfDisplaysThatReportsBoth) {
  caps_.SupportPerEngineTDR = TRUE;
  caps_.FlipCaps.FlipOnVSyncMmIo = TRUE;
  starts(2);
  answers();
  EXPECT_TRUE(holds());
}

TEST_F(Caps009, WhatStandsOverAPatternIsNoAnswer) {
  starts(0);
  answers(0xA5);
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Caps009, BeforeTheStartItIsUnknownWhetherThereAreDisplays) {
  answers();
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::caps_009
