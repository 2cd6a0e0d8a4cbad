// Placement against the obvious vector scan, and its edges one by one.
#include "reference/vidmm/placement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/harness_assert.h"
#include "reference/vidmm/tests/naive_placement.h"
#include "reference/splitmix.h"

namespace wddm::vidmm {
namespace {

using testing::NaivePlacement;

std::vector<Block> blocks_of(const Placement& placement) {
  std::vector<Block> blocks;
  placement.for_each([&](Block block) { blocks.push_back(block); });
  return blocks;
}

TEST(Placement, TakesTheLowestAddressThatFits) {
  Placement placement(10);
  ASSERT_EQ(placement.allocate(4, 1), 0u);
  ASSERT_EQ(placement.allocate(2, 1), 4u);
  placement.free(0);
  EXPECT_EQ(placement.allocate(3, 1), 0u);
  EXPECT_EQ(placement.allocate(1, 1), 3u);
  EXPECT_EQ(placement.allocate(4, 1), 6u);
}

TEST(Placement, FindsTheHighestAddressThatFits) {
  Placement placement(20);
  ASSERT_TRUE(placement.allocate_at(17, 1));
  EXPECT_EQ(placement.find_last(1, 1), 19u);
  EXPECT_EQ(placement.find_last(3, 1), 14u);
  EXPECT_EQ(placement.find_last(1, 16), 16u);
  EXPECT_EQ(placement.find_last(18, 1), std::nullopt);
}

TEST(Placement, RefusesWhatIsOnlyFreeInPieces) {
  Placement placement(4);
  ASSERT_EQ(placement.allocate(1, 1), 0u);
  ASSERT_EQ(placement.allocate(1, 1), 1u);
  ASSERT_EQ(placement.allocate(1, 1), 2u);
  placement.free(1);
  EXPECT_EQ(placement.free_pages(), 2u);
  EXPECT_EQ(placement.allocate(2, 1), std::nullopt);
  EXPECT_TRUE(placement.would_fit(1, 1));
}

TEST(Placement, AlignsBySkippingPages) {
  Placement placement(64);
  ASSERT_EQ(placement.allocate(1, 1), 0u);
  EXPECT_EQ(placement.allocate(16, 16), 16u);
  EXPECT_EQ(placement.allocate(3, 3), 3u);
  EXPECT_EQ(placement.allocate(17, 16), 32u);
  EXPECT_EQ(placement.allocate(16, 16), std::nullopt);
}

TEST(Placement, PassesOverGapsThatAlignmentMakesTooSmall) {
  // Gaps of 8 pages, each starting one page after a multiple of 8, before one that suits.
  constexpr std::uint32_t kCount = 500;
  Placement placement(kCount * 16 + 32);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_TRUE(placement.allocate_at(i * 16, 9));
  ASSERT_TRUE(placement.allocate_at(kCount * 16, 8));
  EXPECT_EQ(placement.find(8, 8), kCount * 16 + 8);
  EXPECT_EQ(placement.find(7, 16), kCount * 16 + 16);
  EXPECT_EQ(placement.find(7, 5), 25u);
}

TEST(Placement, PlacesWhereAskedOnlyIfFree) {
  Placement placement(8);
  ASSERT_TRUE(placement.allocate_at(2, 3));
  EXPECT_FALSE(placement.allocate_at(4, 1));
  EXPECT_FALSE(placement.allocate_at(1, 2));
  EXPECT_FALSE(placement.allocate_at(7, 2));
  EXPECT_FALSE(placement.allocate_at(8, 1));
  EXPECT_TRUE(placement.allocate_at(5, 3));
  EXPECT_TRUE(placement.allocate_at(0, 2));
  EXPECT_EQ(placement.free_pages(), 0u);
}

TEST(Placement, AnEmptySegmentHasNoPlace) {
  Placement placement(0);
  EXPECT_EQ(placement.allocate(1, 1), std::nullopt);
  EXPECT_FALSE(placement.allocate_at(0, 1));
  placement.validate();
}

TEST(Placement, TheLargestSegmentCanBeFilled) {
  Placement placement(kMaxSegmentPages);
  EXPECT_EQ(placement.allocate(kMaxSegmentPages - 1, 16), 0u);
  EXPECT_EQ(placement.allocate(1, 16), std::nullopt);
  EXPECT_EQ(placement.allocate(1, 1), kMaxSegmentPages - 1);
  EXPECT_EQ(placement.allocate(1, 1), std::nullopt);
  placement.validate();
}

TEST(Placement, ReportsTheBlockThatContainsAPage) {
  Placement placement(8);
  ASSERT_TRUE(placement.allocate_at(2, 3));
  EXPECT_EQ(placement.block_at(1), std::nullopt);
  EXPECT_EQ(placement.block_at(4), (Block{2, 3}));
  EXPECT_EQ(placement.block_at(5), std::nullopt);
}

TEST(PlacementDeathTest, FreeingWhatIsNotPlacedIsOurDefect) {
  Placement placement(8);
  ASSERT_TRUE(placement.allocate_at(2, 3));
  EXPECT_EXIT(placement.free(3), ::testing::ExitedWithCode(kHarnessExitCode), "HARNESS");
}

/// Runs the same random operations on both and compares every answer and the final layout.
void compare_with_naive(std::uint64_t seed, std::uint32_t size_pages, std::uint32_t max_pages,
                        std::uint32_t operations, std::uint32_t free_percent) {
  SplitMix random(seed);
  Placement placement(size_pages);
  NaivePlacement naive(size_pages);
  constexpr std::uint32_t kAlignments[] = {1, 1, 1, 16, 16, 2, 3, 8, 32, 512};
  for (std::uint32_t i = 0; i < operations; ++i) {
    const std::uint32_t roll = random.below(100);
    if (roll < free_percent && !naive.blocks().empty()) {
      const std::uint32_t page =
          naive.blocks()[random.below(static_cast<std::uint32_t>(naive.blocks().size()))].page;
      ASSERT_EQ(placement.free(page), naive.free(page));
    } else if (roll < 90) {
      const std::uint32_t pages = 1 + random.below(max_pages);
      const std::uint32_t alignment = kAlignments[random.below(std::size(kAlignments))];
      const auto found = placement.find(pages, alignment);
      ASSERT_EQ(placement.find_last(pages, alignment), naive.find_last(pages, alignment));
      const auto placed = placement.allocate(pages, alignment);
      ASSERT_EQ(found, placed);
      ASSERT_EQ(placed, naive.allocate(pages, alignment));
    } else if (roll < 95) {
      const std::uint32_t page = random.below(size_pages + 2);
      const std::uint32_t pages = 1 + random.below(max_pages);
      ASSERT_EQ(placement.allocate_at(page, pages), naive.allocate_at(page, pages));
    } else {
      const std::uint32_t page = random.below(size_pages + 2);
      ASSERT_EQ(placement.block_at(page), naive.block_at(page));
    }
    placement.validate();
  }
  ASSERT_EQ(blocks_of(placement), naive.blocks());
}

RC_GTEST_PROP(PlacementProperty, AgreesWithAVectorScan, (std::uint64_t seed)) {
  const auto size_pages = *rc::gen::inRange<std::uint32_t>(1, 300);
  const auto max_pages = *rc::gen::inRange<std::uint32_t>(1, 20);
  const auto free_percent = *rc::gen::inRange<std::uint32_t>(20, 70);
  compare_with_naive(seed, size_pages, max_pages, 200, free_percent);
}

TEST(PlacementProperty, AgreesWithAVectorScanAtThousandsOfBlocks) {
  // Grows to about two thousand blocks, so that there are many stretches, then drains.
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    compare_with_naive(seed, 12'000, 8, 3'000, 10);
    compare_with_naive(seed + 10, 12'000, 8, 3'000, 48);
  }
}

TEST(PlacementProperty, DrainsInEveryOrder) {
  // Which stretches run empty depends on the order: ascending, descending, every second first, random.
  constexpr std::uint32_t kBlocks = 1'500;
  for (int order = 0; order < 4; ++order) {
    Placement placement(kBlocks);
    std::vector<std::uint32_t> pages;
    for (std::uint32_t i = 0; i < kBlocks; ++i) {
      ASSERT_EQ(placement.allocate(1, 1), i);
      pages.push_back(i);
    }
    SplitMix random(static_cast<std::uint64_t>(order));
    if (order == 1) std::reverse(pages.begin(), pages.end());
    if (order == 2) {
      std::stable_partition(pages.begin(), pages.end(), [](std::uint32_t p) { return p % 2; });
    }
    if (order == 3) {
      for (std::uint32_t i = kBlocks; i > 1; --i) std::swap(pages[i - 1], pages[random.below(i)]);
    }
    for (const std::uint32_t page : pages) {
      placement.free(page);
      placement.validate();
    }
    EXPECT_EQ(placement.find(kBlocks, 1), 0u);
  }
}

TEST(PlacementProperty, WholeStretchesCanBeEmptiedBetweenFullNeighbours) {
  // Filled page by page in random order, then whole stretches run empty.
  constexpr std::uint32_t kBlocks = 1'200;
  Placement placement(kBlocks);
  SplitMix random(5);
  std::vector<std::uint32_t> pages(kBlocks);
  for (std::uint32_t i = 0; i < kBlocks; ++i) pages[i] = i;
  for (std::uint32_t i = kBlocks; i > 1; --i) std::swap(pages[i - 1], pages[random.below(i)]);
  for (const std::uint32_t page : pages) ASSERT_TRUE(placement.allocate_at(page, 1));
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t length = 8 + random.below(60);
    const std::uint32_t first = random.below(kBlocks - length);
    for (std::uint32_t i = 0; i < length; ++i) {
      placement.free(first + i);
      placement.validate();
    }
    ASSERT_EQ(placement.find(length, 1), first);
    for (std::uint32_t i = 0; i < length; ++i) {
      ASSERT_TRUE(placement.allocate_at(first + (i % 2 == 0 ? i / 2 : length - 1 - i / 2), 1));
    }
  }
  placement.validate();
}

/// All layouts of a segment of 6 pages: every subset of pages taken, every length and alignment.
TEST(PlacementExhaustive, EveryLayoutOfSixPages) {
  constexpr std::uint32_t kPages = 6;
  for (std::uint32_t taken = 0; taken < (1u << kPages); ++taken) {
    for (std::uint32_t pages = 1; pages <= kPages + 1; ++pages) {
      for (std::uint32_t alignment = 1; alignment <= kPages; ++alignment) {
        Placement placement(kPages);
        NaivePlacement naive(kPages);
        for (std::uint32_t page = 0; page < kPages; ++page) {
          if ((taken >> page & 1) == 0) continue;
          ASSERT_TRUE(placement.allocate_at(page, 1));
          ASSERT_TRUE(naive.allocate_at(page, 1));
        }
        ASSERT_EQ(placement.allocate(pages, alignment), naive.allocate(pages, alignment));
        placement.validate();
      }
    }
  }
}

}  // namespace
}  // namespace wddm::vidmm
