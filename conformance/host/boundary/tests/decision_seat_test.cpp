// Each seeded fault alters the decision it is named for, and the faultless seat none.
#include "conformance/host/boundary/decision_seat.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reference/vidmm/tests/small_world.h"

namespace wddm::host {
namespace {

class DecisionSeatTest : public testing::Test {
 protected:
  ~DecisionSeatTest() override { seat_decision_fault(OracleFault::None); }
};

TEST_F(DecisionSeatTest, WithoutAFaultDecisionsPass) {
  const vidsch::EnqueuePaging paging{
      .engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}};
  vidsch::Config config;

  EXPECT_EQ(decisions().order(paging).before, paging.before);
  EXPECT_FALSE(decisions().interleaves(false));
  decisions().configure(config);
  EXPECT_EQ(config.preemption_aware, vidsch::Config{}.preemption_aware);
}

TEST_F(DecisionSeatTest, SubmitBeforePageInKeepsTheRestOfTheOrder) {
  seat_decision_fault(OracleFault::SubmitBeforePageIn);

  const vidsch::EnqueuePaging ordered = decisions().order(
      {.engine = {}, .command = 0, .after = vidsch::PacketId{4}, .before = vidsch::PacketId{5}});

  EXPECT_EQ(ordered.before, vidsch::PacketId{});
  EXPECT_EQ(ordered.after, vidsch::PacketId{4});
}

TEST_F(DecisionSeatTest, InterleavePortionsAsksNobody) {
  seat_decision_fault(OracleFault::InterleavePortions);
  vidsch::Config config;
  config.preemption_aware = false;

  decisions().configure(config);

  EXPECT_TRUE(config.preemption_aware);
  EXPECT_TRUE(decisions().interleaves(false));
}

using vidmm::testing::ListBuilder;

/// A segment of three pages, and allocations 1 to 3, of as many pages as their number.
class VidMmFaultTest : public DecisionSeatTest {
 protected:
  VidMmFaultTest() {
    vidmm::testing::add_memory(vidmm_, 3);
    for (std::uint32_t id = 1; id <= 3; ++id) vidmm::testing::create(vidmm_, id, id);
  }
  /// What is decided on a list of 1024 bytes that is cut wherever it can be.
  vidmm::Decisions prepare(const ListBuilder& list) {
    const std::vector<std::uint32_t> taken = vidmm::split_points(list.list());
    return decisions().prepare(vidmm_, planner_, {.list = list.list(), .taken = taken});
  }
  vidmm::Decisions prepare(const ListBuilder& list, OracleFault fault) {
    seat_decision_fault(fault);
    return prepare(list);
  }
  static std::vector<vidmm::RunPortion> portions_of(const vidmm::Decisions& decided) {
    std::vector<vidmm::RunPortion> all;
    for (const vidmm::Decision& decision : decided) {
      if (const auto* run = std::get_if<vidmm::RunPortion>(&decision)) all.push_back(*run);
    }
    return all;
  }
  /// A letter and the allocation of each step before a portion: Fill, In, Out, Discard.
  static std::string paging_of(const vidmm::RunPortion& run) {
    std::string text;
    for (const vidmm::PagingStep& step : run.paging) {
      text += "FIOMUD"[static_cast<std::size_t>(step.kind)] + std::to_string(step.allocation.value);
    }
    return text;
  }
  /// Null if the buffer runs.
  static const vidmm::Refused* refusal(const vidmm::Decisions& decided) {
    return decided.empty() ? nullptr : std::get_if<vidmm::Refused>(&decided.back());
  }
  static ListBuilder list_of(std::initializer_list<vidmm::testing::Bind> binds) {
    return {3, 1024, binds};
  }
  vidmm::VidMm vidmm_;
  vidmm::SplitPlanner planner_{4};
};

TEST_F(VidMmFaultTest, WithoutAFaultPagingIsInTheOrderOfTheList) {
  const auto portions = portions_of(prepare(list_of({{0, 0, 2}, {0, 1, 1}})));
  ASSERT_EQ(portions.size(), 1u);
  EXPECT_EQ(paging_of(portions[0]), "F2F1");
}

TEST_F(VidMmFaultTest, SortPageInsBySizeBringsInSmallOnesFirst) {
  const auto portions =
      portions_of(prepare(list_of({{0, 0, 2}, {0, 1, 1}}), OracleFault::SortPageInsBySize));
  ASSERT_EQ(portions.size(), 1u);
  EXPECT_EQ(paging_of(portions[0]), "F1F2");
}

TEST_F(VidMmFaultTest, KeepSlotTableHoldsWhatTheBufferBeforeLeftBound) {
  const ListBuilder before = list_of({{0, 0, 3}});
  const ListBuilder next = list_of({{0, 0, 1}});
  EXPECT_EQ(refusal(prepare(before)), nullptr);
  EXPECT_EQ(refusal(prepare(next)), nullptr) << "without the fault allocation 3 makes room";

  EXPECT_EQ(refusal(prepare(before, OracleFault::KeepSlotTableAcrossBuffers)), nullptr);
  EXPECT_NE(refusal(prepare(next)), nullptr);
}

TEST_F(VidMmFaultTest, CutAtPatchOffsetMovesTheCutToTheCommand) {
  ListBuilder list = list_of({{0, 0, 1}, {512, 1, 2}});
  list.elements()[1].patch_offset = 520;
  const auto portions = portions_of(prepare(list, OracleFault::CutAtPatchOffset));
  ASSERT_EQ(portions.size(), 2u);
  EXPECT_EQ(portions[0].portion.end_offset, 520u);
  EXPECT_EQ(portions[1].portion.start_offset, 520u);
}

TEST_F(VidMmFaultTest, RelocateBoundAllocationsTakesOutWhatHasJustComeIn) {
  const ListBuilder list = list_of({{0, 0, 1}, {512, 0, 3}});
  const auto portions = portions_of(prepare(list, OracleFault::RelocateBoundAllocations));
  ASSERT_EQ(portions.size(), 2u);
  EXPECT_TRUE(paging_of(portions[1]).ends_with("F3O3I3")) << paging_of(portions[1]);
}

TEST_F(VidMmFaultTest, PinReprogrammedRowsHoldsWhatTheRowNamedBefore) {
  const ListBuilder before = list_of({{0, 0, 3}});
  const ListBuilder list = list_of({{0, 0, 3}, {512, 0, vidmm::testing::kUnbind}, {512, 1, 1}});
  EXPECT_EQ(refusal(prepare(before)), nullptr);
  EXPECT_EQ(refusal(prepare(list)), nullptr);

  EXPECT_EQ(refusal(prepare(before)), nullptr);
  EXPECT_NE(refusal(prepare(list, OracleFault::PinReprogrammedRows)), nullptr);
}

TEST_F(VidMmFaultTest, RestartAfterSecondSplitRunsTheBufferAgain) {
  const ListBuilder list = list_of({{0, 0, 1}, {256, 1, 1}, {512, 2, 1}});
  const auto portions = portions_of(prepare(list, OracleFault::RestartAfterSecondSplit));
  ASSERT_EQ(portions.size(), 3u);
  EXPECT_EQ(portions[1].portion.start_offset, 256u);
  EXPECT_EQ(portions[2].portion.start_offset, 0u);
}

TEST_F(VidMmFaultTest, LeakCheckIgnoresThatTheDriverNeedNotCare) {
  const ListBuilder leaks = list_of({{0, 0, 1}, {512, 1, 2}});
  EXPECT_EQ(refusal(prepare(leaks)), nullptr);

  const vidmm::Decisions decided = prepare(leaks, OracleFault::LeakCheckIgnoresCap);
  ASSERT_NE(refusal(decided), nullptr);
  EXPECT_EQ(refusal(decided)->why, vidmm::Refusal::LeaksBinding);
}

}  // namespace
}  // namespace wddm::host
