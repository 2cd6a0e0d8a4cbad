#include "conformance/host/memory/frame_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
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

RC_GTEST_PROP(FrameIndex, GivesForgottenNumbersAgain, ()) {
  // Few frames, so that they come and go; far apart and close together.
  const auto steps = *rc::gen::container<std::vector<Frame>>(rc::gen::inRange<Frame>(0, 64));
  g_index.clear();
  std::map<Frame, std::uint64_t> numbers;
  for (const Frame step : steps) {
    const Frame frame = step % 2 == 0 ? step : step << 40;
    const auto known = numbers.find(frame);
    if (known == numbers.end()) {
      const std::uint64_t number = g_index.number(frame);
      for (const auto& [other, taken] : numbers) RC_ASSERT(taken != number);
      numbers[frame] = number;
    } else {
      g_index.forget(frame);
      numbers.erase(known);
    }
    RC_ASSERT(g_index.room() == FrameIndex::kMostFrames - numbers.size());
    for (const auto& [other, number] : numbers) RC_ASSERT(g_index.find(other) == number);
    RC_ASSERT(g_index.find(frame).has_value() == numbers.contains(frame));
  }
  g_index.clear();
  for (const auto& [frame, number] : numbers) RC_ASSERT(!g_index.find(frame).has_value());
}

TEST(FrameIndex, StaysWholeWhenItIsFullAndFramesComeAndGo) {
  g_index.clear();
  for (Frame frame = 0; frame < 3 * FrameIndex::kMostFrames; ++frame) {
    if (frame >= FrameIndex::kMostFrames) g_index.forget(frame - FrameIndex::kMostFrames);
    static_cast<void>(g_index.number(frame));
  }
  EXPECT_EQ(g_index.room(), 0u);
  EXPECT_EQ(g_index.size(), FrameIndex::kMostFrames);
  const Frame oldest = 2 * FrameIndex::kMostFrames;
  EXPECT_EQ(g_index.find(oldest - 1), std::nullopt);
  for (Frame frame = oldest; frame < 3 * FrameIndex::kMostFrames; ++frame) {
    ASSERT_EQ(g_index[*g_index.find(frame)], frame);
  }
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
