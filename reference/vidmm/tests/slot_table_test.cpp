// The slot table, one behaviour at a time and against a map.
#include "reference/vidmm/slot_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

namespace wddm::vidmm {
namespace {

constexpr AllocationId kA{1};
constexpr AllocationId kB{2};

SlotTable ready_table() {
  SlotTable table;
  table.reset(4, 8);
  return table;
}

TEST(SlotTable, StartsEmpty) {
  const SlotTable table = ready_table();
  EXPECT_EQ(table.at(SlotId{0}), kNoAllocation);
  EXPECT_EQ(table.names(kA), 0u);
  EXPECT_EQ(table.bound_count(), 0u);
}

TEST(SlotTable, ReplacingReleasesTheFormerAllocation) {
  SlotTable table = ready_table();
  table.apply(SlotId{3}, kA);
  const SlotTable::Change change = table.apply(SlotId{3}, kB);
  EXPECT_EQ(change.previous, kA);
  EXPECT_TRUE(change.released);
  EXPECT_EQ(table.at(SlotId{3}), kB);
}

TEST(SlotTable, AnAllocationIsHeldByItsOtherRow) {
  SlotTable table = ready_table();
  table.apply(SlotId{0}, kA);
  table.apply(SlotId{1}, kA);
  EXPECT_FALSE(table.apply(SlotId{0}, kNoAllocation).released);
  EXPECT_EQ(table.names(kA), 1u);
  EXPECT_TRUE(table.apply(SlotId{1}, kNoAllocation).released);
}

TEST(SlotTable, ReprogrammingTheSameAllocationChangesNothing) {
  SlotTable table = ready_table();
  table.apply(SlotId{2}, kA);
  const SlotTable::Change change = table.apply(SlotId{2}, kA);
  EXPECT_EQ(change.previous, kA);
  EXPECT_FALSE(change.released);
  EXPECT_EQ(table.names(kA), 1u);
}

TEST(SlotTable, UnbindingAnEmptyRowIsHarmless) {
  SlotTable table = ready_table();
  const SlotTable::Change change = table.apply(SlotId{2}, kNoAllocation);
  EXPECT_EQ(change.previous, kNoAllocation);
  EXPECT_FALSE(change.released);
  table.validate();
}

TEST(SlotTable, ResetEmptiesEveryRow) {
  SlotTable table = ready_table();
  table.apply(SlotId{0}, kA);
  table.apply(SlotId{1}, kB);
  table.reset(4, 8);
  EXPECT_EQ(table.at(SlotId{0}), kNoAllocation);
  EXPECT_EQ(table.names(kB), 0u);
  EXPECT_EQ(table.bound_count(), 0u);
  table.validate();
}

RC_GTEST_PROP(SlotTableProperty, AgreesWithAMap, ()) {
  SlotTable table = ready_table();
  std::map<std::uint32_t, AllocationId> model;
  const auto updates = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 4), rc::gen::inRange<std::uint32_t>(0, 6)));
  for (const auto& [slot, choice] : updates) {
    if (choice == 5) {
      table.reset(4, 8);
      model.clear();
      continue;
    }
    const AllocationId allocation = choice == 0 ? kNoAllocation : AllocationId{choice};
    const AllocationId before = model.count(slot) != 0 ? model[slot] : kNoAllocation;
    model.erase(slot);
    if (allocation != kNoAllocation) model[slot] = allocation;
    std::uint32_t still_named = 0;
    for (const auto& [row, bound] : model) still_named += bound == before;

    const SlotTable::Change change = table.apply(SlotId{slot}, allocation);

    RC_ASSERT(change.previous == before);
    RC_ASSERT(change.released == (before != kNoAllocation && still_named == 0));
    std::map<std::uint32_t, AllocationId> seen;
    table.for_each_bound([&](SlotId row, AllocationId bound) { seen[row.value] = bound; });
    RC_ASSERT(seen == model);
    RC_ASSERT(table.bound_count() == model.size());
    table.validate();
  }
}

}  // namespace
}  // namespace wddm::vidmm
