// The order in which a portion's allocations are brought in.
#include "conformance/rules/tests/list_test.h"
#include "reference/vidmm/paging_step.h"

namespace wddm::split_010 {
namespace {

using vidmm::StepKind;

// One portion that names allocation 0 and then allocation 1.
class Split010 : public ListTest {
 protected:
  Split010() { render({{.allocation_index = 0, .value = 0}, {.allocation_index = 1, .value = 1}}); }
  static PagingStepRecord step(StepKind kind, std::uint32_t allocation) {
    return {.kind = static_cast<std::uint32_t>(kind), .allocation = allocation};
  }
  void planned(const std::vector<PagingStepRecord>& steps) {
    add(ev::PortionPlanned{.end = 64, .count = 2}, steps);
  }
  bool holds() { return TraceTest::holds("SPLIT-010"); }
};

TEST_F(Split010, InTheOrderOfTheList) {
  planned({step(StepKind::Fill, 0), step(StepKind::TransferIn, 1)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-010"), 2u);
}

TEST_F(Split010, TheLaterOneFirst) {
  planned({step(StepKind::TransferIn, 1), step(StepKind::Fill, 0)});
  EXPECT_FALSE(holds());
}

TEST_F(Split010, WhatLeavesForThemHasNoOrder) {
  planned({step(StepKind::TransferOut, 1), step(StepKind::Fill, 0), step(StepKind::Fill, 1)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-010"), 2u);
}

TEST_F(Split010, WhatTheListDoesNotNameHasNoOrder) {
  planned({step(StepKind::Fill, 1), step(StepKind::TransferOut, 7), step(StepKind::Fill, 7)});
  EXPECT_TRUE(holds());
}

TEST_F(Split010, WhereNothingComesThereIsNoOrder) {
  planned({step(StepKind::TransferOut, 7)});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SPLIT-010"), 0u);
}

}  // namespace
}  // namespace wddm::split_010
