// Pages of a CPU host aperture: how large they are taken to be.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::aper_005 {
namespace {

class Aper005 : public TraceTest {
 protected:
  void maps(const ev::HostApertureMapped& mapped) { add(mapped); }
  static constexpr std::uint32_t kLarge = 65536, kSmall = 4096;
};

TEST_F(Aper005, AllOfThePageIsShown) {
  maps({.compared = 288, .segment = 3, .pages = 3, .page_bytes = kLarge});
  EXPECT_TRUE(holds("APER-005"));
  EXPECT_EQ(times_reached("APER-005"), 1u);
}

TEST_F(Aper005, ItsLaterPartsAreOthers) {
  maps({.compared = 288, .wrong = 144, .segment = 3, .pages = 3, .page_bytes = kLarge});
  EXPECT_FALSE(holds("APER-005"));
}

TEST_F(Aper005, SmallPagesAreOfAnotherClause) {
  maps({.compared = 288, .wrong = 144, .segment = 3, .pages = 3, .page_bytes = kSmall});
  EXPECT_TRUE(holds("APER-005"));
  EXPECT_EQ(times_reached("APER-005"), 0u);
}

TEST_F(Aper005, WhatIsRefusedShowsNothing) {
  maps({.segment = 3, .pages = 3, .status = 0xC000000D, .page_bytes = kLarge});
  EXPECT_EQ(times_reached("APER-005"), 0u);
}

TEST_F(Aper005, AppliesToAperturesOfLargePages) {
  const Rule& rule = *find_rule("APER-005");
  Platform platform;
  platform.started = platform.gpu_mmu = true;
  platform.segments.resize(1);
  platform.segments[0].flags.value = 1u << 13;
  EXPECT_NE(rule.applies(platform), nullptr);
  platform.segments[0].flags.value |= 1u << 11;
  EXPECT_EQ(rule.applies(platform), nullptr);
}

}  // namespace
}  // namespace wddm::aper_005
