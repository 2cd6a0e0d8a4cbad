// When VidMm's paging is due, one rule of step.h per test.
#include "reference/vidmm/step.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "reference/splitmix.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::kUnbind;
using testing::ListBuilder;

constexpr AllocationId kA{1};
constexpr AllocationId kB{2};
constexpr AllocationId kC{3};
constexpr std::uint32_t kBytes = 1024;

/// A segment of two pages and allocations A, B, C of one page each.
class Step : public ::testing::Test {
 protected:
  Step() {
    testing::add_memory(vidmm_, 2);
    for (std::uint32_t id = 1; id <= 3; ++id) testing::create(vidmm_, id, 1);
  }
  ~Step() override {
    vidmm_.validate();
    planner_.validate();
  }
  std::vector<Decision> ask(const Input& input) { return step(vidmm_, planner_, input); }
  std::vector<Decision> prepare(const ListBuilder& list, std::vector<std::uint32_t> taken = {}) {
    return ask(Prepare{list.list(), taken});
  }
  /// Every split point is taken.
  std::vector<Decision> prepare_cut(const ListBuilder& list, bool preemption_aware,
                                    bool no_dma_patching) {
    const std::vector<std::uint32_t> taken = split_points(list.list());
    return ask(Prepare{list.list(), taken, preemption_aware, no_dma_patching});
  }

  VidMm vidmm_;
  SplitPlanner planner_{4};
};

/// The decisions by letter: earlier work, its paging, not to be brought in, leaks, Page, Run,
/// refused. What is paged for a portion stands before it.
std::string letters(const std::vector<Decision>& decisions) {
  std::string text;
  for (const Decision& decision : decisions) {
    if (const auto* run = std::get_if<RunPortion>(&decision)) text.append(run->paging.size(), 'P');
    text += "EINLPRX"[decision.index()];
  }
  return text;
}

Refusal refusal(const std::vector<Decision>& decisions) {
  return std::get<Refused>(decisions.at(0)).why;
}

TEST_F(Step, PagingWaitsForEarlierWork) {
  const auto decisions = ask(MakeResident{kA});
  ASSERT_EQ(letters(decisions), "EP");
  EXPECT_EQ(std::get<Page>(decisions[1]).step.kind, StepKind::Fill);
  EXPECT_EQ(letters(ask(Move{kA})), "EPP");
  EXPECT_EQ(letters(ask(Evict{kA})), "EP");
  EXPECT_FALSE(vidmm_.allocation(kA).resident());
}

TEST_F(Step, WhatMakesRoomIsPagedFirst) {
  ask(MakeResident{kA});
  ask(MakeResident{kB});
  const auto decisions = ask(MakeResident{kC});
  ASSERT_EQ(letters(decisions), "EPP");
  EXPECT_EQ(std::get<Page>(decisions[1]).step.allocation, kA);
  EXPECT_EQ(std::get<Page>(decisions[2]).step.allocation, kC);
}

TEST_F(Step, WhatNeedsNoPagingWaitsForNothing) {
  ask(MakeResident{kA});
  EXPECT_TRUE(ask(Destroy{kA}).empty());
  EXPECT_TRUE(ask(Destroy{kB}).empty());
  EXPECT_FALSE(vidmm_.exists(kA));
}

TEST_F(Step, AnApertureRangeIsUnmappedBeforeItsAllocationGoes) {
  testing::add_aperture(vidmm_, 4);
  testing::create(vidmm_, 4, 1, {.supported_segments = 2});
  ask(MakeResident{AllocationId{4}});
  const auto decisions = ask(Destroy{AllocationId{4}});
  ASSERT_EQ(letters(decisions), "EP");
  EXPECT_EQ(std::get<Page>(decisions[1]).step.kind, StepKind::UnmapAperture);
}

TEST_F(Step, RefusalsSayWhyAndChangeNothing) {
  EXPECT_EQ(refusal(ask(Evict{kA})), Refusal::IsNotResident);
  EXPECT_EQ(refusal(ask(Move{kA})), Refusal::IsNotResident);
  ask(MakeResident{kA});
  EXPECT_EQ(refusal(ask(MakeResident{kA})), Refusal::IsResident);
  ask(MakeResident{kB});
  EXPECT_EQ(refusal(ask(Move{kA})), Refusal::NoOtherPlace);
  vidmm_.pin(kA);
  vidmm_.pin(kB);
  EXPECT_EQ(letters(ask(MakeResident{kC})), "X");
  EXPECT_EQ(refusal(ask(MakeResident{kC})), Refusal::NoRoom);
}

TEST_F(Step, ABufferWhoseAllocationsAreThereWaitsForTheirPagingOnly) {
  const ListBuilder list(2, kBytes, {{0, 0, 1}, {256, 1, 2}});
  EXPECT_EQ(letters(prepare(list)), "EIPPR");
  EXPECT_EQ(letters(prepare(list)), "IR");
}

TEST_F(Step, PagingBetweenPortionsStandsBetweenThem) {  // SPLIT-016
  const ListBuilder list(3, kBytes, {{0, 0, 1}, {0, 1, 2}, {512, 1, 3}});
  const auto decisions = prepare(list);
  ASSERT_EQ(letters(decisions), "EILPPRPPR");
  const auto& first = std::get<RunPortion>(decisions[3]);
  const auto& second = std::get<RunPortion>(decisions[4]);
  EXPECT_EQ(first.portion.end_offset, 512u);
  ASSERT_EQ(second.paging.size(), 2u);
  EXPECT_EQ(second.paging[0].allocation, kB);
  EXPECT_EQ(second.paging[1].allocation, kC);
}

