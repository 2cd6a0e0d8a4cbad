// VidMm: what is refused, where allocations go, how they leave, and taking it back.
#include "reference/vidmm/vidmm.h"

#include <gtest/gtest.h>

#include <vector>

#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::add_aperture;
using testing::add_memory;
using testing::bring_in;
using testing::create;
using testing::kFirst;
using testing::kSecond;

constexpr AllocationId kA{1};
constexpr AllocationId kB{2};
constexpr AllocationId kC{3};

std::vector<std::uint32_t> unpinned(const VidMm& vidmm, SegmentId segment) {
  std::vector<std::uint32_t> ids;
  vidmm.for_each_unpinned(segment, [&](AllocationId id) { ids.push_back(id.value); });
  return ids;
}

SegmentTraits memory_at(std::uint64_t base, std::uint64_t size) {
  return {SegmentKind::Memory, base, size};
}

TEST(VidMmSegments, OnlyWholePagesWithinTheLimitsAreAccepted) {  // SEG-002
  VidMm vidmm;
  EXPECT_EQ(vidmm.add_segment(memory_at(0, 0)), SegmentRefusal::EmptySize);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, kPageSize + 1)), SegmentRefusal::NotWholePages);
  EXPECT_EQ(vidmm.add_segment(memory_at(512, kPageSize)), SegmentRefusal::NotWholePages);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, (kMaxSegmentPages + std::uint64_t{1}) * kPageSize)),
            SegmentRefusal::TooLarge);
  EXPECT_EQ(vidmm.add_segment(memory_at(~std::uint64_t{0} - kPageSize + 1, kPageSize)),
            SegmentRefusal::TooLarge);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, kMaxSegmentPages * kPageSize)), SegmentRefusal::None);
  EXPECT_EQ(vidmm.segment_count(), 1u);
}

TEST(VidMmSegments, RangesMayTouchButNotOverlap) {  // SEG-002
  VidMm vidmm;
  ASSERT_EQ(vidmm.add_segment(memory_at(8 * kPageSize, 4 * kPageSize)), SegmentRefusal::None);
  EXPECT_EQ(vidmm.add_segment(memory_at(11 * kPageSize, kPageSize)),
            SegmentRefusal::OverlapsAnother);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, 9 * kPageSize)), SegmentRefusal::OverlapsAnother);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, 32 * kPageSize)), SegmentRefusal::OverlapsAnother);
  EXPECT_EQ(vidmm.add_segment(memory_at(12 * kPageSize, kPageSize)), SegmentRefusal::None);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, 8 * kPageSize)), SegmentRefusal::None);
  EXPECT_EQ(vidmm.overlapped_by(memory_at(12 * kPageSize, 2 * kPageSize)), SegmentId{2});
  EXPECT_EQ(vidmm.overlapped_by(memory_at(7 * kPageSize, 2 * kPageSize)), SegmentId{1});
  EXPECT_EQ(vidmm.overlapped_by(memory_at(13 * kPageSize, kPageSize)), kNoSegment);
}

// From WDDM 2.0 on.
TEST(VidMmSegments, AnApertureMayHaveAddressesOfItsOwn) {  // SEG-002
  VidMm vidmm;
  SegmentTraits memory = memory_at(0, 8 * kPageSize);
  SegmentTraits aperture{SegmentKind::Aperture, 4 * kPageSize, 8 * kPageSize};
  ASSERT_EQ(vidmm.add_segment(memory), SegmentRefusal::None);
  EXPECT_EQ(vidmm.add_segment(aperture), SegmentRefusal::OverlapsAnother);

  VidMm newer;
  memory.addresses_of_kind = aperture.addresses_of_kind = true;
  ASSERT_EQ(newer.add_segment(memory), SegmentRefusal::None);
  EXPECT_EQ(newer.add_segment(aperture), SegmentRefusal::None);
  EXPECT_EQ(newer.add_segment(memory), SegmentRefusal::OverlapsAnother);
  EXPECT_EQ(newer.add_segment(aperture), SegmentRefusal::OverlapsAnother);
}

