#include <array>

#include "fuzz/generators/family.h"
#include "reference/harness_assert.h"

namespace wddm::fuzz {
namespace {

using K = OpKind;

constexpr Share kPatchLists[] = {
    {K::Render, 12},
    {K::Bind, 30},
    {K::Unbind, 10},
    {K::Fill, 24},
    {K::Copy, 8},
    {K::Add, 6},
    {K::Idle, 3},
    {K::Advance, 3},
    {K::SplitPoints, 4},
    {K::Prepatch, 3},
    {K::Repatch, 3},
    {K::MakeResident, 3},
    {K::Evict, 2},
    {K::Move, 2},
    {K::QueueDepth, 2},
    {K::CreateAllocation, 3},
    {K::DestroyAllocation, 1},
};
constexpr Share kBindingLeaks[] = {
    {K::Render, 12},      {K::Bind, 30},   {K::Unbind, 6},           {K::Fill, 20},
    {K::Copy, 6},         {K::Spin, 2},    {K::SplitPoints, 5},      {K::Idle, 3},
    {K::Preempt, 2},      {K::Advance, 3}, {K::TamperPatch, 4},      {K::Interleave, 2},
    {K::MakeResident, 2}, {K::Evict, 2},   {K::CreateAllocation, 2},
};
constexpr Share kPreemption[] = {
    {K::Render, 14},       {K::Bind, 10},        {K::Unbind, 3},     {K::Fill, 12},
    {K::Add, 6},           {K::Copy, 4},         {K::Spin, 12},      {K::Signal, 3},
    {K::Wait, 2},          {K::Preempt, 22},     {K::Advance, 18},   {K::HoldDpcs, 5},
    {K::QueryFence, 3},    {K::Idle, 2},         {K::QueueDepth, 4}, {K::Scramble, 1},
    {K::SplitPoints, 2},   {K::MakeResident, 2}, {K::Evict, 2},      {K::WaitTime, 1},
    {K::CreateContext, 2}, {K::PagingNode, 1},
};
constexpr Share kSplits[] = {
    {K::Render, 14},       {K::Bind, 24},         {K::Unbind, 8},     {K::Fill, 20},
    {K::Copy, 8},          {K::Add, 6},           {K::Spin, 5},       {K::SplitPoints, 6},
    {K::Interleave, 4},    {K::Scramble, 3},      {K::QueueDepth, 4}, {K::PagingNode, 2},
    {K::TransferChunk, 2}, {K::PagingBuffer, 2},  {K::Advance, 8},    {K::Preempt, 4},
    {K::Evict, 4},         {K::MakeResident, 3},  {K::Move, 2},       {K::Repatch, 2},
    {K::Idle, 2},          {K::CreateContext, 2},
};
constexpr Share kResidency[] = {
    {K::CreateAllocation, 10},
    {K::DestroyAllocation, 5},
    {K::MakeResident, 14},
    {K::Evict, 10},
    {K::Move, 8},
    {K::FillMemory, 8},
    {K::Discard, 4},
    {K::CpuWrite, 8},
    {K::TransferSegments, 6},
    {K::MapAperture, 6},
    {K::UnmapAperture, 5},
    {K::Render, 8},
    {K::Bind, 10},
    {K::Fill, 10},
    {K::Copy, 6},
    {K::Add, 3},
    {K::PagingBuffer, 4},
    {K::PatchPaging, 2},
    {K::TransferChunk, 4},
    {K::PagingNode, 2},
    {K::Scramble, 2},
    {K::Idle, 2},
    {K::Advance, 4},
    {K::Preempt, 2},
    {K::CreateDevice, 2},
    {K::DestroyDevice, 2},
    {K::Prepatch, 2},
};
constexpr Share kHostileRender[] = {
    {K::Render, 14},
    {K::Bind, 14},
    {K::Unbind, 4},
    {K::Fill, 14},
    {K::Copy, 8},
    {K::Add, 4},
    {K::Signal, 2},
    {K::Spin, 2},
    {K::TamperPatch, 14},
    {K::TamperCommand, 14},
    {K::Revoke, 5},
    {K::Race, 10},
    {K::Idle, 3},
    {K::Advance, 2},
    {K::SplitPoints, 2},
    {K::Prepatch, 2},
    {K::CreateAllocation, 2},
};
constexpr Share kFailures[] = {
    {K::FailPool, 20},
    {K::FailCallback, 8},
    {K::Start, 3},
    {K::Stop, 3},
    {K::Remove, 2},
    {K::Unload, 2},
    {K::Cycle, 2},
    {K::Requery, 2},
    {K::CreateDevice, 5},
    {K::DestroyDevice, 4},
    {K::CreateContext, 8},
    {K::DestroyContext, 4},
    {K::CreateAllocation, 8},
    {K::DestroyAllocation, 4},
    {K::Render, 10},
    {K::Bind, 10},
    {K::Fill, 10},
    {K::MakeResident, 4},
    {K::Evict, 2},
    {K::Move, 2},
    {K::Preempt, 2},
    {K::Idle, 3},
    {K::Advance, 3},
    {K::InitializeStatus, 1},
};
constexpr Share kSchedules[] = {
    {K::Schedule, 20},
    {K::Render, 14},
    {K::Bind, 14},
    {K::Fill, 16},
    {K::Add, 6},
    {K::Copy, 5},
    {K::Spin, 6},
    {K::Preempt, 8},
    {K::Advance, 12},
    {K::Idle, 5},
    {K::HoldDpcs, 3},
    {K::QueryFence, 3},
    {K::QueueDepth, 4},
    {K::MakeResident, 4},
    {K::Evict, 3},
    {K::CreateContext, 3},
    {K::CreateAllocation, 3},
    {K::WaitTime, 2},
};
constexpr Share kEverything[] = {
    {K::Start, 1},
    {K::Stop, 1},
    {K::Remove, 1},
    {K::Unload, 1},
    {K::Cycle, 1},
    {K::InitializeStatus, 1},
    {K::Requery, 1},
    {K::Configure, 1},
    {K::WaitTime, 2},
    {K::CreateDevice, 2},
    {K::DestroyDevice, 2},
    {K::CreateContext, 5},
    {K::DestroyContext, 2},
    {K::CreateAllocation, 6},
    {K::DestroyAllocation, 3},
    {K::Render, 18},
    {K::Bind, 24},
    {K::Unbind, 8},
    {K::Fill, 20},
    {K::Copy, 10},
    {K::Add, 6},
    {K::Signal, 4},
    {K::Wait, 3},
    {K::Spin, 6},
    {K::TamperPatch, 2},
    {K::TamperCommand, 2},
    {K::Revoke, 1},
    {K::Race, 1},
    {K::Advance, 10},
    {K::Idle, 4},
    {K::Preempt, 8},
    {K::QueryFence, 2},
    {K::HoldDpcs, 3},
    {K::MakeResident, 5},
    {K::Evict, 4},
    {K::Move, 4},
    {K::FillMemory, 2},
    {K::TransferSegments, 2},
    {K::MapAperture, 2},
    {K::UnmapAperture, 4},
    {K::Discard, 2},
    {K::CpuWrite, 3},
    {K::SplitPoints, 4},
    {K::Prepatch, 3},
    {K::Interleave, 2},
    {K::Scramble, 2},
    {K::Repatch, 2},
    {K::PagingBuffer, 2},
    {K::PatchPaging, 1},
    {K::TransferChunk, 2},
    {K::QueueDepth, 3},
    {K::PagingNode, 2},
    {K::FailPool, 2},
    {K::FailCallback, 1},
    {K::Schedule, 3},
};

constexpr OpKind kForSplits[] = {K::SplitPoints, K::QueueDepth, K::Interleave, K::Scramble};
constexpr OpKind kForPatching[] = {K::SplitPoints, K::Prepatch, K::Repatch};
constexpr OpKind kForPreemption[] = {K::QueueDepth, K::QueueDepth};
constexpr OpKind kForPaging[] = {K::PagingBuffer, K::TransferChunk, K::PagingNode};
constexpr OpKind kForFailures[] = {K::FailPool, K::FailCallback};
constexpr OpKind kForAll[] = {K::SplitPoints, K::QueueDepth, K::PagingBuffer, K::Interleave,
                              K::Scramble};

constexpr Plan kPlans[] = {
    {Family::PatchLists, "patch_lists", 10, {true, false, 5, 1, kForPatching}, kPatchLists},
    {Family::BindingLeaks, "binding_leaks", 8, {true, true, 4, 2, kForSplits}, kBindingLeaks},
    {Family::Preemption, "preemption", 4, {false, true, 2, 3, kForPreemption}, kPreemption},
    {Family::Splits, "splits", 8, {true, true, 4, 3, kForSplits}, kSplits},
    {Family::Residency, "residency", 4, {true, false, 3, 1, kForPaging}, kResidency},
    {Family::HostileRender, "hostile_render", 6, {false, true, 3, 1, kForPatching}, kHostileRender},
    {Family::Failures, "failures", 4, {false, true, 1, 1, kForFailures}, kFailures},
    {Family::Schedules, "schedules", 5, {true, true, 3, 3, kForPreemption}, kSchedules},
    {Family::Everything, "everything", 6, {true, true, 3, 2, kForAll}, kEverything},
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

}  // namespace

const Plan& plan_of(Family family) {
  const auto index = static_cast<std::size_t>(family);
  HARNESS_ASSERT(index < kFamilies);
  return kPlans[index];
}

std::string_view family_name(Family family) {
  return plan_of(family).name;
}

std::span<const Family> families() {
  return kFamilyList;
}

}  // namespace wddm::fuzz
