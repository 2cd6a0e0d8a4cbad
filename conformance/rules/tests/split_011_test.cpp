// What certainly fits a segment, with the gaps that alignment leaves.
#include "conformance/rules/split/refusals.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm {
namespace {

using split::Demand;

constexpr std::uint32_t kUse64KbPages = 1u << 11;

bool fits(std::uint64_t segment_pages, std::uint32_t flags, std::vector<Demand> wanted) {
  Platform platform;
  platform.segments.push_back({.size = segment_pages * 4096, .flags = {flags}});
  ScratchVector<Demand> demands(wanted.begin(), wanted.end());
  return split::certainly_fits(demands, platform);
}

TEST(Split011, PagesSideBySide) {
  EXPECT_TRUE(fits(8, 0, {{.pages = 5, .segments = 1}, {.pages = 3, .segments = 1}}));
  EXPECT_FALSE(fits(8, 0, {{.pages = 5, .segments = 1}, {.pages = 4, .segments = 1}}));
}

TEST(Split011, AnAlignmentLeavesAGap) {
  const Demand aligned{.pages = 4, .alignment = 4, .segments = 1};
  EXPECT_TRUE(fits(4, 0, {aligned}));
  EXPECT_FALSE(fits(7, 0, {{.pages = 1, .segments = 1}, aligned}));
  EXPECT_TRUE(fits(8, 0, {{.pages = 1, .segments = 1}, aligned}));
}

TEST(Split011, PlacesOf64KbAreAsLarge) {
  const Demand small{.pages = 1, .segments = 1};
  EXPECT_TRUE(fits(16, kUse64KbPages, {small}));
  EXPECT_FALSE(fits(16, kUse64KbPages, {small, small}));
}

}  // namespace
}  // namespace wddm