TEST(VidMmSegments, ThereAreAtMostThirtyOne) {
  VidMm vidmm;
  for (std::uint32_t i = 0; i < kMaxSegments; ++i) add_memory(vidmm, 1);
  EXPECT_EQ(vidmm.add_segment(memory_at(0, kPageSize)), SegmentRefusal::TooMany);
  AllocationTraits traits{.size_bytes = 1};
  traits.supported_segments = 1u << 30;
  EXPECT_EQ(vidmm.create_allocation(kA, traits), AllocationRefusal::None);
  traits.supported_segments = 1u << 31;
  EXPECT_EQ(vidmm.create_allocation(kB, traits), AllocationRefusal::UnknownSegment);
}

struct RefusedAllocation {
  const char* name;
  AllocationTraits traits;
  AllocationRefusal refusal;
};

class VidMmRefuses : public ::testing::TestWithParam<RefusedAllocation> {};

TEST_P(VidMmRefuses, TheAllocation) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  add_aperture(vidmm, 2);
  EXPECT_EQ(vidmm.create_allocation(kA, GetParam().traits), GetParam().refusal);
  EXPECT_EQ(vidmm.exists(kA), GetParam().refusal == AllocationRefusal::None);
}

AllocationTraits traits(std::uint64_t size, std::uint32_t supported, std::uint32_t preferred = 0,
                        std::uint32_t eviction = 0) {
  AllocationTraits result;
  result.size_bytes = size;
  result.supported_segments = supported;
  result.preferred[0] = SegmentId{preferred};
  result.eviction_segments = eviction;
  return result;
}

INSTANTIATE_TEST_SUITE_P(
    VidMm, VidMmRefuses,
    ::testing::Values(
        RefusedAllocation{"Empty", traits(0, 1), AllocationRefusal::EmptySize},
        RefusedAllocation{"NoSegment", traits(1, 0), AllocationRefusal::NoSegment},
        RefusedAllocation{"Unknown", traits(1, 4), AllocationRefusal::UnknownSegment},
        RefusedAllocation{"UnknownEviction", traits(1, 1, 0, 4), AllocationRefusal::UnknownSegment},
        RefusedAllocation{"UnknownPreference", traits(1, 1, 3), AllocationRefusal::UnknownSegment},
        RefusedAllocation{"Preference", traits(1, 1, 2), AllocationRefusal::PreferenceUnsupported},
        RefusedAllocation{"Eviction", traits(1, 1, 1, 1), AllocationRefusal::EvictionNotAperture},
        RefusedAllocation{"TooLarge", traits(4 * kPageSize + 1, 3), AllocationRefusal::TooLarge},
        RefusedAllocation{"TooLargeForItsOwn", traits(3 * kPageSize, 2),
                          AllocationRefusal::TooLarge},
        RefusedAllocation{"Huge", traits(~std::uint64_t{0}, 1), AllocationRefusal::TooLarge},
        RefusedAllocation{"LargestThatFits", traits(4 * kPageSize, 3, 2, 2),
                          AllocationRefusal::None}),
    [](const auto& one) { return one.param.name; });

TEST(VidMm, AnIdCanBeUsedAgainAfterDestruction) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  create(vidmm, 1, 4);
  EXPECT_EQ(vidmm.create_allocation(kA, traits(1, 1)), AllocationRefusal::IdInUse);
  PagingSteps steps;
  ASSERT_TRUE(bring_in(vidmm, kA));
  vidmm.destroy_allocation(kA, steps);
  EXPECT_TRUE(steps.empty());
  EXPECT_EQ(vidmm.placement(kFirst).free_pages(), 4u);
  EXPECT_EQ(vidmm.create_allocation(kA, traits(1, 1)), AllocationRefusal::None);
  vidmm.validate();
}

