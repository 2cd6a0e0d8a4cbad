#include "fuzz/generators/state_model.h"

#include <gtest/gtest.h>

namespace wddm::fuzz {
namespace {

StateModel after(std::initializer_list<Op> ops) {
  StateModel state(Machine{});
  for (const Op& op : ops) state.apply(op);
  return state;
}
constexpr Op kAllocation{.kind = OpKind::CreateAllocation, .a = 3, .x = 2};
constexpr Op kContext{.kind = OpKind::CreateContext, .a = 5, .c = 1};
constexpr Op kRender{.kind = OpKind::Render, .a = 5};
constexpr Op kBind{.kind = OpKind::Bind, .a = 7, .b = 3};

TEST(StateModel, BeginsWithDeviceZeroOnly) {
  const StateModel state = after({});
  EXPECT_TRUE(state.devices().contains(0));
  EXPECT_TRUE(state.allocations().empty() && state.contexts().empty());
}

TEST(StateModel, BindingsLastUntilTheNextList) {
  EXPECT_TRUE(after({kAllocation, kContext, kRender, kBind}).bound_slots().contains(7));
  EXPECT_TRUE(after({kAllocation, kContext, kRender, kBind, kRender}).bound_slots().empty());
}

TEST(StateModel, AListNeedsItsContext) {
  EXPECT_FALSE(after({kRender}).recording());
  EXPECT_TRUE(after({kContext, kRender}).recording());
}

TEST(StateModel, BindingPagesIn) {
  const StateModel state = after({kAllocation, kContext, kRender, kBind});
  EXPECT_EQ(state.local_pages_used(), 2u);
  EXPECT_TRUE(state.any_resident());
}

TEST(StateModel, FullMemoryMakesRoom) {
  const Op little{.kind = OpKind::Configure,
                  .a = static_cast<std::uint8_t>(Setting::LocalSegmentPages),
                  .x = 2};
  const Op other{.kind = OpKind::CreateAllocation, .a = 4, .x = 1};
  const StateModel state = after({little,
                                  kAllocation,
                                  other,
                                  {.kind = OpKind::MakeResident, .a = 3},
                                  {.kind = OpKind::MakeResident, .a = 4}});
  EXPECT_FALSE(state.allocation(3).resident);
  EXPECT_TRUE(state.allocation(4).resident);
}

TEST(StateModel, AllocationsOfOneResourceAreAllThere) {
  const Op share{.kind = OpKind::Share, .a = 0, .x = 2};
  const Op create{.kind = OpKind::CreateAllocation, .a = 20, .x = 1};
  for (const std::uint8_t id : {20, 21, 22}) {
    EXPECT_TRUE(after({share, create}).allocations().contains(id));
  }
  EXPECT_FALSE(after({share, create}).allocations().contains(23));
  const Op in_between{.kind = OpKind::CreateAllocation, .a = 21, .x = 1};
  EXPECT_FALSE(after({in_between, share, create}).allocations().contains(20));
}

TEST(StateModel, TheFirstOfAResourceTakesTheOthersWithIt) {
  const Op share{.kind = OpKind::Share, .a = 0, .x = 2};
  const Op create{.kind = OpKind::CreateAllocation, .a = 20, .x = 1};
  const Op alone{.kind = OpKind::DestroyAllocation, .a = 21};
  const Op all{.kind = OpKind::DestroyAllocation, .a = 20};
  EXPECT_TRUE(after({share, create, alone}).allocations().contains(22));
  EXPECT_TRUE(after({share, create, all}).allocations().empty());
  const Op single{.kind = OpKind::Share, .a = 0};
  const Op again{.kind = OpKind::CreateAllocation, .a = 21, .x = 1};
  EXPECT_TRUE(after({share, create, alone, single, again, all}).allocations().contains(21));
}

TEST(StateModel, WhatNeverFitsIsRefused) {
  const Op little{.kind = OpKind::Configure,
                  .a = static_cast<std::uint8_t>(Setting::LocalSegmentPages),
                  .x = 1};
  const Op local{.kind = OpKind::CreateAllocation,
                 .a = 4,
                 .b = static_cast<std::uint8_t>(Place::Local),
                 .x = 2};
  EXPECT_FALSE(after({little, local}).allocations().contains(4));
  EXPECT_TRUE(after({little, kAllocation}).allocations().contains(3));
}

TEST(StateModel, PagesOfASlotThatIsBoundAgainDoNotCount) {
  const Op other{.kind = OpKind::CreateAllocation, .a = 4, .x = 5};
  const Op also{.kind = OpKind::Bind, .a = 8, .b = 4};
  const Op twice{.kind = OpKind::Bind, .a = 9, .b = 4};
  const StateModel state = after({kAllocation, other, kContext, kRender, kBind, also, twice});
  EXPECT_EQ(state.pages_bound_beside(0), 7u);
  EXPECT_EQ(state.pages_bound_beside(7), 5u);
  EXPECT_EQ(state.pages_bound_beside(8), 7u);
}

TEST(StateModel, ABindingIsUnusedUntilACommandReachesMemory) {
  EXPECT_TRUE(after({kAllocation, kContext, kRender, kBind}).binding_unused());
  const Op fill{.kind = OpKind::Fill, .a = 7, .y = 4};
  EXPECT_FALSE(after({kAllocation, kContext, kRender, kBind, fill}).binding_unused());
}

TEST(StateModel, OneLieMarksAList) {
  const Op lie{.kind = OpKind::Race};
  EXPECT_TRUE(after({kContext, kRender, lie}).tampered());
  EXPECT_FALSE(after({kContext, kRender, lie, kRender}).tampered());
}

TEST(StateModel, PagingKeepsItsNodeBusy) {
  const Op node{.kind = OpKind::PagingNode, .a = 1};
  const Op in{.kind = OpKind::MakeResident, .a = 3};
  EXPECT_EQ(after({kAllocation, node, in}).work(1), 2u);
}

TEST(StateModel, StoppingTakesEveryObject) {
  const StateModel state = after({kAllocation, kContext, {.kind = OpKind::Stop}});
  EXPECT_FALSE(state.running());
  EXPECT_TRUE(state.allocations().empty() && state.contexts().empty());
}

TEST(StateModel, SpinsKeepANodeBusyUntilTheyAreOver) {
  const Op spin{.kind = OpKind::Spin, .x = 10};
  EXPECT_EQ(after({kContext, kRender, spin}).work(1), 11u);
  EXPECT_FALSE(after({kContext, kRender, spin, {.kind = OpKind::Advance, .x = 11}}).busy());
}

StateModel after_by_address(std::initializer_list<Op> ops) {
  Machine machine;
  machine.gpu_virtual = 1;
  StateModel state(machine);
  for (const Op& op : ops) state.apply(op);
  return state;
}
constexpr Op kFreed{.kind = OpKind::FreeAddress, .a = 3};
constexpr Op kFill{.kind = OpKind::Fill, .a = 7, .y = 4};
constexpr Op kIdle{.kind = OpKind::Idle};

TEST(StateModel, APageFaultEndsItsDevice) {
  const StateModel state = after_by_address(
      {kAllocation, kContext, kRender, kBind, kIdle, kFreed, kRender, kBind, kFill, kIdle});
  EXPECT_TRUE(state.in_error(5));
  EXPECT_FALSE(state.any_context_works());
}

TEST(StateModel, AnOlderAddressTakesThePlaceOfOneThatIsFreed) {
  const Op mapped{.kind = OpKind::MapAddress, .a = 3};
  EXPECT_FALSE(after_by_address({kAllocation, kContext, kRender, kBind, mapped, kFreed, kRender,
                                 kBind, kFill, kIdle})
                   .in_error(5));
}

TEST(StateModel, AllocationsBelongToTheProcessOfTheirDevice) {
  const Op device{.kind = OpKind::CreateDevice, .a = 1, .b = 2};
  const Op other{.kind = OpKind::CreateAllocation, .a = 4, .x = 1, .y = 1};
  const StateModel state = after_by_address({kAllocation, kContext, device, other});
  EXPECT_TRUE(state.same_process(5, 3));
  EXPECT_FALSE(state.same_process(5, 4));
  EXPECT_TRUE(state.allocations().contains(4));
}

}  // namespace
}  // namespace wddm::fuzz
