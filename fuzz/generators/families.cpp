#include <array>

#include "fuzz/generators/family.h"
#include "reference/harness_assert.h"

namespace wddm::fuzz {
namespace {

using K = OpKind;

constexpr OpKind kForSplits[] = {K::SplitPoints, K::QueueDepth, K::Interleave, K::Scramble};
constexpr OpKind kForPatching[] = {K::SplitPoints, K::Prepatch, K::Repatch};
constexpr OpKind kForPreemption[] = {K::QueueDepth, K::QueueDepth, K::FirstFence};
constexpr OpKind kForPaging[] = {K::PagingBuffer, K::TransferChunk, K::PagingNode};
constexpr OpKind kForFailures[] = {K::FailPool, K::FailCallback};
constexpr OpKind kForSpaces[] = {K::CreateDevice, K::CreateDevice, K::TransferChunk};
constexpr OpKind kForTables[] = {K::CreateDevice, K::QueueDepth, K::PagingBuffer};
constexpr OpKind kForAll[] = {K::SplitPoints, K::QueueDepth, K::PagingBuffer, K::Interleave,
                              K::Scramble};

constexpr Plan kPlans[] = {
    {Family::PatchLists, "patch_lists", K::Render, 10, {true, false, 5, 1, 6, kForPatching}},
    {Family::BindingLeaks, "binding_leaks", K::Render, 8, {true, true, 4, 2, 6, kForSplits}},
    {Family::Preemption, "preemption", K::Render, 4, {false, true, 2, 3, 6, kForPreemption}},
    {Family::Splits, "splits", K::Render, 8, {true, true, 4, 3, 3, kForSplits}},
    {Family::Residency, "residency", K::CreateAllocation, 4, {true, false, 3, 1, 6, kForPaging}},
    {Family::HostileRender, "hostile_render", K::Render, 6, {false, true, 3, 1, 6, kForPatching}},
    {Family::Failures, "failures", K::FailPool, 4, {false, true, 1, 1, 6, kForFailures}},
    {Family::Schedules, "schedules", K::Schedule, 5, {true, true, 3, 3, 6, kForPreemption}},
    {Family::Everything, "everything", K::Start, 6, {true, true, 3, 2, 3, kForAll}},
    {Family::AddressSpaces, "address_spaces", K::MapAddress, 5, {true, true, 3, 3, 6, kForSpaces}},
    {Family::PageTables, "page_tables", K::MoveTable, 5, {true, true, 3, 3, 6, kForTables}},
};

template <std::size_t... I>
constexpr std::array<Family, sizeof...(I)> in_order(std::index_sequence<I...>) {
  return {static_cast<Family>(I)...};
}
constexpr auto kFamilyList = in_order(std::make_index_sequence<kFamilies>());

constexpr bool plans_stand_in_order() {
  for (std::size_t i = 0; i < std::size(kPlans); ++i)
    if (kPlans[i].family != kFamilyList[i]) return false;
  return std::size(kPlans) == kFamilies;
}
static_assert(plans_stand_in_order());

using F = Family;
constexpr F kForPatchLists[] = {F::PatchLists, F::BindingLeaks, F::Preemption,
                                F::Splits,     F::Residency,    F::HostileRender,
                                F::Failures,   F::Schedules,    F::Everything};
constexpr F kForGpuVirtual[] = {F::AddressSpaces, F::PageTables, F::AddressSpaces, F::PageTables,
                                F::AddressSpaces, F::PageTables, F::Preemption,    F::Residency,
                                F::Failures,      F::Schedules,  F::Everything};

}  // namespace

const Plan& plan_of(Family family) {
  const auto index = static_cast<std::size_t>(family);
  HARNESS_ASSERT(index < kFamilies);
  return kPlans[index];
}

std::string_view family_name(Family family) {
  return plan_of(family).name;
}

std::span<const Family> families_for(const Machine& machine) {
  return machine.gpu_virtual != 0 ? std::span<const Family>(kForGpuVirtual) : kForPatchLists;
}

std::span<const Family> families() {
  return kFamilyList;
}

}  // namespace wddm::fuzz
