// Which runs a cover keeps, and why.
#include "fuzz/distill/cover.h"

#include <gtest/gtest.h>

namespace wddm::fuzz {
namespace {

// Events, and not clauses: each is worth the same.
constexpr std::uint32_t kEvent = 2u << 30;

Played run(std::uint32_t events, std::vector<std::uint32_t> features) {
  Played played;
  played.done = true;
  played.events = events;
  for (const std::uint32_t one : features) played.features.push_back(kEvent | one);
  return played;
}

std::vector<std::size_t> kept(std::span<const Played> played, std::uint64_t most_events = 1000000) {
  std::vector<std::size_t> indices;
  for (const Kept& one : cover(played, most_events)) indices.push_back(one.index);
  return indices;
}

TEST(Cover, KeepsWhatAddsSomethingAndBestFirst) {
  const std::vector<Played> played = {run(100, {1}), run(100, {1, 2, 3}), run(100, {3, 4})};

  EXPECT_EQ(kept(played), (std::vector<std::size_t>{1, 2}));
}

TEST(Cover, TellsWhatEachAdds) {
  const std::vector<Played> played = {run(100, {1, 2, 3}), run(100, {3, 4})};

  const std::vector<Kept> all = cover(played, 1000000);

  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].added, std::vector<std::uint32_t>{kEvent | 4});
}

TEST(Cover, PrefersWhatCostsLess) {
  const std::vector<Played> played = {run(50000, {1, 2, 3}), run(100, {1, 2}), run(100, {3})};

  EXPECT_EQ(kept(played), (std::vector<std::size_t>{1, 2}));
}

TEST(Cover, OfEqualOnesTheFirst) {
  const std::vector<Played> played = {run(100, {1, 2}), run(100, {1, 2})};

  EXPECT_EQ(kept(played), std::vector<std::size_t>{0});
}

TEST(Cover, KeepsSomeInAnyCaseAndThenWhatTheyLack) {
  std::vector<Played> played = {run(100, {1}), run(100, {1, 2}), run(100, {1}), run(100, {1})};
  played[3].wrong = "PAGE-001 fires";
  const std::size_t always[] = {2, 3};
  std::vector<std::size_t> indices;

  for (const Kept& one : cover(played, 1000000, always)) indices.push_back(one.index);

  EXPECT_EQ(indices, (std::vector<std::size_t>{2, 1}));
}

TEST(Cover, KeepsNothingThatIsWrong) {
  std::vector<Played> played = {run(100, {1}), run(100, {2}), run(100, {3})};
  played[0].wrong = "PAGE-001 fires";
  played[1].done = false;

  EXPECT_EQ(kept(played), std::vector<std::size_t>{2});
}

TEST(Cover, EachAddressingHasEventsOfItsOwn) {
  std::vector<Played> played = {run(100, {1}), run(100, {2}), run(100, {3})};
  played[2].gpu_virtual = true;

  EXPECT_EQ(kept(played, 150), (std::vector<std::size_t>{0, 2}));
}

}  // namespace
}  // namespace wddm::fuzz
