// Map, Reserve, Free and destruction, one clause a test.
#include "reference/gpuva/va_ranges.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace wddm::gpuva {
namespace {

constexpr AllocationRef kA{{1}, 64, false};
constexpr AllocationRef kB{{2}, 64, false};
constexpr AllocationRef kLarge{{3}, 64, true};
constexpr GpuVirtualAddress kBase{0x10'0000};

struct Space {
  std::vector<VaDecision> ask(const VaInput& input) {
    const auto decisions = ranges.step(input);
    ranges.validate();
    return {decisions.begin(), decisions.end()};
  }
  /// Why it was refused.
  std::optional<VaRefusal> refusal(const VaInput& input) {
    const auto decisions = ask(input);
    const auto* refused = decisions.empty() ? nullptr : std::get_if<VaRefused>(&decisions[0]);
    return refused == nullptr ? std::nullopt : std::optional(refused->why);
  }
  /// Where it was placed; it must have been.
  GpuVirtualAddress place(const VaInput& input) {
    return std::get<Placed>(ask(input).at(0)).address;
  }
  [[nodiscard]] PageKind kind(GpuVirtualAddress address) const {
    return ranges.entry(address)->kind;
  }
  [[nodiscard]] bool maps(GpuVirtualAddress address, const AllocationRef& allocation,
                          std::uint64_t page) const {
    const auto entry = ranges.entry(address);
    return entry && entry->kind == PageKind::Mapped && entry->allocation == allocation.id &&
           entry->allocation_page(0) == page;
  }
  VaRanges ranges{VaConfig{}};
};

MapGpuVirtualAddress map_at(GpuVirtualAddress base, const AllocationRef& allocation,
                            std::uint64_t pages) {
  return {.base = base, .allocation = allocation, .size_pages = pages};
}
MapGpuVirtualAddress no_mapping(GpuVirtualAddress base, std::uint64_t pages,
                                Protection protection) {
  return {.base = base, .size_pages = pages, .protection = protection};
}
GpuVirtualAddress plus(GpuVirtualAddress base, std::uint64_t pages) {
  return {base.value + pages * kPageSize};
}

TEST(VaRanges, VA_002_SizeAndOffsetCountPagesOf4K) {
  Space space;
  auto input = map_at(kBase, kA, 3);
  input.offset_pages = 5;
  EXPECT_EQ(space.place(input), kBase);
  EXPECT_TRUE(space.maps(plus(kBase, 2), kA, 7));
  EXPECT_FALSE(space.ranges.entry(plus(kBase, 3)));
  EXPECT_FALSE(space.ranges.entry(plus(kBase, -1)));
}

TEST(VaRanges, VA_002_UnalignedAddressesAreRefused) {
  Space space;
  EXPECT_EQ(space.refusal(map_at({kBase.value + 0x800}, kA, 1)), VaRefusal::Unaligned);
  auto limited = map_at({}, kA, 1);
  limited.minimum = {1};
  EXPECT_EQ(space.refusal(limited), VaRefusal::Unaligned);
  limited.minimum = {};
  limited.maximum = {kBase.value + 1};
  EXPECT_EQ(space.refusal(limited), VaRefusal::Unaligned);
}

TEST(VaRanges, VA_002_AChosenAddressIsInTheLimits) {
  Space space;
  auto input = map_at({}, kA, 3);
  input.minimum = kBase;
  input.maximum = plus(kBase, 3);
  EXPECT_EQ(space.place(input), kBase);
  EXPECT_EQ(space.refusal(input), VaRefusal::NoRoom);
  EXPECT_EQ(status_of(VaRefusal::NoRoom), VaStatus::NoMemory);
}

TEST(VaRanges, VA_002_ABaseMakesLimitsIgnored) {
  Space space;
  auto input = map_at(kBase, kA, 3);
  input.minimum = plus(kBase, 100);
  input.maximum = {3};
  EXPECT_EQ(space.place(input), kBase);
}

TEST(VaRanges, VA_002_TheLastPageOfTheSpaceCanBeMapped) {
  Space space;
  constexpr GpuVirtualAddress kLast{(std::uint64_t{1} << 48) - kPageSize};
  EXPECT_EQ(space.place(map_at(kLast, kA, 1)), kLast);
  EXPECT_EQ(space.refusal(map_at(kLast, kA, 2)), VaRefusal::OutsideSpace);
  EXPECT_EQ(space.refusal(map_at({std::uint64_t{1} << 48}, kA, 1)), VaRefusal::OutsideSpace);
  EXPECT_EQ(space.refusal(no_mapping(kLast, UINT64_MAX, kProtectZero)), VaRefusal::OutsideSpace);
}

TEST(VaRanges, VA_002_Page0IsNeverGivenOut) {
  Space space;
  EXPECT_EQ(space.place(map_at({}, kA, 1)), GpuVirtualAddress{kPageSize});
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{{0}, kPageSize}), VaRefusal::OutsideSpace);
}

