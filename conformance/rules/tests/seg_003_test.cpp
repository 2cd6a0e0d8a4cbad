// Whose aperture segments are counted.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::seg_003 {
namespace {

constexpr std::uint32_t kAperture = 1;

class Seg003 : public TraceTest {
 protected:
  Seg003() { platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0); }
  void reported(std::uint32_t gpu, std::uint32_t segment, std::uint32_t flags) {
    add(ev::SegmentReported{.segment = segment, .flags = flags, .physical_adapter = gpu});
  }
};

TEST_F(Seg003, OneOfEachGpu) {
  for (const std::uint32_t gpu : {0u, 1u}) {
    reported(gpu, 1, 0);
    reported(gpu, 2, kAperture);
  }
  EXPECT_TRUE(holds("SEG-003"));
}

TEST_F(Seg003, NoneOfTheSecond) {
  reported(0, 1, kAperture);
  reported(1, 1, 0);
  EXPECT_FALSE(holds("SEG-003"));
}

TEST_F(Seg003, TwoOfTheSecond) {
  reported(0, 1, kAperture);
  reported(1, 1, kAperture);
  reported(1, 2, kAperture);
  EXPECT_FALSE(holds("SEG-003"));
}

TEST_F(Seg003, NoSegmentsAtAll) {
  add(ev::SegmentsReported{.call = 1});
  EXPECT_FALSE(holds("SEG-003"));
  platform_.compute_only = true;
  EXPECT_TRUE(holds("SEG-003"));
}

TEST_F(Seg003, AgpWithoutAnAgpAperture) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm1_3);
  reported(0, 1, 2);
  EXPECT_FALSE(holds("SEG-003"));
}

// DXGK_SEGMENTFLAGS.
constexpr std::uint32_t kCpuVisible = 1u << 2, kCacheCoherent = 1u << 4, kStandby = 1u << 7,
                        kHibernate = 1u << 8, kPartly = 1u << 9, kReservedSysMem = 1u << 12,
                        kHostAperture = 1u << 13, kCachedHostAperture = 1u << 14;

class Seg003Flags : public Seg003 {
 protected:
  Seg003Flags() {
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm1_3);
  }
};

TEST_F(Seg003Flags, ThatGoTogether) {
  for (const std::uint32_t flags :
       {0u, kCpuVisible, kAperture, kAperture | kCacheCoherent, kHostAperture,
        kHostAperture | kCachedHostAperture, kStandby, kStandby | kHibernate, kStandby | kPartly}) {
    reported(0, 1, flags);
  }
  EXPECT_TRUE(holds("SEG-003"));
  EXPECT_EQ(times_reached("SEG-003"), 9u);
}

TEST_F(Seg003Flags, ThatDoNot) {
  std::size_t wrong = 0;
  for (const std::uint32_t flags :
       {kCacheCoherent, kHostAperture | kCpuVisible, kCachedHostAperture, kReservedSysMem,
        kHibernate, kPartly, kHibernate | kPartly, kStandby | kHibernate | kPartly}) {
    reported(0, 1, flags);
    EXPECT_EQ(failures("SEG-003"), ++wrong) << flags;
  }
}

}  // namespace
}  // namespace wddm::seg_003