TEST(VidMm, AnIdPinnedBeforeCanBePinnedAgainElsewhere) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  create(vidmm, 1, 1);
  create(vidmm, 2, 3);
  PagingSteps steps;
  ASSERT_TRUE(bring_in(vidmm, kA));
  vidmm.pin(kA);
  vidmm.unpin(kA);
  vidmm.destroy_allocation(kA, steps);
  ASSERT_TRUE(bring_in(vidmm, kB));
  create(vidmm, 1, 1);
  ASSERT_TRUE(bring_in(vidmm, kA));
  vidmm.pin(kA);
  create(vidmm, 3, 3);
  ASSERT_TRUE(bring_in(vidmm, kC));  // asks for what is pinned: only the new A may count
  EXPECT_EQ(vidmm.allocation(kA).page, 3u);
  EXPECT_EQ(vidmm.allocation(kC).page, 0u);
  vidmm.validate();
}

TEST(VidMm, DestroyingAMappedAllocationUnmapsIt) {
  VidMm vidmm;
  add_aperture(vidmm, 4);
  create(vidmm, 1, 2);
  ASSERT_TRUE(bring_in(vidmm, kA));
  PagingSteps steps;
  vidmm.destroy_allocation(kA, steps);
  EXPECT_EQ(steps, (PagingSteps{{StepKind::UnmapAperture, kA, kFirst, 0, 2, kNoSegment, 0}}));
}

TEST(VidMm, AddressesIncludeTheBaseOfTheSegment) {
  VidMm vidmm;
  ASSERT_EQ(vidmm.add_segment(memory_at(0x100000, 8 * kPageSize)), SegmentRefusal::None);
  create(vidmm, 1, 3);
  create(vidmm, 2, 1);
  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kB));
  EXPECT_EQ(vidmm.gpu_address(kB), 0x100000u + 3 * kPageSize);
}

TEST(VidMm, ThePreferredSegmentComesFirst) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  add_memory(vidmm, 4);
  ASSERT_EQ(vidmm.create_allocation(kA, traits(1, 3, 2)), AllocationRefusal::None);
  ASSERT_TRUE(bring_in(vidmm, kA));
  EXPECT_EQ(vidmm.allocation(kA).segment, kSecond);
}

TEST(VidMm, ALessPreferredSegmentWithRoomComesBeforeEviction) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  add_memory(vidmm, 2);
  create(vidmm, 1, 2);
  ASSERT_EQ(vidmm.create_allocation(kB, traits(kPageSize, 3, 1)), AllocationRefusal::None);
  PagingSteps steps;
  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kB, steps));
  EXPECT_EQ(steps, (PagingSteps{{StepKind::Fill, kB, kSecond, 0, 1, kNoSegment, 0}}));
}

TEST(VidMm, NothingIsEvictedForWhatCannotFitAnyway) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  create(vidmm, 1, 1);
  create(vidmm, 2, 1);
  create(vidmm, 3, 4);
  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kB));
  vidmm.pin(kB);
  PagingSteps steps;
  EXPECT_FALSE(bring_in(vidmm, kC, steps));
  EXPECT_TRUE(steps.empty());
  EXPECT_TRUE(vidmm.allocation(kA).resident());
}

TEST(VidMm, UsingAnAllocationMakesItTheLastToLeave) {
  VidMm vidmm;
  add_memory(vidmm, 3);
  for (std::uint32_t id = 1; id <= 3; ++id) {
    create(vidmm, id, 1);
    ASSERT_TRUE(bring_in(vidmm, AllocationId{id}));
  }
  vidmm.pin(kA);
  EXPECT_EQ(unpinned(vidmm, kFirst), (std::vector<std::uint32_t>{2, 3}));
  vidmm.unpin(kA);
  EXPECT_EQ(unpinned(vidmm, kFirst), (std::vector<std::uint32_t>{2, 3, 1}));
}