TEST(VaRanges, VA_002_PagesBehindTheAllocationAreRefused) {
  Space space;
  auto input = map_at({}, kA, 64);
  EXPECT_EQ(space.refusal(input), std::nullopt);
  input.offset_pages = 1;
  EXPECT_EQ(space.refusal(input), VaRefusal::OutsideAllocation);
  input.offset_pages = UINT64_MAX;
  EXPECT_EQ(space.refusal(input), VaRefusal::OutsideAllocation);
  EXPECT_EQ(space.refusal(map_at({}, kA, 0)), VaRefusal::NoSize);
}

TEST(VaRanges, PGSZ_006_AnAllocationOf64KPagesAgreesInTheLow16Bits) {
  Space space;
  auto input = map_at({}, kLarge, 20);
  input.offset_pages = 5;
  EXPECT_EQ(space.place(input).value % kPageSize64K, 5 * kPageSize);
}

TEST(VaRanges, PGSZ_006_LimitsGoBeforeTheLow16Bits) {
  Space space;
  auto input = map_at({}, kLarge, 3);
  input.minimum = plus(kBase, 1);
  input.maximum = plus(kBase, 4);
  EXPECT_EQ(space.place(input), plus(kBase, 1));
}

TEST(VaRanges, VA_003_MapsInsideAReservation) {
  Space space;
  ASSERT_EQ(space.place(ReserveGpuVirtualAddress{.base = kBase, .size = kPageSize64K}), kBase);
  EXPECT_EQ(space.refusal(map_at(plus(kBase, 2), kA, 4)), std::nullopt);
  EXPECT_TRUE(space.maps(plus(kBase, 3), kA, 1));
  EXPECT_EQ(space.kind(plus(kBase, 6)), PageKind::Invalid);
}

TEST(VaRanges, VA_003_MapsAgainInsideAMappedRange) {
  Space space;
  ASSERT_EQ(space.place(map_at(kBase, kA, 8)), kBase);
  EXPECT_EQ(space.refusal(map_at(plus(kBase, 2), kB, 4)), std::nullopt);
  EXPECT_TRUE(space.maps(plus(kBase, 1), kA, 1));
  EXPECT_TRUE(space.maps(plus(kBase, 2), kB, 0));
  EXPECT_TRUE(space.maps(plus(kBase, 6), kA, 6));
}

TEST(VaRanges, VA_003_HalfInsideIsRefused) {
  Space space;
  ASSERT_EQ(space.place(ReserveGpuVirtualAddress{.base = kBase, .size = kPageSize64K}), kBase);
  EXPECT_EQ(space.refusal(map_at(plus(kBase, 14), kA, 4)), VaRefusal::NotOneRange);
  EXPECT_EQ(space.refusal(map_at(plus(kBase, -2), kA, 4)), VaRefusal::NotOneRange);
}

TEST(VaRanges, VA_003_TwoRangesAreNotOne) {
  Space space;
  ASSERT_EQ(space.place(ReserveGpuVirtualAddress{.base = kBase, .size = kPageSize64K}), kBase);
  ASSERT_EQ(space.place(ReserveGpuVirtualAddress{.base = plus(kBase, 16), .size = kPageSize64K}),
            plus(kBase, 16));
  EXPECT_EQ(space.refusal(map_at(plus(kBase, 14), kA, 4)), VaRefusal::NotOneRange);
}

TEST(VaRanges, VA_003_ZeroAndNoAccessTakeNoAllocation) {
  Space space;
  auto input = map_at(kBase, kA, 1);
  for (const Protection protection : {kProtectZero, kProtectNoAccess}) {
    input.protection = protection;
    EXPECT_EQ(space.refusal(input), VaRefusal::TakesNoAllocation);
  }
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectWrite)), VaRefusal::NeedsAllocation);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectZero | kProtectNoAccess)),
            VaRefusal::BadProtection);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectZero | 32)), VaRefusal::BadProtection);
}

