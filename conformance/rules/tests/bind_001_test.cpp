// Slots that are bound at a split point, and whether its group names them.
#include "conformance/rules/tests/list_test.h"

namespace wddm::bind_001 {
namespace {

// Buffers of 64 bytes; an AllocationIndex of 2 names nothing.
class Bind001 : public ListTest {
 protected:
  bool holds() { return TraceTest::holds("BIND-001"); }
};

TEST_F(Bind001, ABoundSlotIsNamedAgain) {
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 0, .value = 5, .split_offset = 32},
          {.allocation_index = 1, .value = 0, .split_offset = 32}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-001"), 1u) << "at the first nothing is bound";
}

TEST_F(Bind001, ABoundSlotIsLeftOut) {
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 1, .value = 0, .split_offset = 32}});
  EXPECT_FALSE(holds());
  EXPECT_EQ(seen_by("BIND-001"), "slot 5, bound by element 0, has none");
}

TEST_F(Bind001, WithLessRoomThanItAskedForADriverMayPartWhatItKeepsTogetherElse) {
  contexts_ask_for(4097);
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 1, .value = 0, .split_offset = 32}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-001"), 0u);
}

TEST_F(Bind001, WithAllThatItAskedForItMayNot) {
  contexts_ask_for(4096);
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 1, .value = 0, .split_offset = 32}});
  EXPECT_FALSE(holds());
}

TEST_F(Bind001, AnotherAllocationOrNoneWillDo) {
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 0, .value = 6},
          {.allocation_index = 1, .value = 5, .split_offset = 32},
          {.allocation_index = 2, .value = 6, .split_offset = 32}});
  EXPECT_TRUE(holds());
}

TEST_F(Bind001, TheSecondSplitPointCountsToo) {
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 0, .value = 5, .split_offset = 16},
          {.allocation_index = 1, .value = 0, .split_offset = 16},
          {.allocation_index = 1, .value = 0, .split_offset = 32}});
  EXPECT_FALSE(holds());
}

TEST_F(Bind001, BehindTheEndNothingRuns) {
  render({{.allocation_index = 0, .value = 5},
          {.allocation_index = 1, .value = 0, .split_offset = 64}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-001"), 0u);
}

TEST_F(Bind001, OneSplitPointSaysNothing) {
  render({{.allocation_index = 0, .value = 5}, {.allocation_index = 1, .value = 0}});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("BIND-001"), 0u);
}

}  // namespace
}  // namespace wddm::bind_001
