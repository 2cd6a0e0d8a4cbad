// Residency, one clause a test. Memory has 4 pages; A has 2, B 1, Big 3 of device 1, Shared 2.
#include "reference/gpuva/device_residency.h"

#include <gtest/gtest.h>

#include "reference/gpuva/tests/residency_world.h"

namespace wddm::gpuva {
namespace {

using testing::first;
using Status = ResidencyStatus;

constexpr AllocationId kA{0};
constexpr AllocationId kB{1};
constexpr AllocationId kBig{2};
constexpr AllocationId kShared{3};

struct World : testing::ResidencyWorld {
  using ResidencyWorld::ResidencyWorld;
  ~World() { EXPECT_EQ(wrong, ""); }
  World(const World&) = delete;
  /// Makes it resident and waits.
  void bring(std::uint32_t device, const Ids& ids) {
    ASSERT_EQ(first<Answer>(make(device, ids))->status, Status::Pending);
    (void)paged(device);
  }
  /// Submits a buffer and begins to run it.
  void run(std::uint32_t device) {
    (void)submit(device);
    ASSERT_NE(first<MayRun>(want(device)), nullptr);
    (void)begin(device);
  }
  [[nodiscard]] Presence presence(AllocationId id) const { return residency.presence(id); }
};
Answer answer(const std::vector<ResidencyDecision>& decisions) {
  return std::get<Answer>(decisions.at(0));
}

TEST(Residency, RES_001_AListThatNamesWhatIsNotRequiredIsRejected) {
  World world;
  world.bring(0, {kA});
  EXPECT_TRUE(world.submit(0, {kA}).empty());
  const auto decisions = world.submit(0, {kA, kB});
  EXPECT_EQ(*first<RejectBuffer>(decisions), RejectBuffer{1});
  EXPECT_EQ(*first<DeviceError>(decisions), DeviceError{{0}});
  EXPECT_EQ(*first<RejectBuffer>(world.submit(0)), RejectBuffer{0});
  EXPECT_EQ(answer(world.make(0, {kB})).status, Status::DeviceRemoved);
}

TEST(Residency, RES_001_WhatHappensToBeResidentIsNotRequired) {
  World world;
  world.bring(0, {kA});
  (void)world.evict(0, {kA}, true);
  ASSERT_EQ(world.presence(kA), Presence::In);
  EXPECT_NE(first<RejectBuffer>(world.submit(0, {kA})), nullptr);
}

TEST(Residency, RES_001_OtherDevicesGoOn) {
  World world;
  (void)world.submit(0, {kA});
  EXPECT_TRUE(world.residency.in_error({0}));
  EXPECT_FALSE(world.residency.in_error({1}));
  EXPECT_TRUE(world.submit(1).empty());
}

TEST(Residency, RES_003_NoRunBeforeAllIsIn) {
  World world;
  (void)world.make(0, {kA});
  (void)world.submit(0);
  EXPECT_EQ(first<MayRun>(world.want(0)), nullptr);
  EXPECT_FALSE(world.residency.may_run({0}));
  EXPECT_NE(first<MayRun>(world.paged(0)), nullptr);
  EXPECT_TRUE(world.residency.may_run({0}));
}

TEST(Residency, RES_003_NothingIsTakenFromWhoRuns) {
  World world;
  world.bring(0, {kA});
  world.run(0);
  EXPECT_EQ(answer(world.make(1, {kBig})).status, Status::Pending);
  EXPECT_EQ(world.presence(kA), Presence::In);
  const auto decisions = world.end(0);
  EXPECT_EQ(*first<SuspendDevice>(decisions), SuspendDevice{{0}});
  EXPECT_EQ(*first<PageOut>(decisions), (PageOut{kA, false}));
  EXPECT_EQ(*first<PageIn>(decisions), (PageIn{kBig, false, {1}}));
}

TEST(Residency, RES_003_AnEvictedAllocationStaysWhileWhatRunsMayUseIt) {
  World world;
  world.bring(0, {kA});
  world.run(0);
  EXPECT_EQ(first<PageOut>(world.evict(0, {kA})), nullptr);
  EXPECT_NE(first<PageOut>(world.end(0)), nullptr);
}

TEST(Residency, RES_003_ASuspendedDeviceGetsAllBackBeforeItRuns) {
  World world;
  world.bring(0, {kA, kB});
  (void)world.make(1, {kBig});
  (void)world.paged(1);
  ASSERT_TRUE(world.residency.suspended({0}));
  (void)world.submit(0);
  EXPECT_FALSE(world.residency.may_run({0}));
  const auto decisions = world.want(0);
  EXPECT_EQ(*first<SuspendDevice>(decisions), SuspendDevice{{1}});
  EXPECT_TRUE(first<PageIn>(decisions)->contents);
  const auto paged = world.paged(0);
  EXPECT_NE(first<ResumeDevice>(paged), nullptr);
  EXPECT_NE(first<MayRun>(paged), nullptr);
}

TEST(Residency, RES_003_WhoMayRunWaitsAgainIfItNeedsMore) {
  World world;
  world.bring(0, {kA});
  (void)world.submit(0);
  ASSERT_NE(first<MayRun>(world.want(0)), nullptr);
  (void)world.make(0, {kB});
  EXPECT_FALSE(world.residency.may_run({0}));
  EXPECT_NE(first<MayRun>(world.paged(0)), nullptr);
}

TEST(Residency, RES_004_CountsEveryRequest) {
  World world;
  world.bring(0, {kA});
  EXPECT_EQ(answer(world.make(0, {kA})), (Answer{Status::Ok, 0, 0}));
  EXPECT_EQ(first<PageOut>(world.evict(0, {kA})), nullptr);
  EXPECT_EQ(world.residency.count({0}, kA), 1u);
  EXPECT_NE(first<PageOut>(world.evict(0, {kA})), nullptr);
  EXPECT_EQ(answer(world.evict(0, {kA})).status, Status::InvalidParameter);
}

TEST(Residency, RES_004_ListedTwiceCountsTwice) {
  World world;
  world.bring(0, {kA, kA});
  EXPECT_EQ(world.residency.count({0}, kA), 2u);
  EXPECT_EQ(answer(world.evict(0, {kA, kA, kA})).status, Status::InvalidParameter);
  EXPECT_EQ(world.residency.count({0}, kA), 2u);
  EXPECT_EQ(answer(world.evict(0, {kA, kA})).status, Status::Ok);
}

TEST(Residency, RES_004_EachDeviceCountsForItself) {
  World world;
  world.bring(0, {kShared});
  EXPECT_EQ(answer(world.make(1, {kShared})).status, Status::Ok);
  EXPECT_EQ(first<PageOut>(world.evict(0, {kShared})), nullptr);
  EXPECT_EQ(world.residency.count({1}, kShared), 1u);
  EXPECT_EQ(answer(world.make(1, {kA})).status, Status::InvalidParameter);
}

TEST(Residency, RES_004_EvictOnlyIfNecessaryKeepsIt) {
  World world;
  world.bring(0, {kA});
  (void)world.evict(0, {kA}, true);
  EXPECT_EQ(answer(world.make(0, {kA})), (Answer{Status::Ok, 0, 0}));
  (void)world.evict(0, {kA}, true);
  EXPECT_EQ(*first<PageOut>(world.make(1, {kBig})), (PageOut{kA, false}));
  EXPECT_FALSE(world.residency.suspended({0}));
}

TEST(Residency, RES_005_AFailureChangesNothing) {
  World world(3);
  world.bring(0, {kA});
  const auto decisions = world.make(0, {kB, kA, kShared});
  EXPECT_EQ(decisions,
            (std::vector<ResidencyDecision>{Answer{Status::OutOfMemory, 0, 2 * kPageSize}}));
  EXPECT_EQ(world.residency.count({0}, kA), 1u);
  EXPECT_EQ(world.residency.count({0}, kB), 0u);
  EXPECT_EQ(world.residency.required_pages({0}), 2u);
}

TEST(Residency, RES_005_WhatFitsExactlyIsMade) {
  World world(3);
  EXPECT_EQ(answer(world.make(0, {kA, kB})).status, Status::Pending);
}

TEST(Residency, RES_005_MoreThanAllMemoryFailsWhateverTheFlags) {
  World world;
  const Answer failed = answer(world.make(0, {kA, kB, kShared}, true));
  EXPECT_EQ(failed, (Answer{Status::OutOfMemory, 0, kPageSize}));
  EXPECT_FALSE(world.residency.in_error({0}));
}

TEST(Residency, RES_006_PendingHasAFenceValueAndDoneHasNone) {
  World world;
  EXPECT_EQ(answer(world.make(0, {kA})), (Answer{Status::Pending, 1, 0}));
  EXPECT_EQ(answer(world.make(0, {kB})), (Answer{Status::Pending, 2, 0}));
  EXPECT_EQ(*first<SignalPagingFence>(world.paged(0)), (SignalPagingFence{{0}, 1}));
  EXPECT_EQ(*first<SignalPagingFence>(world.paged(0)), (SignalPagingFence{{0}, 2}));
  EXPECT_EQ(answer(world.make(0, {kA})), (Answer{Status::Ok, 0, 0}));
}

TEST(Residency, RES_006_WhatIsOnItsWayIsPendingToo) {
  World world;
  (void)world.make(0, {kShared});
  EXPECT_EQ(answer(world.make(1, {kShared})), (Answer{Status::Pending, 1, 0}));
  const auto decisions = world.paged(0);
  EXPECT_EQ(world.residency.signalled({0}), 1u);
  EXPECT_EQ(world.residency.signalled({1}), 1u);
  EXPECT_EQ(first<PageIn>(decisions), nullptr);
}

TEST(Residency, RES_007_CantTrimFurtherLiftsTheBudget) {
  World world(1);
  EXPECT_EQ(answer(world.make(0, {kA})), (Answer{Status::OutOfMemory, 0, kPageSize}));
  EXPECT_EQ(answer(world.make(0, {kA}, true)).status, Status::Pending);
}

TEST(Residency, RES_007_MustSucceedFailsTheDevice) {
  World world;
  EXPECT_EQ(answer(world.make(0, {kA}, false, true)).status, Status::InvalidParameter);
  const auto decisions = world.make(0, {kA, kB, kShared}, true, true);
  EXPECT_EQ(answer(decisions).status, Status::OutOfMemory);
  EXPECT_EQ(*first<DeviceError>(decisions), DeviceError{{0}});
}

TEST(Residency, RES_009_NotWrittenToDropsContentsThatAreSaved) {
  World world;
  world.bring(0, {kA});
  EXPECT_EQ(*first<PageOut>(world.evict(0, {kA})), (PageOut{kA, false}));
  world.bring(0, {kA});
  EXPECT_EQ(*first<PageOut>(world.evict(0, {kA}, false, true)), (PageOut{kA, true}));
  EXPECT_TRUE(first<PageIn>(world.make(0, {kA}))->contents);
}

TEST(Residency, RES_009_NotWrittenToHoldsForOneStretchOnly) {
  World world;
  world.bring(0, {kA});
  (void)world.evict(0, {kA}, true);
  (void)world.make(0, {kA});
  EXPECT_EQ(*first<PageOut>(world.evict(0, {kA}, false, true)), (PageOut{kA, false}));
}

TEST(Residency, RES_009_NotWrittenToActsBeforeTheCountIsZero) {
  World world;
  world.bring(0, {kA, kA});
  (void)world.evict(0, {kA}, false, true);
  EXPECT_EQ(*first<PageOut>(world.make(1, {kBig})), (PageOut{kA, true}));
}

TEST(Residency, RES_010_AProcessAboveItsBudgetIsAskedToTrim) {
  World world;
  world.bring(0, {kA, kB});
  const auto decisions = world.tell(SetBudget{{0}, 1});
  EXPECT_EQ(*first<TrimToBudget>(decisions), (TrimToBudget{{0}, 2 * kPageSize}));
  EXPECT_EQ(answer(world.evict(0, {kB})).bytes_to_trim, kPageSize);
  (void)world.evict(0, {kA});
  EXPECT_EQ(first<TrimToBudget>(world.tell(TrimReturned{{0}})), nullptr);
}

TEST(Residency, RES_010_TheNextDeviceIsAskedForTheRest) {
  World world;
  (void)world.tell(AddDevice{{2}, {0}});
  (void)world.tell(ShareAllocation{kB, {2}});
  world.bring(0, {kA});
  (void)world.tell(MakeResident{{2}, std::span(&kB, 1)});
  ASSERT_EQ(first<TrimToBudget>(world.tell(SetBudget{{0}, 1}))->device, DeviceId{0});
  EXPECT_EQ(*first<TrimToBudget>(world.tell(TrimReturned{{0}})),
            (TrimToBudget{{2}, 2 * kPageSize}));
  EXPECT_EQ(first<TrimToBudget>(world.tell(TrimReturned{{2}})), nullptr);
  world.counts = {};
  world.wrong.clear();  // the world counts for two devices only
}

TEST(Residency, VA_008_TableUpdatesTakeTheirTurnInTheQueue) {
  World world;
  (void)world.make(0, {kA});
  const auto queued = world.residency.step(QueueTableUpdate{{0}});
  EXPECT_EQ(std::get<Answer>(queued[0]), (Answer{Status::Pending, 2, 0}));
  world.expected[0].push_back(2);
  const auto decisions = world.paged(0);
  EXPECT_EQ(*first<SignalPagingFence>(decisions), (SignalPagingFence{{0}, 1}));
  EXPECT_EQ(*first<UpdateTables>(decisions), UpdateTables{{0}});
  EXPECT_EQ(*first<SignalPagingFence>(world.paged(0)), (SignalPagingFence{{0}, 2}));
}

TEST(Residency, OfferedMemoryGoesFirstAndIsLost) {
  World world;
  world.bring(0, {kA, kB});
  ASSERT_EQ(answer(world.offer(0, {kA})).status, Status::Ok);
  EXPECT_EQ(*first<PageOut>(world.make(1, {kBig})), (PageOut{kA, true}));
  (void)world.paged(1);
  EXPECT_FALSE(world.residency.suspended({0}));
  const auto decisions = world.reclaim(0, {kA});
  EXPECT_EQ(answer(decisions).fence_value, 2u);
  EXPECT_EQ(*first<Discarded>(decisions), Discarded{0});
  EXPECT_FALSE(first<PageIn>(decisions)->contents);
}

TEST(Residency, AnOfferWaitsForWhatIsSubmitted) {
  World world;
  world.bring(0, {kA});
  (void)world.submit(0);
  (void)world.offer(0, {kA});
  EXPECT_TRUE(world.residency.needs({0}, kA));
  (void)world.want(0);
  (void)world.begin(0);
  (void)world.end(0);
  EXPECT_FALSE(world.residency.needs({0}, kA));
}

TEST(Residency, WhatIsOfferedIsReclaimedFirst) {
  World world;
  world.bring(0, {kA});
  EXPECT_EQ(answer(world.reclaim(0, {kA})).status, Status::InvalidParameter);
  (void)world.offer(0, {kA});
  EXPECT_EQ(answer(world.offer(0, {kB, kA})).status, Status::InvalidParameter);
  EXPECT_EQ(answer(world.reclaim(0, {kB})).status, Status::InvalidParameter);
  const auto reclaimed = world.reclaim(0, {kA});
  EXPECT_EQ(reclaimed, (std::vector<ResidencyDecision>{Answer{}}));
  (void)world.offer(0, {kA});
  EXPECT_NE(first<RejectBuffer>(world.submit(0, {kA})), nullptr);
}

}  // namespace
}  // namespace wddm::gpuva