TEST(VaRanges, VA_003_ZeroAndNoAccessInAReservation) {
  Space space;
  ASSERT_EQ(space.place(ReserveGpuVirtualAddress{.base = kBase, .size = kPageSize64K}), kBase);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 2, kProtectZero)), std::nullopt);
  EXPECT_EQ(space.kind(plus(kBase, 1)), PageKind::Zero);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectNoAccess)), std::nullopt);
  EXPECT_EQ(space.kind(kBase), PageKind::Invalid);
}

TEST(VaRanges, VA_003_ZeroAndNoAccessNotInAMappedRange) {
  Space space;
  ASSERT_EQ(space.place(map_at(kBase, kA, 4)), kBase);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectNoAccess)), VaRefusal::FromMap);
  EXPECT_EQ(space.refusal(no_mapping(kBase, 1, kProtectZero)), VaRefusal::FromMap);
}

TEST(VaRanges, VA_003_TheDriversCallbackWantsFreeAddresses) {
  Space space;
  ASSERT_EQ(space.place(map_at(kBase, kA, 4)), kBase);
  auto input = map_at(kBase, kA, 4);
  input.context_allocation = true;
  EXPECT_EQ(space.refusal(input), VaRefusal::InUse);
}

TEST(VaRanges, VA_004_UnitsAre64K) {
  Space space;
  const auto refusal = [&](const ReserveGpuVirtualAddress& input) { return space.refusal(input); };
  EXPECT_EQ(refusal({.size = 0x11000}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.base = plus(kBase, 1), .size = kPageSize64K}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.minimum = plus(kBase, 1), .size = kPageSize64K}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.maximum = plus(kBase, 1), .size = kPageSize64K}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = 0}), VaRefusal::NoSize);
  EXPECT_EQ(refusal({.size = kPageSize64K, .type = 3}), VaRefusal::BadType);
  EXPECT_EQ(space.place(ReserveGpuVirtualAddress{.size = kPageSize64K}),
            GpuVirtualAddress{kPageSize64K});
}

TEST(VaRanges, VA_004_RangesDoNotOverlap) {
  Space space;
  const ReserveGpuVirtualAddress input{.base = kBase, .size = 2 * kPageSize64K};
  ASSERT_EQ(space.place(input), kBase);
  EXPECT_EQ(space.refusal(input), VaRefusal::InUse);
  ReserveGpuVirtualAddress chosen{.minimum = kBase, .size = kPageSize64K};
  EXPECT_EQ(space.place(chosen), plus(kBase, 32));
  chosen.maximum = plus(kBase, 48);
  EXPECT_EQ(space.refusal(chosen), VaRefusal::NoRoom);
}

TEST(VaRanges, VA_004_TheStateIsThatOfTheType) {
  Space space;
  const GpuVirtualAddress zero =
      space.place(ReserveGpuVirtualAddress{.size = kPageSize64K, .type = kReserveZero});
  const GpuVirtualAddress none = space.place(ReserveGpuVirtualAddress{.size = kPageSize64K});
  EXPECT_EQ(space.kind(plus(zero, 15)), PageKind::Zero);
  EXPECT_EQ(space.kind(none), PageKind::Invalid);
}

TEST(VaRanges, VA_007_FreedAddressesAreFreeAtOnce) {
  Space space;
  ASSERT_EQ(space.place(map_at(kBase, kA, 4)), kBase);
  const auto decisions = space.ask(FreeGpuVirtualAddress{kBase, 4 * kPageSize});
  const std::vector<VaDecision> expected{IgnoreQueued{kBase, 4}, SetEntries{kBase, 4, {}}};
  EXPECT_EQ(decisions, expected);
  EXPECT_EQ(space.place(map_at(kBase, kB, 4)), kBase);
  EXPECT_TRUE(space.maps(kBase, kB, 0));
}

TEST(VaRanges, VA_007_FreeTakesWhatWasObtained) {
  Space space;
  ASSERT_EQ(space.place(map_at(kBase, kA, 4)), kBase);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{{kBase.value + 1}, kPageSize}),
            VaRefusal::Unaligned);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{kBase, kPageSize + 1}), VaRefusal::Unaligned);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{kBase, 5 * kPageSize}), VaRefusal::NotObtained);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{plus(kBase, 9), kPageSize}),
            VaRefusal::NotObtained);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{plus(kBase, 1), 2 * kPageSize}), std::nullopt);
  EXPECT_TRUE(space.maps(plus(kBase, 3), kA, 3));
}

