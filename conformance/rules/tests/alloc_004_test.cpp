// Which bits are reserved in each layout of the flags.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_004 {
namespace {

constexpr std::uint32_t kCpuVisible = 1, kCached = 4, kUseAlternateVA = 1u << 10,
                        kHistoryBuffer = 1u << 14;

class Alloc004 : public TraceTest {
 protected:
  bool holds_for(std::uint32_t flags, InterfaceVersion version = InterfaceVersion::Wddm1_3) {
    platform_.interface_version = static_cast<std::uint32_t>(version);
    add(ev::AllocationCreated{.flags = flags});
    return holds("ALLOC-004");
  }
};

TEST_F(Alloc004, CachedNeedsCpuVisible) {
  EXPECT_TRUE(holds_for(kCached | kCpuVisible));
  EXPECT_FALSE(holds_for(kCached));
}

TEST_F(Alloc004, VisibleOnDemandIsVisible) {
  EXPECT_TRUE(holds_for(kCached | 1u << 18, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, AHistoryBufferIsCpuVisible) {
  EXPECT_TRUE(holds_for(kHistoryBuffer | kCpuVisible | kCached));
  EXPECT_FALSE(holds_for(kHistoryBuffer));
}

constexpr std::uint32_t kAperture = 1, kCacheCoherent = 1u << 4;  // DXGK_SEGMENTFLAGS

TEST_F(Alloc004, BesideOtherSegmentsItMayBeUncached) {
  platform_.segments = {{.flags = {kAperture}}, {.flags = {kCacheCoherent}}};
  EXPECT_TRUE(holds_for(kHistoryBuffer | kCpuVisible));
}

TEST_F(Alloc004, BesideACoherentApertureItIsCached) {
  platform_.segments = {{.flags = {kAperture | kCacheCoherent}}};
  EXPECT_TRUE(holds_for(kCpuVisible));
  EXPECT_TRUE(holds_for(kHistoryBuffer | kCpuVisible | kCached));
  EXPECT_FALSE(holds_for(kHistoryBuffer | kCpuVisible));
}

TEST_F(Alloc004, AHistoryBufferIsNothingElse) {
  EXPECT_FALSE(holds_for(kHistoryBuffer | kCpuVisible | 1u << 9));
}

TEST_F(Alloc004, OnlyAPrimaryHasAnAlternateAddress) {
  EXPECT_FALSE(holds_for(kUseAlternateVA));
}

TEST_F(Alloc004, APrimaryMayHaveOne) {
  add(ev::AllocationCreated{.flags = kUseAlternateVA | kCpuVisible, .primary = 1});
  EXPECT_TRUE(holds("ALLOC-004"));
  EXPECT_EQ(times_reached("ALLOC-004"), 1u);
}

TEST_F(Alloc004, Bit19IsReserved) {
  EXPECT_FALSE(holds_for(1u << 19));
}

TEST_F(Alloc004, WhatCameWithWddm2IsReservedBefore) {
  EXPECT_FALSE(holds_for(1u << 15));
}

TEST_F(Alloc004, SoIsVisibilityOnDemand) {
  EXPECT_FALSE(holds_for(1u << 18));
}

TEST_F(Alloc004, AHistoryBufferIsOlder) {
  EXPECT_TRUE(holds_for(kHistoryBuffer | kCpuVisible));
}

TEST_F(Alloc004, EachMeansSomethingFromWddm2On) {
  EXPECT_TRUE(holds_for(15u << 15, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, NoticesOfResidencyAreOfPhysicalAccess) {
  EXPECT_FALSE(holds_for(1u << 16, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, Bit11MeansSomethingBeforeWddm2) {
  EXPECT_TRUE(holds_for(1u << 11));
}

TEST_F(Alloc004, Bit11IsReservedFromWddm2On) {
  EXPECT_FALSE(holds_for(1u << 11, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, Bit12IsReservedFromWddm2On) {
  EXPECT_FALSE(holds_for(1u << 12, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, AMappingForTheCpuNeedsAddressLists) {
  EXPECT_FALSE(holds_for(1u << 13, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, WithThemItMayBe) {
  platform_.map_aperture2 = true;
  EXPECT_TRUE(holds_for(1u << 13, InterfaceVersion::Wddm2_0));
}

TEST_F(Alloc004, Bit13MeansSomethingBeforeWddm2) {
  EXPECT_TRUE(holds_for(1u << 13));
}

// What nothing is placed in: of a resource, or a surface of Dxgkrnl's own.
class Alloc004Described : public TraceTest {
 protected:
  bool holds_for(std::uint32_t flags, std::uint32_t standard = 0) {
    add(ev::ShapeDescribed{.flags = flags, .standard = standard});
    return holds("ALLOC-004");
  }
};

TEST_F(Alloc004Described, WithAReservedBit) {
  EXPECT_FALSE(holds_for(kCpuVisible | 1u << 19));
}

TEST_F(Alloc004Described, WithFlagsThatDoNotGoTogether) {
  EXPECT_FALSE(holds_for(kCached));
}

TEST_F(Alloc004Described, APrimaryByItsType) {
  EXPECT_TRUE(
      holds_for(kCpuVisible | kUseAlternateVA, D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE));
  EXPECT_EQ(times_reached("ALLOC-004"), 1u);
}

}  // namespace
}  // namespace wddm::alloc_004
