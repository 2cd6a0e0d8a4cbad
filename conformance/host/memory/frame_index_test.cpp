#include "conformance/host/memory/frame_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace wddm::memory {
namespace {

// One for all cases, as in the host: what clear() leaves behind would show in a later one.
FrameIndex g_index;

RC_GTEST_PROP(FrameIndex, NumbersFramesInTheOrderTheyWereMet, ()) {
  const auto frames =
      *rc::gen::container<std::vector<Frame>>(rc::gen::inRange<Frame>(0x200000, 0x200100));
  g_index.clear();
  std::vector<Frame> met;
  for (const Frame frame : frames) {
    const auto at = std::find(met.begin(), met.end(), frame);
    const auto expected = static_cast<std::uint64_t>(at - met.begin());
    RC_ASSERT(g_index.find(frame).has_value() == (at != met.end()));
    if (at == met.end()) met.push_back(frame);
    RC_ASSERT(g_index.number(frame) == expected);
    RC_ASSERT(g_index[expected] == frame);
  }
  RC_ASSERT(g_index.size() == met.size());
}

TEST(FrameIndex, HoldsAsManyAsItSays) {
  g_index.clear();
  for (std::uint64_t i = 0; i < FrameIndex::kMostFrames; ++i) {
    ASSERT_EQ(g_index.number(i * 512), i);
  }
  EXPECT_EQ(g_index.find(1), std::nullopt);
  EXPECT_EXIT(static_cast<void>(g_index.number(1)), ::testing::ExitedWithCode(4), "HARNESS");
  g_index.clear();
  EXPECT_EQ(g_index.find(512), std::nullopt);
}

}  // namespace
}  // namespace wddm::memory
