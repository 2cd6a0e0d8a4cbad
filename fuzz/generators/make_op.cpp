#include "fuzz/generators/make_op.h"

#include <algorithm>
#include <array>

#include "fuzz/generators/make_fields.h"

namespace wddm::fuzz {
namespace {

bool needs_allocation(OpKind kind) {
  switch (kind) {
    case OpKind::Bind:
    case OpKind::DestroyAllocation:
    case OpKind::MakeResident:
    case OpKind::CpuWrite:
      return true;
    default:
      return false;
  }
}

bool needs_resident(OpKind kind) {
  switch (kind) {
    case OpKind::Evict:
    case OpKind::Move:
    case OpKind::FillMemory:
    case OpKind::Discard:
      return true;
    default:
      return false;
  }
}

bool needs_bound_slot(OpKind kind) {
  return kind == OpKind::Unbind || kind == OpKind::Fill || kind == OpKind::Copy ||
         kind == OpKind::Add;
}

void make_life(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::Cycle:
      op.x = random.between(1, 2);
      op.a = random.one_in(2);
      break;
    case OpKind::InitializeStatus:
      op.x = 0xc0000001;
      break;
    case OpKind::Configure:
      make_setting(op, state, random);
      break;
    case OpKind::WaitTime:
      op.x = random.pick(std::span<const std::uint32_t>(kWaits));
      break;
    default:
      break;
  }
}

void make_object(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::CreateDevice:
      op.a = free_id(state.devices(), state.last_destroyed(), random);
      break;
    case OpKind::DestroyDevice:
      // Device 0 holds every allocation: it goes seldom.
      op.a = existing_id(state.devices(), state.last_destroyed(), random);
      if (op.a == 0 && !random.one_in(4)) op.a = 1;
      break;
    case OpKind::CreateContext:
      op.a = free_id(state.contexts(), state.last_destroyed(), random);
      op.b = random.one_in(4) ? existing_id(state.devices(), state.last_destroyed(), random)
                              : std::uint8_t{0};
      op.c = static_cast<std::uint8_t>(some_node(state, random));
      break;
    case OpKind::DestroyContext:
      op.a = existing_id(state.contexts(), state.last_destroyed(), random);
      break;
    case OpKind::CreateAllocation:
      op.a = free_id(state.allocations(), state.last_destroyed(), random);
      op.x = some_size_in_pages(state, random);
      op.b = static_cast<std::uint8_t>(random.below(3));
      op.c = random.one_in(3);
      break;
    default:
      op.a = existing_id(state.allocations(), state.last_destroyed(), random);
      break;
  }
}

void make_engine(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::Advance: {
      // Close to the end of a node's work a preemption races with its completion.
      const std::uint32_t work = state.work(random.below(state.machine().nodes));
      op.x = random.one_in(3) ? work + random.below(3) : 1 + random.below(1 + work / 2 % 64);
      break;
    }
    case OpKind::Preempt:
    case OpKind::QueryFence:
      op.a = static_cast<std::uint8_t>(busy_node(state, random));
      break;
    case OpKind::HoldDpcs:
      op.a = state.dpcs_held() ? random.one_in(8) : 1;
      break;
    default:
      break;
  }
}

void make_memory(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::FillMemory:
      op.z = some_word(random);
      break;
    case OpKind::TransferSegments:
      op.a = static_cast<std::uint8_t>(random.between(1, random.one_in(16) ? 3 : 2));
      op.b = static_cast<std::uint8_t>(random.between(1, random.one_in(16) ? 3 : 2));
      op.z = 1 + random.below(2);
      op.x = some_page(state.local_pages(), op.z, random);
      op.y = some_page(state.local_pages(), op.z, random);
      return;
    case OpKind::MapAperture:
      op.y = random.pick(std::span<const std::uint32_t>(kFewPages));
      op.x = some_page(state.machine().aperture_pages, op.y, random);
      op.a = random.one_in(2) ? 0 : static_cast<std::uint8_t>(random.below(4));
      return;
    case OpKind::UnmapAperture:
      op.x = state.mapped_page();
      return;
    default:
      break;
  }
  op.a = existing_id(state.allocations(), state.last_destroyed(), random);
  if (op.kind == OpKind::CpuWrite) {
    op.x = some_offset(state.allocation(op.a).pages * kPageBytes, 4, random);
    op.z = some_word(random);
  }
}

void make_choice(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::SplitPoints:
      op.a = static_cast<std::uint8_t>(random.below(3));
      op.x = static_cast<Take>(op.a) == Take::Mask ? static_cast<std::uint32_t>(random.next()) : 0;
      break;
    case OpKind::Prepatch:
      op.a = static_cast<std::uint8_t>(random.below(4));
      break;
    case OpKind::Repatch:
      op.x = random.below(3);
      break;
    case OpKind::PagingBuffer:
      op.x = random.pick(std::span<const std::uint32_t>(kPagingBytes));
      break;
    case OpKind::TransferChunk:
      op.x = random.below(4);
      break;
    case OpKind::QueueDepth:
      op.x = random.one_in(8) ? 64 : 1 + random.below(4);
      break;
    case OpKind::PagingNode:
      op.a = static_cast<std::uint8_t>(some_node(state, random));
      break;
    default:
      op.a = !random.one_in(4);  // the flags: interleave, scramble, patch_paging
      break;
  }
}

}  // namespace

bool can_matter(OpKind kind, const StateModel& state) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr) return false;
  if (kind == OpKind::Start) return !state.running() || state.before_first_start();
  if (info->role == OpRole::Choose || info->role == OpRole::Modify) return true;
  if (!state.running()) return false;
  if (info->role == OpRole::Element && !state.recording()) return false;
  if (needs_allocation(kind)) return !state.allocations().empty();
  if (needs_resident(kind)) return state.any_resident();
  if (needs_bound_slot(kind)) return !state.bound_slots().empty();
  switch (kind) {
    case OpKind::DestroyDevice:
      return state.devices().size() > 1;
    case OpKind::DestroyContext:
    case OpKind::Render:
      return !state.contexts().empty();
    case OpKind::Advance:
    case OpKind::Idle:
      return state.busy() || state.any_resident();
    case OpKind::UnmapAperture:
      return state.mapped();
    default:
      return true;
  }
}

Op make_op(OpKind kind, const StateModel& state, Random& random) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr) return {};
  Op op;
  op.kind = kind;
  for (const FieldInfo& field : info->fields) set_field(op, field.member, field.fallback);
  if (info->role == OpRole::Open) {
    make_render(op, state, random);
  } else if (info->role == OpRole::Element) {
    make_element(op, state, random);
  } else if (info->role == OpRole::Choose && kind != OpKind::Configure) {
    make_choice(op, state, random);
  } else if (kind < OpKind::CreateDevice) {
    make_life(op, state, random);
  } else if (kind < OpKind::Render) {
    make_object(op, state, random);
  } else if (kind < OpKind::MakeResident) {
    make_engine(op, state, random);
  } else if (kind < OpKind::SplitPoints) {
    make_memory(op, state, random);
  } else {
    make_anomaly(op, random);
  }
  return canonical(op);
}

Op affordable(Op op) {
  switch (op.kind) {
    case OpKind::Cycle:
      op.x = std::min(op.x, 4u);
      break;
    case OpKind::WaitTime:
      op.x = std::min(op.x, 100u);
      break;
    case OpKind::Spin:
    case OpKind::Advance:
      op.x = std::min(op.x, 2000u);
      break;
    case OpKind::CreateAllocation:
      op.x = std::min(op.x, 512u);
      break;
    default:
      break;
  }
  return op;
}

}  // namespace wddm::fuzz
