// Slots that are given two allocations at one split point, one of which a command writes.
#include "conformance/rules/tests/list_test.h"

namespace wddm::bind_006 {
namespace {

constexpr std::uint32_t kInsufficientDmaBuffer = 0xC01E0001;

class Bind006 : public ListTest {
 protected:
  void commands_write(const std::vector<std::uint32_t>& allocations) {
    add(ev::CommandsWrite{.count = static_cast<std::uint32_t>(allocations.size())}, allocations);
  }
  bool holds() { return TraceTest::holds("BIND-006"); }
};

TEST_F(Bind006, BothHaveASlot) {
  commands_write({0});
  render({{.allocation_index = 0, .value = 0}, {.allocation_index = 1, .value = 1}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-006"), 1u);
}

TEST_F(Bind006, WhatIsWrittenLosesItsSlotAtOnce) {
  commands_write({0});
  render({{.allocation_index = 0}, {.allocation_index = 1}});
  EXPECT_FALSE(holds());
  EXPECT_EQ(seen_by("BIND-006"), "at split point 0 slot 0 is given it and allocation 1");
}

TEST_F(Bind006, ASlotThatIsBoundTwiceBeforeItIsUsed) {
  commands_write({1});
  render({{.allocation_index = 0}, {.allocation_index = 1}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-006"), 1u);
}

TEST_F(Bind006, ItIsHeldBehindAnotherSplitPoint) {
  commands_write({0});
  render({{.allocation_index = 0},
          {.allocation_index = 1},
          {.allocation_index = 0, .value = 2, .split_offset = 32}});
  EXPECT_TRUE(holds());
}

TEST_F(Bind006, AtALaterSplitPointTheSlotIsFree) {
  commands_write({0, 1});
  render({{.allocation_index = 0}, {.allocation_index = 1, .split_offset = 32}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-006"), 0u) << "each split point has one element";
}

TEST_F(Bind006, OfAlteredBuffersNobodyKnowsWhatTheyWrite) {
  render({{.allocation_index = 0}, {.allocation_index = 1}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-006"), 0u);
}

TEST_F(Bind006, OnePassDoesNotTellAll) {
  commands_write({0});
  render({{.allocation_index = 0}, {.allocation_index = 1}}, kInsufficientDmaBuffer);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-006"), 0u);
}

}  // namespace
}  // namespace wddm::bind_006
