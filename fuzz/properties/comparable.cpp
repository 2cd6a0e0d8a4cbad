#include "fuzz/properties/comparable.h"

#include "fuzz/generators/generate.h"
#include "fuzz/generators/make_op.h"
#include "reference/is_any_of.h"

namespace wddm::fuzz {
namespace {

constexpr std::size_t kOps = 40;

constexpr Family kFamiliesCompared[] = {Family::PatchLists, Family::BindingLeaks,
                                        Family::Preemption, Family::Splits,
                                        Family::Residency,  Family::Schedules};

// What names places by number, and no allocation: whose bytes lie there is a matter of chance.
bool names_raw_places(const OpInfo& op) {
  return op.domain == OpDomain::Memory && op.field(FieldShape::Allocation) == nullptr;
}

bool is_element(const Op& op) {
  return has_role(op.kind, OpRole::Element);
}

// A command behind no list would come into one where what stands between is left out.
void drop_stray_elements(std::vector<Op>& ops) {
  bool in_list = false;
  std::erase_if(ops, [&](const Op& op) {
    if (is_element(op)) return !in_list;
    in_list = has_role(op.kind, OpRole::Open);
    return false;
  });
}

}  // namespace

bool is_comparable(OpKind kind) {
  using enum OpKind;
  const OpInfo* const info = op_info(kind);
  return info != nullptr && !names_raw_places(*info) &&
         !is_any_of(kind, Start, Stop, Remove, Unload, Cycle, InitializeStatus, Signal, Wait,
                    TamperPatch, TamperCommand, Revoke, Race, Discard, FailPool, FailCallback,
                    KeepStopped, TimeOut, TouchMemory, Neighbour, Hurry, HostileData, AlterTest,
                    NullRendering, RenameAllocation, ReuseInstance, EvictUnswizzled, EvictSeen,
                    Rebalance, StrayCommands, Privileged);
}

std::vector<Op> comparable_scenario(Random& random) {
  const Family family = random.pick(std::span<const Family>(kFamiliesCompared));
  std::vector<Op> ops = generate(family, random, {.ops = kOps, .machine = {}});
  drop_stray_elements(ops);
  std::erase_if(ops, [](const Op& op) { return !is_comparable(op.kind); });
  return ops;
}

std::vector<Op> sprinkle(std::span<const Op> ops, std::span<const OpKind> kinds, Random& random) {
  StateModel state{Machine{}};
  std::vector<Op> result;
  const auto put = [&](const Op& op) {
    state.apply(op);
    result.push_back(op);
  };
  for (const Op& op : ops) {
    // What comes first may still be settings, which must stand before all else.
    if (!state.before_first_start() && !is_element(op) && random.one_in(4)) {
      for (const OpKind kind : kinds) put(make_op(kind, state, random));
    }
    put(op);
  }
  for (const OpKind kind : kinds) put(make_op(kind, state, random));
  return result;
}

}  // namespace wddm::fuzz
