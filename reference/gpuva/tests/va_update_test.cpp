// UpdateGpuVirtualAddress, VA-005.
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "reference/gpuva/va_ranges.h"

namespace wddm::gpuva {
namespace {

constexpr AllocationRef kPool{{1}, 64, false};
constexpr std::uint64_t kTiles = 0x100;  // page of a reservation of 16 pages
constexpr std::uint64_t kOther = 0x200;

/// Two reservations: zero, and no-access.
struct Space {
  Space() {
    for (const auto& [page, type] : {std::pair(kTiles, kReserveZero), {kOther, kReserveNoAccess}}) {
      (void)ranges.step(
          ReserveGpuVirtualAddress{.base = address_of(page), .size = kPageSize64K, .type = type});
    }
  }
  std::optional<VaRefused> update(const std::vector<UpdateOperation>& operations) {
    const auto decisions = ranges.step(UpdateGpuVirtualAddress{operations});
    ranges.validate();
    const auto* refused = decisions.empty() ? nullptr : std::get_if<VaRefused>(&decisions[0]);
    return refused == nullptr ? std::nullopt : std::optional(*refused);
  }
  /// The pool pages behind the first pages of the tiles: -1 zero, -2 invalid.
  [[nodiscard]] std::vector<int> tiles(std::size_t count) const {
    std::vector<int> pages;
    for (std::size_t i = 0; i < count; ++i) {
      const PageState state = *ranges.entry(address_of(kTiles + i));
      const int kind = state.kind == PageKind::Zero ? -1 : -2;
      pages.push_back(state.kind == PageKind::Mapped ? static_cast<int>(state.allocation_page(0))
                                                     : kind);
    }
    return pages;
  }
  VaRanges ranges{VaConfig{}};
};

UpdateMap map(std::uint64_t page, std::uint64_t pages, std::uint64_t offset = 0,
              std::uint64_t once = 0) {
  return {.base = address_of(page),
          .size = pages * kPageSize,
          .allocation = kPool,
          .allocation_offset = offset * kPageSize,
          .allocation_size = once * kPageSize};
}
UpdateCopy copy(std::uint64_t from, std::uint64_t pages, std::uint64_t to) {
  return {address_of(from), pages * kPageSize, address_of(to)};
}
UpdateUnmap unmap(std::uint64_t page, std::uint64_t pages, Protection protection) {
  return {address_of(page), pages * kPageSize, protection};
}
using Tiles = std::vector<int>;

TEST(VaUpdate, VA_005_MapsInOrder) {
  Space space;
  ASSERT_FALSE(space.update({map(kTiles, 4, 10), map(kTiles + 1, 2, 20)}));
  EXPECT_EQ(space.tiles(5), (Tiles{10, 20, 21, 13, -1}));
}

TEST(VaUpdate, VA_005_RepeatsTheAllocationRange) {
  Space space;
  ASSERT_FALSE(space.update({map(kTiles, 6, 10, 2)}));
  EXPECT_EQ(space.tiles(7), (Tiles{10, 11, 10, 11, 10, 11, -1}));
  EXPECT_FALSE(space.update({map(kTiles, 6, 10, 6)}));  // reading d
  EXPECT_EQ(space.update({map(kTiles, 6, 10, 4)})->why, VaRefusal::BadRepetition);
  EXPECT_EQ(space.update({map(kTiles, 6, 10, 7)})->why, VaRefusal::BadRepetition);
}

TEST(VaUpdate, VA_005_ARepeatedRangeIsOnePieceAndCanBeCut) {
  Space space;
  ASSERT_FALSE(space.update({map(kTiles, 16, 10, 4)}));
  EXPECT_EQ(space.ranges.map().piece_count(), 3u);  // with page 0 and the other reservation
  ASSERT_FALSE(space.update({unmap(kTiles + 1, 2, kProtectZero)}));
  EXPECT_EQ(space.tiles(6), (Tiles{10, -1, -1, 13, 10, 11}));
}

TEST(VaUpdate, VA_005_UnmapLeavesWhatTheProtectionSays) {
  Space space;
  ASSERT_FALSE(space.update(
      {map(kTiles, 4), unmap(kTiles, 1, kProtectZero), unmap(kTiles + 1, 1, kProtectNoAccess)}));
  EXPECT_EQ(space.tiles(4), (Tiles{-1, -2, 2, 3}));
  EXPECT_EQ(space.update({unmap(kTiles, 1, kProtectWrite)})->why, VaRefusal::BadProtection);
}

TEST(VaUpdate, VA_005_WhatWasUnmappedToInvalidCanBeMapped) {  // reading c
  Space space;
  ASSERT_FALSE(space.update({unmap(kTiles, 2, kProtectNoAccess), map(kTiles, 1, 7)}));
  EXPECT_EQ(space.tiles(2), (Tiles{7, -2}));
}

TEST(VaUpdate, VA_005_AnOverlappingCopyUpwardsTakesTheOldMappings) {
  Space space;
  ASSERT_FALSE(space.update({map(kTiles, 4, 10), copy(kTiles, 3, kTiles + 1)}));
  EXPECT_EQ(space.tiles(4), (Tiles{10, 10, 11, 12}));
}

TEST(VaUpdate, VA_005_AnOverlappingCopyDownwardsTakesTheOldMappings) {
  Space space;
  ASSERT_FALSE(space.update({map(kTiles, 4, 10), copy(kTiles + 1, 3, kTiles)}));
  EXPECT_EQ(space.tiles(4), (Tiles{11, 12, 13, 13}));
}

TEST(VaUpdate, VA_005_TheSourceMayBeAnotherReservation) {
  Space space;
  ASSERT_FALSE(space.update({map(kOther, 2, 30)}));
  ASSERT_FALSE(space.update({copy(kOther, 3, kTiles)}));
  EXPECT_EQ(space.tiles(4), (Tiles{30, 31, -2, -1}));
}

TEST(VaUpdate, VA_005_AllDestinationsAreInOneReservation) {
  Space space;
  const auto refused = space.update({map(kTiles, 1), map(kOther, 1)});
  EXPECT_EQ(refused, (VaRefused{VaRefusal::OtherReservation, 1}));
  EXPECT_EQ(space.tiles(1), Tiles{-1});
}

TEST(VaUpdate, VA_005_AllSourcesAreInOneReservation) {
  Space space;
  EXPECT_EQ(space.update({copy(kTiles, 1, kTiles + 2), copy(kOther, 1, kTiles + 3)}),
            (VaRefused{VaRefusal::OtherReservation, 1}));
}

TEST(VaUpdate, VA_005_OutsideAReservationIsRefused) {
  Space space;
  const GpuVirtualAddress mapped = address_of(0x300);
  (void)space.ranges.step(
      MapGpuVirtualAddress{.base = mapped, .allocation = kPool, .size_pages = 4});
  EXPECT_EQ(space.update({map(0x300, 1)})->why, VaRefusal::NotReserved);
  EXPECT_EQ(space.update({map(0x400, 1)})->why, VaRefusal::NotReserved);
  EXPECT_EQ(space.update({map(kTiles + 14, 4)})->why, VaRefusal::NotReserved);
  EXPECT_EQ(space.update({copy(0x300, 1, kTiles)})->why, VaRefusal::NotReserved);
}

TEST(VaUpdate, VA_005_UnitsAre4K) {
  Space space;
  UpdateMap bad = map(kTiles, 1);
  bad.allocation_offset = 1;
  EXPECT_EQ(space.update({bad})->why, VaRefusal::Unaligned);
  EXPECT_EQ(space.update({UpdateUnmap{address_of(kTiles), 5}})->why, VaRefusal::Unaligned);
  EXPECT_EQ(space.update({UpdateCopy{{1}, kPageSize, address_of(kTiles)}})->why,
            VaRefusal::Unaligned);
  EXPECT_EQ(space.update({map(kTiles, 1, 64)})->why, VaRefusal::OutsideAllocation);
  EXPECT_EQ(space.update({map(kTiles, 0)})->why, VaRefusal::NoSize);
}

TEST(VaUpdate, VA_005_MapProtectGivesItsProtection) {
  Space space;
  UpdateMap protect = map(kTiles, 1);
  protect.protection = kProtectExecute;
  protect.driver_protection = 9;
  ASSERT_FALSE(space.update({protect}));
  const PageState state = *space.ranges.entry(address_of(kTiles));
  EXPECT_TRUE(state.execute && !state.write);
  EXPECT_EQ(state.driver_protection, 9u);
  protect.protection = kProtectZero;
  EXPECT_EQ(space.update({protect})->why, VaRefusal::TakesNoAllocation);
}

TEST(VaUpdate, ManyPiecesAreRefusedBeforeTheyAreMade) {
  VaRanges ranges({.most_pieces = 40});
  (void)ranges.step(ReserveGpuVirtualAddress{.base = address_of(kTiles), .size = 4 * kPageSize64K});
  std::vector<UpdateOperation> operations;
  for (std::uint64_t i = 0; i < 30; ++i) operations.emplace_back(map(kTiles + 2 * i, 1));
  const auto decisions = ranges.step(UpdateGpuVirtualAddress{operations});
  EXPECT_EQ(std::get<VaRefused>(decisions[0]).why, VaRefusal::TooManyPieces);
  EXPECT_EQ(ranges.map().piece_count(), 2u);
}

}  // namespace
}  // namespace wddm::gpuva
