#include "fuzz/mutators/changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace wddm::fuzz {
namespace {

// Four ops that differ in one field.
Ops four() {
  Ops ops;
  for (std::uint8_t i = 0; i < 4; ++i) {
    ops.push_back(canonical({.kind = OpKind::CreateAllocation, .a = i, .x = 1}));
  }
  return ops;
}

bool same_ops(Ops left, Ops right) {
  const auto by_id = [](const Op& a, const Op& b) { return a.a < b.a; };
  std::sort(left.begin(), left.end(), by_id);
  std::sort(right.begin(), right.end(), by_id);
  return left == right;
}

TEST(Changes, InsertingKeepsWhatWasThere) {
  Random random(1);
  Ops ops = four();

  insert_some(ops, Family::Residency, 3, random);

  ASSERT_EQ(ops.size(), 7u);
  const Ops before = four();
  auto next = before.begin();
  for (const Op& op : ops) next += next != before.end() && op == *next ? 1 : 0;
  EXPECT_EQ(next, before.end());
}

TEST(Changes, ErasingTakesSomethingAway) {
  Random random(1);
  Ops ops = four();

  erase_some(ops, random);

  EXPECT_LT(ops.size(), 4u);
}

TEST(Changes, ErasingAnObjectTakesWhatNamesIt) {
  Random random(1);
  Ops ops{{.kind = OpKind::CreateAllocation, .a = 3, .x = 1},
          {.kind = OpKind::Bind, .a = 3, .b = 5},
          {.kind = OpKind::Bind, .a = 0, .b = 3},
          {.kind = OpKind::Evict, .a = 3}};

  erase_object(ops, random);

  EXPECT_EQ(ops, (Ops{{.kind = OpKind::Bind, .a = 3, .b = 5}}));
}

TEST(Changes, SwappingAndMovingKeepAllOps) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    Ops swapped = four(), moved = four();

    swap_two(swapped, random);
    move_one(moved, random);

    ASSERT_TRUE(same_ops(swapped, four()));
    ASSERT_NE(swapped, four());
    ASSERT_TRUE(same_ops(moved, four()));
  }
}

TEST(Changes, DuplicatingAddsWhatIsThereAlready) {
  Random random(1);
  Ops ops = four();

  duplicate_some(ops, random);

  EXPECT_GT(ops.size(), 4u);
}

TEST(Changes, RetargetingNamesAnotherObjectOfItsKind) {
  std::set<std::uint8_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    Ops ops{{.kind = OpKind::Evict, .a = 1}, {.kind = OpKind::MakeResident, .a = 9}};
    retarget(ops, random);
    for (const Op& op : ops) seen.insert(op.a);
  }
  EXPECT_EQ(seen, (std::set<std::uint8_t>{1, 2, 9, 10}));
}

TEST(Changes, NudgingReachesEdgesAndNeighbours) {
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    Ops ops{{.kind = OpKind::Repatch, .x = 5}};
    nudge(ops, random);
    seen.insert(ops[0].x);
  }
  for (const std::uint32_t value : {0u, 1u, 4u, 6u, 8u}) EXPECT_EQ(seen.count(value), 1u) << value;
  EXPECT_LE(*seen.rbegin(), 8u);
}

TEST(Changes, OfNothingLeaveNothing) {
  Random random(1);
  Ops ops;

  erase_some(ops, random);
  erase_object(ops, random);
  duplicate_some(ops, random);
  swap_two(ops, random);
  move_one(ops, random);
  retarget(ops, random);
  nudge(ops, random);

  EXPECT_TRUE(ops.empty());
}

}  // namespace
}  // namespace wddm::fuzz
