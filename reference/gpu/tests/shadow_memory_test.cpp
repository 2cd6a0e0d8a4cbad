// Physical shadow memory, one behaviour per test.
#include "reference/gpu/shadow_memory.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace wddm::gpu {
namespace {

constexpr SegmentId kSystem{0};
constexpr SegmentId kVideo{1};
constexpr SegmentId kAperture{2};
constexpr std::uint64_t kFirstFrame = 100;

class ShadowMemoryTest : public ::testing::Test {
 protected:
  ShadowMemoryTest() {
    memory_.add_system(kFirstFrame, 8);
    memory_.add_segment(kVideo, 4);
    memory_.add_aperture(kAperture, 4);
  }
  ~ShadowMemoryTest() override { memory_.validate(); }

  static Place video(std::uint64_t offset) { return {.segment = kVideo, .offset = offset}; }
  static Place aperture(std::uint64_t offset) { return {.segment = kAperture, .offset = offset}; }
  std::optional<std::uint32_t> frame_dword(std::uint64_t frame, std::uint64_t offset) {
    const std::array<std::uint64_t, 1> list{frame};
    return memory_.dword({.offset = offset, .frames = list});
  }

  ShadowMemory memory_;
};

TEST_F(ShadowMemoryTest, FillStaysInItsRange) {
  memory_.fill(video(4096), 4096, 7);
  EXPECT_EQ(memory_.dword(video(4092)), std::nullopt);
  EXPECT_EQ(memory_.dword(video(4096)), 7u);
  EXPECT_EQ(memory_.dword(video(8188)), 7u);
  EXPECT_EQ(memory_.dword(video(8192)), std::nullopt);
}

TEST_F(ShadowMemoryTest, PlacesAreTheSameWhereEveryWordIsKnownAndEqual) {
  memory_.fill(video(0), 8192, 7);
  EXPECT_TRUE(memory_.same(video(0), video(4096), 4096));
  memory_.fill(video(8188), 4, 8);
  EXPECT_FALSE(memory_.same(video(0), video(4096), 4096));
  EXPECT_TRUE(memory_.same(video(0), video(4096), 4092));
  EXPECT_FALSE(memory_.same(video(8192), video(12288), 4));
}

TEST_F(ShadowMemoryTest, AResizedSegmentIsUnspecifiedAndLeavesTheRestAlone) {
  memory_.fill(video(4096), 4096, 7);
  memory_.fill({.frames = std::array<std::uint64_t, 1>{103}}, 4096, 8);
  memory_.resize(kVideo, 2);
  EXPECT_EQ(memory_.dword(video(4096)), std::nullopt);
  EXPECT_EQ(memory_.known_pages(kVideo), 0u);
  EXPECT_EQ(frame_dword(103, 0), 8u);
  memory_.resize(kVideo, 8);
  memory_.fill(video(28672), 4096, 9);
  EXPECT_EQ(memory_.dword(video(28672)), 9u);
}

TEST_F(ShadowMemoryTest, AResizedApertureIsUnmapped) {
  memory_.map_aperture(kAperture, 0, std::array<std::uint64_t, 1>{103});
  memory_.resize(kAperture, 16);
  EXPECT_EQ(memory_.frame_at(kAperture, 0), std::nullopt);
  EXPECT_EQ(memory_.frame_at(kAperture, 15), std::nullopt);
}

TEST_F(ShadowMemoryTest, PagesThatCannotBeSeenAreNotCompared) {
  memory_.fill(video(0), 4096, 7);
  const auto unseen = [](SegmentId, std::uint64_t) { return std::span<const std::byte>{}; };
  std::vector<PageDifference> out;
  EXPECT_EQ(memory_.compare(unseen, out), 0u);
}

TEST_F(ShadowMemoryTest, TransferFollowsAScatteredPageList) {
  const std::array<std::uint64_t, 2> frames{105, 101};
  memory_.fill(video(0), 4096, 1);
  memory_.fill(video(4096), 4096, 2);
  memory_.transfer({.frames = frames}, video(0), 8192);
  EXPECT_EQ(frame_dword(105, 0), 1u);
  EXPECT_EQ(frame_dword(101, 4092), 2u);
  EXPECT_EQ(frame_dword(102, 0), std::nullopt);
}

TEST_F(ShadowMemoryTest, TransferStartsAtTheOffsetInThePageList) {
  const std::array<std::uint64_t, 2> frames{103, 100};
  memory_.fill({.offset = 4092, .frames = frames}, 8, 3);
  memory_.transfer(video(16), {.offset = 4092, .frames = frames}, 8);
  EXPECT_EQ(frame_dword(103, 4092), 3u);
  EXPECT_EQ(frame_dword(100, 0), 3u);
  EXPECT_EQ(memory_.dword(video(20)), 3u);
}

TEST_F(ShadowMemoryTest, AMappedAperturePageIsTheFrameItself) {
  const std::array<std::uint64_t, 2> frames{106, 102};
  memory_.map_aperture(kAperture, 1, frames);
  memory_.fill(aperture(4096 + 8), 4096, 9);
  EXPECT_EQ(memory_.frame_at(kAperture, 2), 102u);
  EXPECT_EQ(frame_dword(106, 8), 9u);
  EXPECT_EQ(frame_dword(102, 4), 9u);
  EXPECT_EQ(frame_dword(102, 8), std::nullopt);
}

TEST_F(ShadowMemoryTest, ThroughAnUnmappedApertureWritesAreLostAndReadsUnspecified) {
  memory_.fill(video(0), 8, 1);
  memory_.transfer(video(0), aperture(0), 4);
  memory_.fill(aperture(0), 4096, 5);
  EXPECT_EQ(memory_.dword(video(0)), std::nullopt);
  EXPECT_EQ(memory_.dword(video(4)), 1u);
  EXPECT_EQ(memory_.dword(aperture(0)), std::nullopt);
}

TEST_F(ShadowMemoryTest, UnmappingLeavesTheFramesContents) {
  const std::array<std::uint64_t, 1> frames{104};
  memory_.map_aperture(kAperture, 0, frames);
  memory_.fill(aperture(0), 4, 5);
  memory_.unmap_aperture(kAperture, 0, 1, 107);
  memory_.fill(aperture(0), 4, 6);
  EXPECT_EQ(frame_dword(104, 0), 5u);
  EXPECT_EQ(frame_dword(107, 0), 6u);
}

TEST_F(ShadowMemoryTest, CompareReadsOnlyTouchedPagesAndReportsByPage) {
  const std::array<std::uint64_t, 1> frames{103};
  memory_.fill(video(3 * 4096), 4096, 1);
  memory_.fill(video(4096), 4096, 1);
  memory_.fill({.frames = frames}, 4096, 2);
  std::vector<std::uint32_t> actual(1024, 1);
  actual[10] = 8;
  actual[20] = 9;
  std::vector<std::pair<SegmentId, std::uint64_t>> read;
  std::vector<PageDifference> out;
  const std::size_t count = memory_.compare(
      [&](SegmentId segment, std::uint64_t page) {
        read.emplace_back(segment, page);
        return std::as_bytes(std::span(actual));
      },
      out);
  const std::vector<std::pair<SegmentId, std::uint64_t>> touched{
      {kSystem, 103}, {kVideo, 1}, {kVideo, 3}};
  EXPECT_EQ(read, touched);
  ASSERT_EQ(count, 3u);
  EXPECT_EQ(out[0], (PageDifference{kSystem, 103, 0, 4096, 2, 1}));
  EXPECT_EQ(out[1], (PageDifference{kVideo, 1, 40, 8, 1, 8}));
  EXPECT_EQ(out[2].page, 3u);
}

TEST_F(ShadowMemoryTest, ACpuWriteThroughTheApertureIsComparedAtItsFrame) {
  const std::array<std::uint64_t, 1> frames{103};
  const std::array<std::byte, 4> four{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  memory_.map_aperture(kAperture, 0, frames);
  memory_.write(aperture(8), four);
  const std::vector<std::uint32_t> zeros(1024, 0);
  std::vector<PageDifference> out;
  const auto read = [&](SegmentId, std::uint64_t) { return std::as_bytes(std::span(zeros)); };
  EXPECT_EQ(memory_.compare(read, out), 1u);
  EXPECT_EQ(out[0], (PageDifference{kSystem, 103, 8, 4, 0x04030201, 0}));
}

TEST_F(ShadowMemoryTest, CompareCountsPagesThatDoNotFit) {
  memory_.fill(video(0), 4 * 4096, 1);
  const std::vector<std::uint32_t> zeros(1024, 0);
  std::vector<PageDifference> out;
  const auto read = [&](SegmentId, std::uint64_t) { return std::as_bytes(std::span(zeros)); };
  EXPECT_EQ(memory_.compare(read, out), 4u);
}

TEST_F(ShadowMemoryTest, OnlyPagesPredictedAnewOrNamedAreDue) {
  const std::vector<std::uint32_t> zeros(1024, 0);
  const auto read = [&](SegmentId, std::uint64_t) { return std::as_bytes(std::span(zeros)); };
  std::vector<PageDifference> out;
  memory_.fill(video(0), 3 * 4096, 1);
  EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 3u);
  memory_.fill(video(2 * 4096), 4, 2);
  memory_.look_again(kVideo, 1);
  memory_.look_again(kVideo, 3);  // nothing is predicted there
  EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 2u);
  EXPECT_EQ(out[0].page, 1u);
  EXPECT_EQ(out[1].page, 2u);
  EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 0u);
  EXPECT_EQ(memory_.compare(read, out), 3u);
}