TEST(VidMm, ContentIsFilledThenSavedThenBroughtBack) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  create(vidmm, 1, 2);
  PagingSteps steps;
  ASSERT_TRUE(bring_in(vidmm, kA, steps));
  vidmm.evict(kA, steps);
  ASSERT_TRUE(bring_in(vidmm, kA, steps));
  EXPECT_EQ(steps, (PagingSteps{{StepKind::Fill, kA, kFirst, 0, 2, kNoSegment, 0},
                                {StepKind::TransferOut, kA, kFirst, 0, 2, kNoSegment, 0},
                                {StepKind::TransferIn, kA, kFirst, 0, 2, kNoSegment, 0}}));
}

/// Kind of the eviction step of an allocation with permanent backing.
StepKind second_eviction(bool written_between) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  AllocationTraits permanent;
  permanent.permanent_system_memory = true;
  create(vidmm, 1, 1, permanent);
  PagingSteps steps;
  EXPECT_TRUE(bring_in(vidmm, kA));
  vidmm.evict(kA, steps);
  EXPECT_TRUE(bring_in(vidmm, kA));
  if (written_between) vidmm.mark_written(kA);
  steps.clear();
  vidmm.evict(kA, steps);
  EXPECT_EQ(steps.size(), 1u);
  return steps.at(0).kind;
}

TEST(VidMm, ACleanCopyWithPermanentBackingIsDiscarded) {
  EXPECT_EQ(second_eviction(false), StepKind::Discard);
  EXPECT_EQ(second_eviction(true), StepKind::TransferOut);
}

TEST(VidMm, UnneededContentIsDiscardedAndFilledAnew) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  create(vidmm, 1, 1);
  ASSERT_TRUE(bring_in(vidmm, kA));
  vidmm.mark_discardable(kA);
  PagingSteps steps;
  vidmm.evict(kA, steps);
  ASSERT_TRUE(bring_in(vidmm, kA, steps));
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].kind, StepKind::Discard);
  EXPECT_EQ(steps[1].kind, StepKind::Fill);
}

TEST(VidMm, AWriteMakesContentWorthKeepingAgain) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  create(vidmm, 1, 1);
  ASSERT_TRUE(bring_in(vidmm, kA));
  vidmm.mark_discardable(kA);
  vidmm.mark_written(kA);
  PagingSteps steps;
  vidmm.evict(kA, steps);
  EXPECT_EQ(steps.at(0).kind, StepKind::TransferOut);
}

TEST(VidMm, WhatTheCpuWroteBeforeTheFirstPageInIsTransferred) {
  VidMm vidmm;
  add_memory(vidmm, 2);
  create(vidmm, 1, 1);
  vidmm.mark_written(kA);
  PagingSteps steps;
  ASSERT_TRUE(vidmm.page_in(kA, steps));
  EXPECT_EQ(steps.at(0).kind, StepKind::TransferIn);
}

TEST(VidMm, EvictionGoesThroughAnApertureThatHasRoom) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  add_aperture(vidmm, 3);
  ASSERT_EQ(vidmm.create_allocation(kA, traits(2 * kPageSize, 1, 0, 2)), AllocationRefusal::None);
  AllocationTraits in_aperture;
  in_aperture.supported_segments = 2;
  create(vidmm, 2, 1, in_aperture);
  create(vidmm, 3, 1, in_aperture);
  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kB));
  PagingSteps steps;
  vidmm.evict(kA, steps);
  EXPECT_EQ(steps, (PagingSteps{{StepKind::MapAperture, kA, kSecond, 1, 2, kNoSegment, 0},
                                {StepKind::TransferOut, kA, kFirst, 0, 2, kSecond, 1},
                                {StepKind::UnmapAperture, kA, kSecond, 1, 2, kNoSegment, 0}}));
  EXPECT_EQ(vidmm.placement(kSecond).free_pages(), 2u);

  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kC));
  steps.clear();
  vidmm.evict(kA, steps);
  EXPECT_EQ(steps, (PagingSteps{{StepKind::TransferOut, kA, kFirst, 0, 2, kNoSegment, 0}}));
}

