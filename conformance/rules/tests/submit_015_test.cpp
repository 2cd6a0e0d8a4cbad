// What buffers that run whole leave in memory, whoever made them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::submit_015 {
namespace {

class Submit015 : public TraceTest {
 protected:
  static constexpr std::uint32_t kIncomplete = 0xC01E0001;

  void user_mode_built() { add(ev::BufferBuilt{.render = 3}); }
  void rendered(std::uint32_t pass, std::uint32_t status) {
    add(ev::Rendered{.render = 3, .status = status, .pass = pass});
  }
  void runs(PacketFate fate = PacketFate::Completed) {
    add(ev::Submitted{.packet = 5, .render = 3});
    add(ev::PacketEnded{.packet = 5, .fate = static_cast<std::uint32_t>(fate)});
  }
  void compared(std::uint32_t differences) {
    add(ev::MemoryChecked{.cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .object = 5,
                          .operation = kNone,
                          .differences = differences});
    if (differences == 0) return;
    add(ev::MemoryDiffers{.length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Render),
                          .cause_object = 5,
                          .operation = kNone});
  }
  bool holds() { return TraceTest::holds("SUBMIT-015"); }
  std::uint32_t reached() { return times_reached("SUBMIT-015"); }
};

TEST_F(Submit015, WhatUserModeBuiltRunsAsItSays) {
  user_mode_built();
  runs();
  compared(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Submit015, WhatUserModeBuiltLeavesOtherBytes) {
  user_mode_built();
  runs();
  compared(1);
  EXPECT_FALSE(holds());
}

TEST_F(Submit015, WhatOneCallMadeLeavesOtherBytes) {
  rendered(0, 0);
  runs();
  compared(1);
  EXPECT_FALSE(holds());
}

// A client of WDDM 2 with patch lists hands on what Render makes in passes: RENDER-005.
TEST_F(Submit015, WhatWasMadeInPassesIsAnotherMatter) {
  user_mode_built();
  rendered(0, kIncomplete);
  rendered(1, 0);
  runs();
  compared(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Submit015, SoIsWhatRanInPortions) {
  rendered(0, 0);
  add(ev::Submitted{.packet = 4, .render = 3});
  runs();
  compared(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit015, OneWhoseClientHasNotWaited) {
  add(ev::NotAwaited{.render = 3});
  user_mode_built();
  runs();
  compared(1);
  EXPECT_TRUE(holds());
}

TEST_F(Submit015, WhatAFaultEndedSaysNothingWhereMemoryIsRight) {
  user_mode_built();
  runs(PacketFate::Faulted);
  compared(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Submit015, CommandsForKernelModeAloneSayNothing) {
  user_mode_built();
  add(ev::PrivilegedBuilt{.render = 3});
  runs();
  compared(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::submit_015