TEST_F(Step, TakenSplitPointsEndPortions) {
  const ListBuilder list(1, kBytes, {{0, 0, 1}, {256, 0, 1}, {512, 0, 1}});
  EXPECT_EQ(letters(prepare(list)), "EIPR");
  EXPECT_EQ(letters(prepare(list, {512})), "ILRR");
  EXPECT_EQ(letters(prepare(list, split_points(list.list()))), "ILRRR");
}

TEST_F(Step, ThePagingOfARefusedBufferHolds) {
  const ListBuilder list(3, kBytes, {{0, 0, 1}, {512, 1, 2}, {512, 2, 3}});
  const auto decisions = prepare(list);
  ASSERT_EQ(letters(decisions), "NEIXP");
  EXPECT_EQ(std::get<CannotBringIn>(decisions[0]).element, 2u);
  EXPECT_EQ(std::get<Refused>(decisions[3]), (Refused{Refusal::CannotFit, 2}));
  EXPECT_TRUE(vidmm_.allocation(kA).resident());
}

TEST_F(Step, AListThatIsNoListIsRefused) {
  const ListBuilder list(1, kBytes, {{0, 0, 1}, {0, 4, 1}});
  const auto decisions = prepare(list);
  ASSERT_EQ(letters(decisions), "X");
  EXPECT_EQ(std::get<Refused>(decisions[0]), (Refused{Refusal::BadList, 1}));
}

TEST_F(Step, PagingBehindTheLastCommandWaitsForTheBuffer) {
  const ListBuilder list(2, kBytes, {{0, 0, 1}, {kBytes, 1, 2}});
  EXPECT_EQ(letters(prepare(list, {kBytes})), "EIPREP");
}

TEST_F(Step, ALeakingBufferIsRefusedWhereLeaksCount) {  // BIND-002
  const ListBuilder list(2, kBytes, {{0, 0, 1}, {256, 1, 2}, {512, 1, kUnbind}, {768, 2, 2}});
  const auto refused = prepare_cut(list, true, false);
  ASSERT_EQ(letters(refused), "EILXPP");
  // Slot 0 is bound at the cuts at 256, 512 and 768.
  EXPECT_EQ(std::get<LeaksJudged>(refused[2]), (LeaksJudged{true, 3, 256, SlotId{0}, 0}));
  EXPECT_EQ(std::get<Refused>(refused[3]), (Refused{Refusal::LeaksBinding, 0}));
  EXPECT_TRUE(vidmm_.allocation(kB).resident());

  EXPECT_EQ(letters(prepare_cut(list, true, true)), "ILRRRR");
  EXPECT_EQ(letters(prepare_cut(list, false, false)), "ILRRRR");
  EXPECT_FALSE(std::get<LeaksJudged>(prepare_cut(list, false, false)[1]).judged);
}

TEST_F(Step, WithoutSlotsNothingLeaks) {  // BIND-002
  const ListBuilder list(2, kBytes, {{0, 0, 1}, {256, 1, 2}});
  const std::vector<std::uint32_t> taken = split_points(list.list());
  const auto decided = ask(
      Prepare{.list = list.list(), .taken = taken, .preemption_aware = true, .has_slots = false});
  EXPECT_EQ(letters(decided).find('X'), std::string::npos) << letters(decided);
}

TEST_F(Step, ABufferThatReleasesAtItsCutsOrHasNoneRuns) {
  const ListBuilder releases(1, kBytes, {{0, 0, 1}, {512, 0, kUnbind}});
  const auto decisions = prepare_cut(releases, true, false);
  ASSERT_EQ(letters(decisions), "EILPRR");
  EXPECT_EQ(std::get<LeaksJudged>(decisions[2]), (LeaksJudged{.judged = true}));
  const ListBuilder leaks(1, kBytes, {{0, 0, 1}, {512, 1, kUnbind}});
  EXPECT_EQ(letters(ask(Prepare{leaks.list(), {}, true, false})), "IR");
}

TEST_F(Step, WhatABufferListsMovesFirstIfThatIsChosen) {
  const ListBuilder list(1, kBytes, {{0, 0, 1}});
  const Prepare moving{.list = list.list(), .taken = {}, .moves_first = true};
  EXPECT_EQ(letters(ask(moving)), "EIPR");  // nothing lies anywhere yet
  const std::uint32_t before = vidmm_.allocation(kA).page;
  EXPECT_EQ(letters(ask(moving)), "EPPIR");
  EXPECT_NE(vidmm_.allocation(kA).page, before);
  ask(MakeResident{kB});
  EXPECT_EQ(letters(ask(moving)), "IR");  // no other place
}

/// Carrying decisions out in order, paging is never due for work that may still use the memory.
TEST_F(Step, NothingIsPagedUnderQueuedWork) {
  SplitMix random(1);
  std::uint32_t runs = 0;
  for (std::uint32_t round = 0; round < 2'000; ++round) {
    const AllocationId id{1 + random.below(3)};
    const ListBuilder list(3, kBytes,
                           {{random.below(2) * 256, random.below(3), 1 + random.below(3)},
                            {512, random.below(3), 1 + random.below(3)}});
    const std::array<Input, 4> inputs{MakeResident{id}, Evict{id}, Move{id},
                                      Prepare{list.list(), {}}};
    bool waited = false;
    bool ran = false;
    for (const Decision& decision : ask(inputs[random.below(4)])) {
      if (std::holds_alternative<AwaitEarlierWork>(decision)) waited = true;
      const auto* const run = std::get_if<RunPortion>(&decision);
      if (run != nullptr) ran = true;
      if (std::holds_alternative<Page>(decision) || (run != nullptr && !run->paging.empty())) {
        ASSERT_TRUE(waited) << "round " << round;
      }
    }
    runs += ran ? 1 : 0;
  }
  EXPECT_GT(runs, 100u);
}

}  // namespace
}  // namespace wddm::vidmm