TEST(VaRanges, VA_007_DestructionFreesAllAddressesOfTheAllocation) {
  Space space;
  const GpuVirtualAddress first = space.place(map_at({}, kA, 4));
  const GpuVirtualAddress other = space.place(map_at({}, kB, 4));
  const GpuVirtualAddress second = space.place(map_at({}, kA, 2));
  EXPECT_EQ(space.refusal(DestroyAllocation{kA.id}), std::nullopt);
  EXPECT_FALSE(space.ranges.entry(first));
  EXPECT_FALSE(space.ranges.entry(second));
  EXPECT_TRUE(space.maps(other, kB, 0));
}

TEST(VaRanges, VA_007_AReservationOutlivesTheAllocation) {
  Space space;
  ASSERT_EQ(space.place({ReserveGpuVirtualAddress{
                .base = kBase, .size = kPageSize64K, .type = kReserveZero}}),
            kBase);
  ASSERT_EQ(space.refusal(map_at(kBase, kA, 4)), std::nullopt);
  EXPECT_EQ(space.refusal(DestroyAllocation{kA.id}), std::nullopt);
  EXPECT_EQ(space.kind(kBase), PageKind::Zero);
  EXPECT_EQ(space.ranges.origin(kBase), RangeOrigin::Reserve);
}

constexpr std::uint64_t kLeaf = VaConfig{}.leaf_coverage;
constexpr std::uint64_t kRootEntry = VaConfig{}.root_entry_coverage;
constexpr auto kAlignment = static_cast<std::uint32_t>(kLeaf);

TEST(VaRanges, PROC_002_TheDriverReservesInLeafTables) {
  Space space;
  const auto refusal = [&](const ReserveForDriver& input) { return space.refusal(input); };
  EXPECT_EQ(refusal({.size = kPageSize64K, .alignment = kAlignment}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = kLeaf, .alignment = kAlignment / 2}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = kLeaf, .alignment = 3 * kAlignment}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = kLeaf, .alignment = 0}), VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = kLeaf, .alignment = kAlignment, .base = {kRootEntry + kPageSize64K}}),
            VaRefusal::Unaligned);
  EXPECT_EQ(refusal({.size = kLeaf, .alignment = 2 * kAlignment, .base = {kRootEntry + kLeaf}}),
            VaRefusal::Unaligned);
  EXPECT_EQ(space.place(ReserveForDriver{.size = kLeaf, .alignment = kAlignment}),
            GpuVirtualAddress{kRootEntry});
}

TEST(VaRanges, PROC_002_RootEntry0IsNotTheDrivers) {
  Space space;
  const GpuVirtualAddress below{kRootEntry - kLeaf};
  EXPECT_EQ(space.refusal(ReserveForDriver{.size = kLeaf, .alignment = kAlignment, .base = below}),
            VaRefusal::RootEntryZero);
}

TEST(VaRanges, PROC_002_OnlyDuringCreation) {
  Space space;
  EXPECT_EQ(space.refusal(EndOfCreation{}), std::nullopt);
  EXPECT_EQ(space.refusal(ReserveForDriver{.size = kLeaf, .alignment = kAlignment}),
            VaRefusal::OutsideCreateProcess);
}

TEST(VaRanges, PROC_002_TheDriversRangeIsItsOwn) {
  Space space;
  const GpuVirtualAddress base =
      space.place(ReserveForDriver{.size = kLeaf, .alignment = kAlignment});
  EXPECT_EQ(space.refusal(map_at(base, kA, 1)), VaRefusal::DriversOwn);
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{base, kPageSize}), VaRefusal::DriversOwn);
}

TEST(VaRanges, PROC_002_AllowUserModeMapping) {
  Space space;
  const GpuVirtualAddress base = space.place(
      ReserveForDriver{.size = kLeaf, .alignment = kAlignment, .allow_user_mode_mapping = true});
  EXPECT_EQ(space.refusal(map_at(base, kA, 1)), std::nullopt);
  EXPECT_TRUE(space.maps(base, kA, 0));
  EXPECT_EQ(space.refusal(FreeGpuVirtualAddress{base, kPageSize}), std::nullopt);
  EXPECT_EQ(space.kind(base), PageKind::Invalid);
  EXPECT_EQ(space.ranges.origin(base), RangeOrigin::Driver);
}

}  // namespace
}  // namespace wddm::gpuva