TEST(VidMm, RelocationTakesAnotherPlaceOrNone) {
  VidMm vidmm;
  add_memory(vidmm, 4);
  create(vidmm, 1, 2);
  create(vidmm, 2, 1);
  ASSERT_TRUE(bring_in(vidmm, kA));
  PagingSteps steps;
  ASSERT_TRUE(vidmm.relocate(kA, steps));
  EXPECT_EQ(vidmm.allocation(kA).page, 2u);
  ASSERT_TRUE(bring_in(vidmm, kB));
  EXPECT_FALSE(vidmm.relocate(kA, steps));
  EXPECT_EQ(vidmm.allocation(kA).page, 2u);
}

TEST(VidMm, RelocationTowardsTheEndTakesTheLastPlace) {
  VidMm vidmm;
  add_memory(vidmm, 7);
  create(vidmm, 1, 2);
  ASSERT_TRUE(bring_in(vidmm, kA));
  PagingSteps steps;
  ASSERT_TRUE(vidmm.relocate(kA, steps, true, Towards::End));
  EXPECT_EQ(vidmm.allocation(kA).page, 5u);
  vidmm.validate();
}

TEST(VidMm, RelocationAtOnceIsOneTransfer) {
  VidMm vidmm;
  add_memory(vidmm, 5);
  create(vidmm, 1, 2);
  ASSERT_TRUE(bring_in(vidmm, kA));
  PagingSteps steps;
  ASSERT_TRUE(vidmm.relocate(kA, steps, true));
  EXPECT_EQ(steps, (PagingSteps{{StepKind::TransferWithin, kA, kFirst, 2, 2, kFirst, 0}}));
  EXPECT_EQ(vidmm.allocation(kA).content, Content::Segment);
  EXPECT_EQ(vidmm.placement(kFirst).free_pages(), 3u);
  vidmm.validate();
}

TEST(VidMm, RollbackRestoresPlacesContentPinsAndOrder) {
  VidMm vidmm;
  add_memory(vidmm, 3);
  for (std::uint32_t id = 1; id <= 3; ++id) {
    create(vidmm, id, 1);
    ASSERT_TRUE(bring_in(vidmm, AllocationId{id}));
  }
  create(vidmm, 4, 2);
  PagingSteps steps;
  const std::size_t began = vidmm.begin();
  vidmm.pin(kB);
  vidmm.evict(kA, steps);
  EXPECT_FALSE(bring_in(vidmm, AllocationId{4}, steps));  // only pages 0 and 2 can become free
  vidmm.pin(kC);
  vidmm.pin(kC);
  vidmm.rollback(began);
  EXPECT_EQ(unpinned(vidmm, kFirst), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(vidmm.allocation(kA).page, 0u);
  EXPECT_EQ(vidmm.allocation(kA).content, Content::Segment);
  EXPECT_EQ(vidmm.allocation(kC).pins, 0u);
  vidmm.validate();
}

TEST(VidMm, AlignmentIsThatOfTheOffsetInTheSegment) {
  VidMm vidmm;
  add_memory(vidmm, 64);
  create(vidmm, 1, 1);
  AllocationTraits aligned;
  aligned.alignment_bytes = 0x10000;
  create(vidmm, 2, 1, aligned);
  ASSERT_TRUE(bring_in(vidmm, kA));
  ASSERT_TRUE(bring_in(vidmm, kB));
  EXPECT_EQ(vidmm.allocation(kB).page, 16u);
}

TEST(VidMm, AnOddAlignmentIsCombinedWithThePage) {
  VidMm vidmm;
  add_memory(vidmm, 1);
  AllocationTraits odd;
  odd.alignment_bytes = 6000;
  create(vidmm, 1, 1, odd);
  odd.alignment_bytes = 256;
  create(vidmm, 2, 1, odd);
  EXPECT_EQ(vidmm.allocation(kA).alignment_pages, 375u);
  EXPECT_EQ(vidmm.allocation(kB).alignment_pages, 1u);
}

}  // namespace
}  // namespace wddm::vidmm
