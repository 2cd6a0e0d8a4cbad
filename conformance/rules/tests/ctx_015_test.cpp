// What buffers leave in memory that count on what their context has; CTX-014 is the same for new
// ones.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::ctx_015 {
namespace {

class Ctx015 : public TraceTest {
 protected:
  static constexpr std::uint32_t kInitial = 1, kKept = 2;

  void counts(std::uint32_t state = kKept, std::uint32_t render = 3) {
    add(ev::StateCountedOn{.render = render, .context = 1, .state = state, .after = 2});
  }
  void runs(PacketFate fate = PacketFate::Completed, std::uint32_t packet = 5,
            std::uint32_t render = 3) {
    add(ev::Submitted{.packet = packet, .render = render, .fence = packet});
    add(ev::PacketEnded{
        .packet = packet, .fence = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  void compared(std::uint32_t differences, std::uint32_t packet = 5,
                MemoryCause cause = MemoryCause::Render) {
    add(ev::MemoryChecked{
        .cause = static_cast<std::uint32_t>(cause), .object = packet, .differences = differences});
    if (differences == 0) return;
    add(ev::MemoryDiffers{
        .length = 64, .cause = static_cast<std::uint32_t>(cause), .cause_object = packet});
  }
};

TEST_F(Ctx015, WhatWasSetIsFound) {
  counts();
  runs();
  EXPECT_EQ(times_reached("CTX-015"), 0u) << "nobody has looked yet";
  compared(0);
  EXPECT_TRUE(holds("CTX-015"));
  EXPECT_EQ(times_reached("CTX-015"), 1u);
  EXPECT_EQ(times_reached("CTX-014"), 0u);
}

TEST_F(Ctx015, OtherValuesAreFound) {
  counts();
  runs();
  compared(1);
  EXPECT_EQ(failures("CTX-015"), 1u);
  EXPECT_TRUE(holds("CTX-014"));
}

TEST_F(Ctx015, ANewContextHasItsInitialState) {
  counts(kInitial);
  runs();
  compared(0);
  EXPECT_TRUE(holds("CTX-014"));
  EXPECT_EQ(times_reached("CTX-014"), 1u);
  EXPECT_EQ(times_reached("CTX-015"), 0u);
}

TEST_F(Ctx015, ANewContextHasWhatAnotherHasSet) {
  counts(kInitial);
  runs();
  compared(1);
  EXPECT_EQ(failures("CTX-014"), 1u);
  EXPECT_TRUE(holds("CTX-015"));
}

TEST_F(Ctx015, BuffersThatSetAllThemselvesAreNoneOfItsBusiness) {
  runs();
  compared(1);
  EXPECT_TRUE(holds("CTX-015"));
  EXPECT_EQ(times_reached("CTX-015"), 0u);
}

TEST_F(Ctx015, WhatIsBrokenOffSaysNothing) {
  counts();
  runs(PacketFate::Lost);
  compared(1);
  EXPECT_TRUE(holds("CTX-015"));
  EXPECT_EQ(times_reached("CTX-015"), 0u);
}

TEST_F(Ctx015, WhereMemoryWasWrongBeforeNothingIsKnown) {
  runs(PacketFate::Completed, 4, 2);
  compared(1, 4);
  counts();
  runs();
  compared(1);
  EXPECT_TRUE(holds("CTX-015"));
  EXPECT_EQ(times_reached("CTX-015"), 0u);
}

TEST_F(Ctx015, BuffersThatAreCutAreNoneOfItsBusiness) {
  counts();
  add(ev::Submitted{.packet = 5, .render = 3, .fence = 5, .end = 8});
  add(ev::Submitted{.packet = 6, .render = 3, .fence = 6, .start = 8, .end = 16});
  add(ev::PacketEnded{.packet = 6, .fence = 6});
  compared(1, 6);
  EXPECT_TRUE(holds("CTX-015"));
}

TEST_F(Ctx015, WhatElseIsMadeOfItOtherClausesLeaveAside) {
  add(ev::BufferBuilt{.render = 3});
  counts();
  runs();
  compared(1);
  EXPECT_TRUE(holds("SUBMIT-015"));
}

}  // namespace
}  // namespace wddm::ctx_015