TEST_F(ShadowMemoryTest, APageIsDueUntilItIsComparedAndPredictedUntilItIsForgotten) {
  std::vector<std::uint64_t> known;
  const auto look = [&] {
    known.clear();
    memory_.for_each_known(kVideo, [&](std::uint64_t page) { known.push_back(page); });
  };
  memory_.fill(video(4096), 4, 1);
  look();
  EXPECT_EQ(known, (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(memory_.is_due(kVideo, 1) && memory_.predicts(kVideo, 1));
  EXPECT_FALSE(memory_.is_due(kVideo, 2) || memory_.predicts(kVideo, 2));

  const auto unseen = [](SegmentId, std::uint64_t) { return std::span<const std::byte>(); };
  std::vector<PageDifference> out;
  EXPECT_EQ(memory_.compare(unseen, out), 0u);
  EXPECT_FALSE(memory_.is_due(kVideo, 1));
  EXPECT_TRUE(memory_.predicts(kVideo, 1));
  memory_.forget(video(4096), 4096);
  EXPECT_FALSE(memory_.predicts(kVideo, 1));
}

TEST_F(ShadowMemoryTest, WhatIsAssumedIsPredictedButNotDue) {
  const std::vector<std::uint32_t> zeros(1024, 0);
  const auto read = [&](SegmentId, std::uint64_t) { return std::as_bytes(std::span(zeros)); };
  std::vector<PageDifference> out;
  memory_.fill(video(4096), 4, 1);
  memory_.assume(video(0), 3 * 4096, 7);
  EXPECT_EQ(memory_.dword(video(4096)), 7u);
  EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 1u);  // it was due before
  EXPECT_EQ(out[0].page, 1u);
  memory_.look_again(kVideo, 2);
  EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 1u);
  EXPECT_EQ(memory_.compare(read, out), 3u);
  memory_.validate();
}

