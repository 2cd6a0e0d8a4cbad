// How many tries a sweep takes, and what it leaves.
#include "fuzz/minimizer/chunk_sweep.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

namespace wddm::fuzz {
namespace {

struct Swept {
  std::vector<int> left;
  int tries = 0;
};

// Items 0..count-1, of which those in `needed` have to stay.
Swept sweep(int count, const std::set<int>& needed) {
  Swept swept;
  swept.left.resize(static_cast<std::size_t>(count));
  std::iota(swept.left.begin(), swept.left.end(), 0);
  sweep_backwards(swept.left.size(), [&](std::size_t from, std::size_t to) {
    ++swept.tries;
    const auto begin = swept.left.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = swept.left.begin() + static_cast<std::ptrdiff_t>(to);
    for (auto item = begin; item != end; ++item) {
      if (needed.count(*item) != 0) return false;
    }
    swept.left.erase(begin, end);
    return true;
  });
  return swept;
}

TEST(ChunkSweep, NothingTakesNoTry) {
  EXPECT_EQ(sweep(0, {}).tries, 0);
}

TEST(ChunkSweep, AllGoInOneTry) {
  const Swept swept = sweep(400, {});

  EXPECT_EQ(swept.tries, 1);
  EXPECT_TRUE(swept.left.empty());
}

TEST(ChunkSweep, OneIsFoundByHalving) {
  for (int needed = 0; needed < 100; ++needed) {
    const Swept swept = sweep(100, {needed});

    EXPECT_EQ(swept.left, std::vector<int>{needed});
    EXPECT_LE(swept.tries, 16) << needed;
  }
}

TEST(ChunkSweep, AllNeededTakeATryEach) {
  std::set<int> all;
  for (int i = 0; i < 64; ++i) all.insert(i);

  EXPECT_LE(sweep(64, all).tries, 64 + 6);
}

TEST(ChunkSweep, EverySubsetOfTenIsFound) {
  for (int mask = 0; mask < 1024; ++mask) {
    std::set<int> needed;
    for (int bit = 0; bit < 10; ++bit) {
      if ((mask >> bit & 1) != 0) needed.insert(bit);
    }

    EXPECT_EQ(sweep(10, needed).left, std::vector<int>(needed.begin(), needed.end()));
  }
}

}  // namespace
}  // namespace wddm::fuzz
