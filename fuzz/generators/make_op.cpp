#include "fuzz/generators/make_op.h"

#include <algorithm>
#include <array>
#include <span>

#include "fuzz/generators/make_fields.h"
#include "fuzz/generators/makers.h"

namespace wddm::fuzz {
namespace {

std::array<Maker, 256> makers_by_kind() {
  std::array<Maker, 256> makers{};
  for (const std::span<const Maker> some : {rendering_makers(), address_makers(), other_makers()}) {
    for (const Maker& maker : some) makers[static_cast<std::size_t>(maker.kind)] = maker;
  }
  return makers;
}

const Maker& maker_of(OpKind kind) {
  static const std::array<Maker, 256> makers = makers_by_kind();
  return makers[static_cast<std::size_t>(kind)];
}

const IdSet* objects_of(FieldShape space, const StateModel& state) {
  if (is_object(space)) return &state.objects(space);
  return space == FieldShape::SlotRow ? &state.bound_slots() : nullptr;
}

// What the shape of a field tells: ids of what there is or of what is free, one of the values that
// go by name. Plain numbers stay as they are.
void make_by_shape(const FieldInfo& field, const OpInfo& info, Op& op, const StateModel& state,
                   Random& random) {
  if (field.shape == FieldShape::SlotRow) {
    set_field(op, field.member, bound_slot(state, random));
  } else if (const IdSet* const objects = objects_of(field.shape, state)) {
    const bool makes = info.does(EffectKind::Makes, field.shape);
    set_field(op, field.member,
              makes ? free_id(*objects, state.last_destroyed(), random)
                    : existing_id(*objects, state.last_destroyed(), random));
  } else if (field.shape == FieldShape::Node) {
    set_field(op, field.member, busy_node(state, random));
  } else if (const std::size_t values = shape_values(field.shape).size();
             values != 0 && field.shape != FieldShape::Measure) {
    set_field(op, field.member, random.below(static_cast<std::uint32_t>(values)));
  }
}

// Whether something is there that the field may name. Device 0 is always there, so that only
// another one is worth destroying.
bool has_something(const FieldInfo& field, const OpInfo& info, const StateModel& state) {
  if (field.shape == FieldShape::AperturePage) return state.mapped();
  const IdSet* const objects = objects_of(field.shape, state);
  if (objects == nullptr) return true;
  const bool ends_device = info.does(EffectKind::Ends, FieldShape::Device);
  return objects->size() > (ends_device && field.shape == FieldShape::Device ? 1u : 0u);
}

bool holds(Need need, const StateModel& state) {
  switch (need) {
    case Need::Nothing:
      return true;
    case Need::Running:
    case Need::Begun:
      return state.running();
    case Need::Stopped:
      return !state.running() || state.before_first_start();
    case Need::Unstarted:
      return state.before_first_start();
    case Need::Recording:
      return state.running() && state.recording();
    case Need::Honest:
      return !state.tampered();
    case Need::Resident:
      return state.any_resident();
    case Need::Work:
      return state.busy() || state.any_resident();
  }
  return true;
}

}  // namespace

bool has_meaning(OpKind kind, const Machine& machine) {
  static constexpr OpKind kOfPatchLists[] = {
      OpKind::SplitPoints, OpKind::Prepatch,     OpKind::Interleave,       OpKind::Repatch,
      OpKind::PatchPaging, OpKind::TamperPatch,  OpKind::RenameAllocation, OpKind::EvictUnswizzled,
      OpKind::EvictSeen,   OpKind::ReuseInstance};
  static constexpr OpKind kOfDisplays[] = {OpKind::CreatePrimary, OpKind::EvictLocked};
  static constexpr OpKind kOfTesting[] = {OpKind::CreateTestContext, OpKind::TestFill,
                                          OpKind::TestCopy, OpKind::AlterTest,
                                          OpKind::NamelessPaging};
  const auto is_of = [kind](std::span<const OpKind> kinds) {
    return std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  if (kind == OpKind::Configure) return machine.settings != 0;
  if (is_of(kOfPatchLists)) return machine.gpu_virtual == 0;
  if (is_of(kOfDisplays)) return machine.displays != 0;
  return machine.testing != 0 || !is_of(kOfTesting);
}

bool can_matter(OpKind kind, const StateModel& state) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr || !has_meaning(kind, state.machine())) return false;
  for (unsigned bit = 0; bit < 8; ++bit) {
    const auto need = static_cast<Need>(1u << bit);
    if (info->needs_state(need) && !holds(need, state)) return false;
  }
  return std::all_of(info->fields.begin(), info->fields.end(), [&](const FieldInfo& field) {
    return info->does(EffectKind::Makes, field.shape) || has_something(field, *info, state);
  });
}

std::uint32_t urgency(OpKind kind, const StateModel& state) {
  const Maker& maker = maker_of(kind);
  if (maker.only_gpu_virtual && !state.gpu_virtual()) return 1;
  return maker.urgency != nullptr ? maker.urgency(state) : 1;
}

Op make_op(OpKind kind, const StateModel& state, Random& random) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr) return {};
  Op op = plain_op(kind);
  const Maker& maker = maker_of(kind);
  if (maker.make != nullptr && (state.gpu_virtual() || !maker.only_gpu_virtual)) {
    maker.make(op, state, random);
  } else {
    for (const FieldInfo& field : info->fields) make_by_shape(field, *info, op, state, random);
  }
  return canonical(op);
}

Op affordable(Op op) {
  struct Limit {
    OpKind kind;
    std::uint32_t most;  // of x
  };
  static constexpr Limit kLimits[] = {{OpKind::Cycle, 4},
                                      {OpKind::WaitTime, 100},
                                      {OpKind::Spin, 2000},
                                      {OpKind::Advance, 2000},
                                      {OpKind::CreateAllocation, 512}};
  for (const Limit& limit : kLimits) {
    if (op.kind == limit.kind) op.x = std::min(op.x, limit.most);
  }
  return op;
}

}  // namespace wddm::fuzz
