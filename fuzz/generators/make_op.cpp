#include "fuzz/generators/make_op.h"

#include <algorithm>
#include <array>

#include "fuzz/generators/make_fields.h"

namespace wddm::fuzz {
namespace {

// SegmentIds that drivers give by custom: memory first.
constexpr std::uint8_t kLocalSegment = 1, kApertureSegment = 2;

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
      op.x = random.pick(std::span<const std::uint32_t>(kInitializeStatuses));
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

// Where memory is scarce, what may live in one segment only makes others leave it.
Place some_place(const StateModel& state, Random& random) {
  if (state.little_memory() && !random.one_in(3)) return Place::Local;
  return static_cast<Place>(random.below(3));
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
      // Contexts that share a node meet; those that do not run side by side.
      op.c =
          static_cast<std::uint8_t>(state.contexts().empty() || random.one_in(3)
                                        ? some_node(state, random)
                                        : state.node_of(random.pick(state.contexts().members())));
      break;
    case OpKind::DestroyContext:
      op.a = existing_id(state.contexts(), state.last_destroyed(), random);
      break;
    case OpKind::CreateAllocation:
      op.a = free_id(state.allocations(), state.last_destroyed(), random);
      op.x = some_size_in_pages(state, random);
      op.b = static_cast<std::uint8_t>(some_place(state, random));
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
      op.x =
          random.one_in(3) ? work + random.below(3) : 1 + random.below(1 + std::min(work / 2, 64u));
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

std::uint8_t some_segment(Random& random) {
  return static_cast<std::uint8_t>(1 + random.below(random.one_in(16) ? 3 : 2));
}

// The other end of a transfer: in the memory segment what an allocation may lie in, in the aperture
// what was mapped there, and is perhaps not any more.
std::uint32_t some_transfer_page(std::uint32_t segment, std::uint32_t pages,
                                 const StateModel& state, Random& random) {
  if (segment == kLocalSegment) {
    if (state.any_resident() && random.one_in(2)) return random.below(4);
    return some_page(state.local_pages(), pages, random);
  }
  if (state.mapped_pages() == 0 || random.one_in(4)) {
    return some_page(state.aperture_pages(), pages, random);
  }
  return state.mapped_page() + random.below(state.mapped_pages());
}

void make_memory(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::FillMemory:
      op.z = some_word(random);
      break;
    case OpKind::TransferSegments:
      op.a = some_segment(random);
      op.b = some_segment(random);
      // What is mapped is seen through the GPU only.
      if (state.mapped_pages() != 0 && !random.one_in(4)) {
        op.a = kLocalSegment;
        op.b = kApertureSegment;
      }
      op.z = 1 + random.below(2);
      op.x = some_transfer_page(op.a, op.z, state, random);
      op.y = some_transfer_page(op.b, op.z, state, random);
      return;
    case OpKind::MapAperture:
      op.y =
          std::min(random.pick(std::span<const std::uint32_t>(kFewPages)), state.aperture_pages());
      op.x = some_page(state.aperture_pages(), op.y, random);
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

// Mostly not what holds anyway.
void make_choice(Op& op, const StateModel& state, Random& random) {
  switch (op.kind) {
    case OpKind::SplitPoints:
      op.a = static_cast<std::uint8_t>(random.one_in(8)   ? Take::None
                                       : random.one_in(3) ? Take::Mask
                                                          : Take::All);
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
    case OpKind::PatchPaging:
      op.a = random.one_in(4);
      break;
    default:
      op.a = !random.one_in(8);  // the other flags: interleave, scramble
      break;
  }
}

}  // namespace

bool can_matter(OpKind kind, const StateModel& state) {
  const OpInfo* const info = op_info(kind);
  if (info == nullptr) return false;
  if (kind == OpKind::Start || kind == OpKind::InitializeStatus) {
    return !state.running() || state.before_first_start();
  }
  if (kind == OpKind::Configure) return state.before_first_start();
  if (info->role == OpRole::Choose || info->role == OpRole::Modify) return true;
  if (!state.running()) return false;
  if (info->role == OpRole::Element && !state.recording()) return false;
  if (needs_allocation(kind)) return !state.allocations().empty();
  if (needs_resident(kind)) return state.any_resident();
  if (needs_bound_slot(kind)) return !state.bound_slots().empty();
  switch (kind) {
    case OpKind::TamperPatch:
    case OpKind::TamperCommand:
    case OpKind::Revoke:
    case OpKind::Race:
      return !state.tampered();
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

std::uint32_t urgency(OpKind kind, const StateModel& state) {
  switch (kind) {
    case OpKind::Preempt:
    case OpKind::HoldDpcs:
      return state.busy() ? 2 : 1;
    case OpKind::TransferSegments:
      return state.mapped_pages() != 0 ? 6 : 1;
    case OpKind::Fill:
    case OpKind::Copy:
    case OpKind::Add:
      return state.binding_unused() ? 3 : 1;
    default:
      return 1;
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
