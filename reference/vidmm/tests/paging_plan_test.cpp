// Requests: sizes, offsets, flags; and the protocol of one call.
#include "reference/vidmm/paging_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "reference/vidmm/tests/world.h"

namespace wddm::vidmm {
namespace {

using testing::add_aperture;
using testing::add_memory;
using testing::kFirst;
using testing::kSecond;

constexpr AllocationId kA{1};
constexpr std::uint64_t kFirstBase = 0x1'0000'0000;  // world.h
constexpr std::uint64_t kSecondBase = 0x2'0000'0000;

VidMm segments() {
  VidMm vidmm;
  add_memory(vidmm, 16);
  add_aperture(vidmm, 16);
  return vidmm;
}

std::vector<PagingRequest> requests_of(const PagingStep& step, const PagingChoices& choices = {}) {
  std::vector<PagingRequest> requests;
  EXPECT_EQ(append_requests(segments(), step, choices, requests), PagingFault::None);
  return requests;
}

template <class Request>
Request only(const std::vector<PagingRequest>& requests) {
  EXPECT_EQ(requests.size(), 1u);
  return std::get<Request>(requests.at(0));
}

TEST(PagingPlan, EvictionTransfersFromSegmentToMdl) {
  const auto request =
      only<TransferRequest>(requests_of({StepKind::TransferOut, kA, kFirst, 5, 3, kNoSegment, 0}));
  EXPECT_EQ(request, (TransferRequest{kA,
                                      0,
                                      3 * kPageSize,
                                      {kFirst, kFirstBase + 5 * kPageSize},
                                      {kNoSegment, 0},
                                      0,
                                      true,
                                      true,
                                      false}));
}

TEST(PagingPlan, PageInTransfersFromMdlToSegment) {
  const auto request =
      only<TransferRequest>(requests_of({StepKind::TransferIn, kA, kFirst, 5, 3, kNoSegment, 0}));
  EXPECT_EQ(request.source, TransferEnd{});
  EXPECT_EQ(request.destination, (TransferEnd{kFirst, kFirstBase + 5 * kPageSize}));
}

TEST(PagingPlan, SubTransfersAdvanceOffsetAndMdlAlike) {  // PAGE-006
  const auto requests = requests_of({StepKind::TransferOut, kA, kFirst, 1, 5, kNoSegment, 0},
                                    {.max_transfer_bytes = 2 * kPageSize + 100});
  ASSERT_EQ(requests.size(), 3u);
  const auto& first = std::get<TransferRequest>(requests[0]);
  const auto& last = std::get<TransferRequest>(requests[2]);
  EXPECT_EQ(first.transfer_size, 2 * kPageSize);
  EXPECT_TRUE(first.transfer_start && !first.transfer_end);
  EXPECT_EQ(last.transfer_offset, 4 * kPageSize);
  EXPECT_EQ(last.mdl_offset, 4u);
  EXPECT_EQ(last.transfer_size, kPageSize);
  EXPECT_EQ(last.source.address, first.source.address);
  EXPECT_TRUE(!last.transfer_start && last.transfer_end);
}

TEST(PagingPlan, ATransferThroughAnApertureNamesItsPages) {
  const auto request =
      only<TransferRequest>(requests_of({StepKind::TransferOut, kA, kFirst, 0, 2, kSecond, 7}));
  EXPECT_EQ(request.destination, (TransferEnd{kSecond, kSecondBase + 7 * kPageSize}));
  EXPECT_EQ(request.mdl_offset, 0u);
}

TEST(PagingPlan, AFillCoversTheWholeAllocation) {
  const auto request =
      only<FillRequest>(requests_of({StepKind::Fill, kA, kFirst, 2, 3, kNoSegment, 0}));
  EXPECT_EQ(request, (FillRequest{kA, kFirst, kFirstBase + 2 * kPageSize, 3 * kPageSize, 0}));
}

TEST(PagingPlan, ADiscardNamesThePlaceThatIsLeft) {
  const auto request = only<DiscardRequest>(requests_of(
      {StepKind::Discard, kA, kFirst, 2, 3, kNoSegment, 0}, {.allocation_is_idle = true}));
  EXPECT_EQ(request, (DiscardRequest{kA, kFirst, kFirstBase + 2 * kPageSize, true}));
}

TEST(PagingPlan, MappingsAreCutIntoPageRanges) {  // PAGE-014
  const auto requests = requests_of({StepKind::MapAperture, kA, kSecond, 5, 3, kNoSegment, 0},
                                    {.max_map_pages = 2, .cacheable = true});
  ASSERT_EQ(requests.size(), 2u);
  // The aperture is not CacheCoherent, so cacheable pages change nothing.
  EXPECT_EQ(std::get<MapApertureRequest>(requests[0]),
            (MapApertureRequest{kA, kSecond, 5, 2, 0, false}));
  EXPECT_EQ(std::get<MapApertureRequest>(requests[1]),
            (MapApertureRequest{kA, kSecond, 7, 1, 2, false}));
}

TEST(PagingPlan, CacheCoherentNeedsBothPagesAndSegment) {  // PAGE-023
  VidMm vidmm;
  ASSERT_EQ(vidmm.add_segment({SegmentKind::Aperture, 0, 4 * kPageSize, false, true}),
            SegmentRefusal::None);
  for (const bool cacheable : {false, true}) {
    std::vector<PagingRequest> requests;
    ASSERT_EQ(append_requests(vidmm, {StepKind::MapAperture, kA, kFirst, 0, 1, kNoSegment, 0},
                              {.cacheable = cacheable}, requests),
              PagingFault::None);
    EXPECT_EQ(only<MapApertureRequest>(requests).cache_coherent, cacheable);
  }
}

TEST(PagingPlan, UnmappingNamesTheSameRange) {
  const auto request = only<UnmapApertureRequest>(
      requests_of({StepKind::UnmapAperture, kA, kSecond, 5, 3, kNoSegment, 0}));
  EXPECT_EQ(request, (UnmapApertureRequest{kA, kSecond, 5, 3}));
}

TEST(PagingPlan, OffsetsBeyondThirtyTwoBitsAreAFault) {
  constexpr std::uint32_t kFourGiB = 1u << 20;  // in pages
  VidMm vidmm;
  add_memory(vidmm, kFourGiB + 1);
  std::vector<PagingRequest> requests;
  const PagingStep step{StepKind::TransferIn, kA, kFirst, 0, kFourGiB + 1, kNoSegment, 0};
  EXPECT_EQ(append_requests(vidmm, step, {.max_transfer_bytes = kPageSize}, requests),
            PagingFault::OffsetTooLarge);
  EXPECT_TRUE(requests.empty());
  EXPECT_EQ(append_requests(vidmm, step, {}, requests), PagingFault::None);
}

RC_GTEST_PROP(PagingPlanProperty, SubTransfersTileTheAllocation, ()) {
  const auto pages = *rc::gen::inRange<std::uint32_t>(1, 16);
  const auto limit = *rc::gen::inRange<std::uint64_t>(0, 20 * kPageSize);
  const auto requests = requests_of({StepKind::TransferIn, kA, kFirst, 0, pages, kNoSegment, 0},
                                    {.max_transfer_bytes = limit});
  std::uint64_t next = 0;
  for (const PagingRequest& request : requests) {
    const auto& transfer = std::get<TransferRequest>(request);
    RC_ASSERT(transfer.transfer_offset == next);
    RC_ASSERT(transfer.mdl_offset * kPageSize == next);
    RC_ASSERT(transfer.transfer_size > 0u && transfer.transfer_size % kPageSize == 0u);
    RC_ASSERT(limit < kPageSize || transfer.transfer_size <= limit);
    RC_ASSERT(transfer.transfer_start == (next == 0));
    next += transfer.transfer_size;
    RC_ASSERT(transfer.transfer_end == (next == pages * kPageSize));
  }
  RC_ASSERT(next == pages * kPageSize);
}

PagingCall transfer_call(bool idle = false) {
  TransferRequest request;
  request.allocation = kA;
  request.allocation_is_idle = idle;
  return PagingCall(request);
}

TEST(PagingCall, ContinuesWithTheDriversOffset) {  // PAGE-003
  PagingCall call = transfer_call();
  EXPECT_EQ(call.multipass_offset(), 0u);
  EXPECT_EQ(call.returned(BuildStatus::InsufficientDmaBuffer, 64, 7, true),
            BuildAction::RepeatInNewBuffer);
  EXPECT_EQ(call.multipass_offset(), 7u);
  EXPECT_EQ(call.returned(BuildStatus::Success, 64, 9, true), BuildAction::NextRequest);
}

TEST(PagingCall, AnEmptyBufferMustBringProgress) {
  PagingCall call = transfer_call();
  EXPECT_EQ(call.returned(BuildStatus::InsufficientDmaBuffer, 0, 0, false),
            BuildAction::RepeatInNewBuffer);
  EXPECT_EQ(call.returned(BuildStatus::InsufficientDmaBuffer, 0, 0, true), BuildAction::NoProgress);
}

TEST(PagingCall, BusyIsRepeatedOnceWithTheIdleFlag) {  // PAGE-011, PAGE-023
  PagingCall call = transfer_call();
  EXPECT_EQ(call.returned(BuildStatus::AllocationBusy, 0, 0, true), BuildAction::RepeatWhenIdle);
  EXPECT_TRUE(std::get<TransferRequest>(call.request()).allocation_is_idle);
  EXPECT_EQ(call.returned(BuildStatus::AllocationBusy, 0, 0, true), BuildAction::BusyThoughIdle);
}

TEST(PagingCall, BusyIsNoAnswerToAFill) {  // PAGE-002
  PagingCall call{PagingRequest(FillRequest{})};
  EXPECT_EQ(call.returned(BuildStatus::AllocationBusy, 0, 0, true), BuildAction::UnexpectedStatus);
  EXPECT_EQ(call.returned(BuildStatus::Other, 0, 0, true), BuildAction::UnexpectedStatus);
}

}  // namespace
}  // namespace wddm::vidmm
