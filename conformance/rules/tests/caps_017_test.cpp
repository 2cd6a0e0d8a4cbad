// Answers that do not fit into their room.
#include <d3dkmddi.h>

#include "conformance/rules/tests/trace_test.h"

namespace wddm::caps_017 {
namespace {

class Caps017 : public TraceTest {
 protected:
  void answered(InfoQuestion how, ev::InfoAnswered answer) {
    answer.how = static_cast<std::uint32_t>(how);
    add(answer);
  }
  bool holds() { return TraceTest::holds("CAPS-017"); }
};

TEST_F(Caps017, AnAnswerThatDoesNotFitIsRefused) {
  answered(InfoQuestion::Short, {.type = DXGKQAITYPE_DRIVERCAPS, .status = 0xC000000D});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("CAPS-017"), 1u);
}

TEST_F(Caps017, OrAsMuchOfItAsFitsIsGiven) {
  answered(InfoQuestion::Short,
           {.type = DXGKQAITYPE_DRIVERCAPS, .output_bytes = 100, .changed = 100});
  EXPECT_TRUE(holds());
}

TEST_F(Caps017, OrAllOfIt) {
  answered(InfoQuestion::Short, {.type = DXGKQAITYPE_DRIVERCAPS, .behind = 1});
  EXPECT_FALSE(holds());
  EXPECT_TRUE(TraceTest::holds("CAPS-015"));
}

TEST_F(Caps017, AQueryIsCalledByItsNameIfItHasOne) {
  answered(InfoQuestion::Short, {.type = DXGKQAITYPE_GPUMMUCAPS, .behind = 1});
  EXPECT_EQ(seen_by("CAPS-017"), "DXGKQAITYPE_GPUMMUCAPS: 1 bytes behind them were written");
}

TEST_F(Caps017, AQueryWithoutANameIsANumber) {
  answered(InfoQuestion::Short, {.type = 1000, .behind = 1});
  EXPECT_EQ(seen_by("CAPS-017"), "type 1000: 1 bytes behind them were written");
}

TEST_F(Caps017, WhatUserModeAsksIsAnothersToJudge) {
  answered(InfoQuestion::Short, {.type = DXGKQAITYPE_UMDRIVERPRIVATE, .behind = 1});
  EXPECT_TRUE(holds());
  EXPECT_FALSE(TraceTest::holds("CAPS-015"));
}

TEST_F(Caps017, AQuestionWithRoomEnoughIsNone) {
  answered(InfoQuestion::Plain, {.type = DXGKQAITYPE_DRIVERCAPS});
  EXPECT_EQ(times_reached("CAPS-017"), 0u);
}

}  // namespace
}  // namespace wddm::caps_017
