// Content, which keeps whole blocks as one value, against one optional value per dword.
#include "reference/gpu/content.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace wddm::gpu {
namespace {

// Two blocks and a part of a third, in dwords.
constexpr std::uint64_t kBlock = 1024;
constexpr std::uint64_t kDwords = 2 * kBlock + 100;

using Naive = std::vector<std::optional<std::uint32_t>>;

struct Range {
  std::uint64_t first, count;
};

// Edges of blocks first, and what lies next to them.
std::uint64_t any_edge() {
  const auto edge = *rc::gen::element<std::uint64_t>(0, kBlock, 2 * kBlock, kDwords);
  const auto beside = *rc::gen::element<std::int64_t>(0, 0, 0, -1, 1, -300, 300);
  const auto moved = static_cast<std::int64_t>(edge) + beside;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(moved, 0, kDwords));
}

Range any_range() {
  const std::uint64_t one = any_edge(), other = any_edge();
  return {std::min(one, other), std::max(one, other) - std::min(one, other)};
}

void copy(Naive& to, std::uint64_t at, const Naive& from, const Range& range) {
  const Naive values(from.begin() + static_cast<std::ptrdiff_t>(range.first),
                     from.begin() + static_cast<std::ptrdiff_t>(range.first + range.count));
  std::copy(values.begin(), values.end(), to.begin() + static_cast<std::ptrdiff_t>(at));
}

// Two contents, so that copies can go from one to the other.
struct Pair {
  Content content[2];
  Naive naive[2]{Naive(kDwords), Naive(kDwords)};

  Pair() {
    for (Content& each : content) each.reset(kDwords * 4);
  }

  void step() {
    const auto which = *rc::gen::element<std::size_t>(0, 1);
    const Range range = any_range();
    const auto value = *rc::gen::element<std::uint32_t>(0, 7, 0x01020304, 0xdeadbeef);
    Naive& all = naive[which];
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto end = begin + static_cast<std::ptrdiff_t>(range.count);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        content[which].fill(range.first * 4, range.count * 4, value);
        std::fill(begin, end, value);
        break;
      case 1: {
        const auto from = *rc::gen::element<std::size_t>(0, 1);
        const std::uint64_t at = std::min(any_edge(), kDwords - range.count);
        content[which].copy(at * 4, content[from], range.first * 4, range.count * 4);
        copy(all, at, Naive(naive[from]), range);
        break;
      }
      case 2:
        content[which].forget(range.first * 4, range.count * 4);
        std::fill(begin, end, std::nullopt);
        break;
      default: {
        const std::vector<std::uint32_t> values(range.count, value);
        content[which].write(range.first * 4, std::as_bytes(std::span(values)));
        std::fill(begin, end, value);
      }
    }
  }
};

TEST(Content, AWriteOfPartOfADwordKeepsWhatWasKnown) {
  Content content;
  content.reset(64);
  content.fill(0, 4, 0x11111111);
  const std::array<std::byte, 2> two{std::byte{0xAA}, std::byte{0xBB}};
  content.write(3, two);
  EXPECT_EQ(content.dword(0), 0xAA111111u);
  EXPECT_EQ(content.dword(4), std::nullopt);
}

TEST(Content, AWriteMakesOnlyWholeDwordsKnown) {
  Content content;
  content.reset(64);
  const std::vector<std::byte> seven(7, std::byte{0x22});
  content.write(2, seven);
  EXPECT_EQ(content.dword(0), std::nullopt);
  EXPECT_EQ(content.dword(4), 0x22222222u);
  EXPECT_EQ(content.dword(8), std::nullopt);
}

TEST(Content, ForgetCoversEveryDwordItTouches) {
  Content content;
  content.reset(64);
  content.fill(0, 16, 1);
  content.forget(3, 2);
  EXPECT_EQ(content.dword(0), std::nullopt);
  EXPECT_EQ(content.dword(4), std::nullopt);
  EXPECT_EQ(content.dword(8), 1u);
}

RC_GTEST_PROP(ContentProperty, AgreesWithAValuePerDword, ()) {
  Pair pair;
  for (int steps = *rc::gen::inRange(1, 30); steps > 0; --steps) pair.step();

  for (std::size_t which = 0; which < 2; ++which) {
    pair.content[which].validate();
    for (std::uint64_t i = 0; i < kDwords; ++i) {
      RC_ASSERT(pair.content[which].dword(i * 4) == pair.naive[which][i]);
    }
    const Range range = any_range();
    const auto begin = pair.naive[which].begin() + static_cast<std::ptrdiff_t>(range.first);
    const bool any = std::any_of(begin, begin + static_cast<std::ptrdiff_t>(range.count),
                                 [](const auto& known) { return known.has_value(); });
    RC_ASSERT(pair.content[which].predicts(range.first * 4, range.count * 4) == any);
  }
}

RC_GTEST_PROP(ContentProperty, FindsTheDifferencesThatAreThere, ()) {
  Pair pair;
  for (int steps = *rc::gen::inRange(1, 30); steps > 0; --steps) pair.step();
  const Range range = any_range();
  std::vector<std::uint32_t> actual(range.count);
  for (std::uint64_t i = 0; i < range.count; ++i) {
    actual[i] = pair.naive[0][range.first + i].value_or(99);
  }
  std::vector<std::uint64_t> wrong;
  for (int flips = *rc::gen::inRange(0, 4); flips > 0 && range.count != 0; --flips) {
    const std::uint64_t at = *rc::gen::inRange<std::uint64_t>(0, range.count);
    actual[at] ^= 1;
  }
  for (std::uint64_t i = 0; i < range.count; ++i) {
    const auto& known = pair.naive[0][range.first + i];
    if (known && *known != actual[i]) wrong.push_back(range.first + i);
  }

  std::vector<std::uint64_t> found;
  const auto bytes = std::as_bytes(std::span(actual));
  const std::uint64_t base = range.first * 4;
  for (auto run = pair.content[0].find_difference(base, base, bytes); run;
       run = pair.content[0].find_difference(run->offset + run->length, base, bytes)) {
    RC_ASSERT(run->seen == actual[run->offset / 4 - range.first]);
    RC_ASSERT(run->expected == *pair.naive[0][run->offset / 4]);
    for (std::uint64_t i = 0; i < run->length; i += 4) found.push_back((run->offset + i) / 4);
  }
  RC_ASSERT(found == wrong);
}

}  // namespace
}  // namespace wddm::gpu
