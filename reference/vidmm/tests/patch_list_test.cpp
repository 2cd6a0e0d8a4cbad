// Binding leaks against a replay of every split point (BIND-001).
#include "reference/vidmm/patch_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "reference/splitmix.h"
#include "reference/vidmm/tests/small_world.h"

namespace wddm::vidmm {
namespace {

using testing::kUnbind;
using testing::ListBuilder;

constexpr std::uint32_t kBytes = 1024;

TEST(BindingLeaks, ABindingNeverMentionedAgainLeaksAtEveryLaterSplit) {  // BIND-001's scenario
  const ListBuilder list(3, kBytes, {{0, 5, 1}, {0, 0, 2}, {256, 0, 3}, {512, 0, 2}});
  const auto leaks = find_binding_leaks(list.list());
  EXPECT_EQ(leaks, (std::vector<BindingLeak>{{SlotId{5}, 0, 256, 512, 2}}));
  EXPECT_EQ(leaks_at(leaks, 256).size(), 1u);
  EXPECT_TRUE(leaks_at(leaks, 0).empty());
}

TEST(BindingLeaks, NamingTheSlotAtEverySplitIsClean) {
  const ListBuilder list(3, kBytes,
                         {{0, 5, 1},
                          {0, 0, 2},
                          {256, 0, 3},
                          {256, 5, 1},
                          {512, 0, 2},
                          {512, 5, kUnbind},
                          {768, 0, 1}});
  EXPECT_TRUE(find_binding_leaks(list.list()).empty());
}

TEST(BindingLeaks, ALeakEndsWhereTheSlotIsNamedAgain) {
  const ListBuilder list(2, kBytes,
                         {{0, 1, 1}, {128, 0, 2}, {256, 0, 2}, {512, 1, 2}, {512, 0, 1}});
  EXPECT_EQ(find_binding_leaks(list.list()),
            (std::vector<BindingLeak>{{SlotId{1}, 0, 128, 256, 2}}));
}

TEST(BindingLeaks, ReleasingBeforeTheSplitIsClean) {
  const ListBuilder list(2, kBytes, {{0, 1, 1}, {0, 1, kUnbind}, {128, 0, 2}});
  EXPECT_TRUE(find_binding_leaks(list.list()).empty());
}

TEST(BindingLeaks, ASplitPointAtTheEndIsNoLeak) {
  const ListBuilder list(2, kBytes, {{0, 1, 1}, {0, 2, 2}, {kBytes, 2, kUnbind}});
  EXPECT_TRUE(find_binding_leaks(list.list()).empty());
}

TEST(BindingLeaks, AnEmptyListHasNone) {
  EXPECT_TRUE(find_binding_leaks(ListBuilder(1, kBytes, {}).list()).empty());
}

RC_GTEST_PROP(BindingLeaksProperty, AgreesWithAReplayAtEverySplit, (std::uint64_t seed)) {
  SplitMix random(seed);
  ListBuilder list(3, 0, {});
  std::uint32_t split = 0;
  for (std::uint32_t i = random.below(20); i > 0; --i) {
    list.add({split, random.below(4), random.below(4)});
    if (random.below(2) == 0) split += 64;
  }
  list.set_bytes(split + random.below(2) * 64);
  const auto& elements = list.elements();

  const auto leaks = find_binding_leaks(list.list());

  std::set<std::uint32_t> splits;
  for (const PatchElement& element : elements) splits.insert(element.split_offset);
  std::uint32_t counted = 0;
  for (const std::uint32_t at : splits) {
    std::map<std::uint32_t, std::uint32_t> rows;  // slot -> element that bound it
    std::set<std::uint32_t> named;
    for (std::uint32_t i = 0; i < elements.size(); ++i) {
      if (elements[i].split_offset < at) {
        rows.erase(elements[i].slot);
        if (elements[i].allocation_index != kUnbind) rows[elements[i].slot] = i;
      }
      if (elements[i].split_offset == at) named.insert(elements[i].slot);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (const auto& [slot, element] : rows) {
      if (at < list.list().bytes && named.count(slot) == 0) expected.emplace(slot, element);
    }
    std::set<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const BindingLeak& leak : leaks_at(leaks, at)) {
      found.emplace(leak.slot.value, leak.bound_by);
    }
    RC_ASSERT(found == expected);
    counted += static_cast<std::uint32_t>(expected.size());
  }
  std::uint32_t total = 0;
  for (const BindingLeak& leak : leaks) total += leak.split_count;
  RC_ASSERT(total == counted);
}

}  // namespace
}  // namespace wddm::vidmm