TEST_F(ShadowMemoryTest, ACoveredSegmentIsKnownThroughoutAndNotDue) {
  const std::vector<std::uint32_t> zeros(1024, 0);
  const auto read = [&](SegmentId, std::uint64_t) { return std::as_bytes(std::span(zeros)); };
  std::vector<PageDifference> out;
  for (const std::uint32_t pattern : {7u, 7u, 8u}) {
    memory_.clear(1u << (kVideo.value - 1), pattern);
    EXPECT_EQ(memory_.dword(video(4096)), pattern);
    EXPECT_EQ(memory_.compare(read, out, ShadowMemory::Compared::Due), 0u);
    EXPECT_EQ(memory_.compare(read, out), memory_.known_pages(kVideo));
    memory_.fill(video(4096), 4096, 9);
    memory_.forget(video(0), 4);
    memory_.fill(video(0), 4, 9);
    memory_.validate();
  }
  memory_.clear();
  EXPECT_EQ(memory_.known_pages(kVideo), 0u);
  memory_.validate();
}

TEST_F(ShadowMemoryTest, ClearForgetsContentsAndMaps) {
  const std::array<std::uint64_t, 1> frames{103};
  memory_.map_aperture(kAperture, 0, frames);
  memory_.fill(video(0), 4096, 1);
  memory_.clear();
  EXPECT_EQ(memory_.frame_at(kAperture, 0), std::nullopt);
  EXPECT_EQ(memory_.dword(video(0)), std::nullopt);
}

using ShadowMemoryDeathTest = ShadowMemoryTest;

TEST_F(ShadowMemoryDeathTest, APlaceOutsideItsSegmentIsADefectOfOurs) {
  EXPECT_EXIT(memory_.fill(video(4 * 4096 - 4), 8, 0), ::testing::ExitedWithCode(4), "HARNESS:");
  EXPECT_EXIT(memory_.fill({.segment = kSystem}, 4, 0), ::testing::ExitedWithCode(4), "HARNESS:");
  const std::array<std::uint64_t, 1> frames{108};
  EXPECT_EXIT(memory_.fill({.frames = frames}, 4, 0), ::testing::ExitedWithCode(4), "HARNESS:");
}

}  // namespace
}  // namespace wddm::gpu
