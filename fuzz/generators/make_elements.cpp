// Render and what belongs to it: commands that reach memory, and what hostile user mode does.
#include <algorithm>
#include <optional>

#include "fuzz/generators/make_fields.h"
#include "fuzz/generators/makers.h"

namespace wddm::fuzz {
namespace {

constexpr std::array<std::uint32_t, 6> kSpins{0, 1, 2, 5, 20, 60};
/// A guess at the bytes of one command in pCommand; hostile offsets need no more.
constexpr std::uint32_t kCommandBytes = 12;

// A slot that is free, one that is bound already (reuse), seldom one past the last.
std::uint8_t some_slot(const StateModel& state, Random& random) {
  const std::uint32_t slots = std::min(state.machine().slots, 256u);
  const IdSet& bound = state.bound_slots();
  if (!bound.empty() && random.one_in(2)) return random.pick(bound.members());
  if (random.one_in(64)) return static_cast<std::uint8_t>(std::min(slots, 255u));
  // Few slots meet more often than many.
  return static_cast<std::uint8_t>(random.below(random.one_in(4) ? slots : std::min(slots, 4u)));
}

// What belongs to another process no command can name. A page fault is the end of a device, so that
// it comes at times only.
std::uint8_t allocation_of_process(const StateModel& state, Random& random) {
  const auto all = state.allocations().members();
  const std::optional<std::uint8_t> asked = state.asked_in_hurry();
  if (asked && state.same_process(state.recording_context(), *asked) && !random.one_in(4)) {
    return *asked;
  }
  const bool is_to_fault = random.one_in(3);
  std::uint8_t some = existing_id(state.allocations(), state.last_destroyed(), random);
  for (int tries = 0; tries < 8 && !all.empty(); ++tries) {
    const std::uint8_t id = random.pick(all);
    if (!state.same_process(state.recording_context(), id)) continue;
    some = id;
    const AllocationGuess& allocation = state.allocation(id);
    const bool faults = allocation.freed || allocation.protection == Protection::NoAccess ||
                        allocation.protection == Protection::ReadOnly;
    if (faults == is_to_fault) break;
  }
  return some;
}

// Contexts mostly keep to allocations of their own: those that share one wait for each other.
std::uint8_t allocation_to_bind(const StateModel& state, Random& random) {
  if (state.gpu_virtual()) return allocation_of_process(state, random);
  const auto contexts = state.contexts().members();
  const auto allocations = state.allocations().members();
  if (contexts.size() < 2 || allocations.size() < contexts.size() || random.one_in(4)) {
    return existing_id(state.allocations(), state.last_destroyed(), random);
  }
  const auto own = std::find(contexts.begin(), contexts.end(), state.recording_context());
  const auto first = static_cast<std::size_t>(own - contexts.begin()) % contexts.size();
  const auto count = (allocations.size() - first - 1) / contexts.size() + 1;
  return allocations[first + contexts.size() * random.below(static_cast<std::uint32_t>(count))];
}

// Whether all that is bound then fits the memory segment at once.
bool fits(const Op& bind, const StateModel& state) {
  if (!state.lives_in_local(bind.b)) return true;
  return state.pages_bound_beside(bind.a) + state.allocation(bind.b).pages <= state.local_pages();
}

std::uint8_t slot_of_largest(const StateModel& state) {
  const auto slots = state.bound_slots().members();
  return *std::max_element(slots.begin(), slots.end(), [&](std::uint8_t one, std::uint8_t other) {
    return state.allocation(state.bound_to(one)).pages <
           state.allocation(state.bound_to(other)).pages;
  });
}

// A buffer may use more than all memory, and runs in portions then; what its commands use at the
// same time has to fit, or it cannot run at all.
void make_bind(Op& op, const StateModel& state, Random& random) {
  op.a = some_slot(state, random);
  op.b = allocation_to_bind(state, random);
  if (!fits(op, state) && !state.bound_slots().empty() && !random.one_in(16)) {
    op.a = slot_of_largest(state);
  }
}

std::uint32_t bytes_of_slot(const StateModel& state, std::uint8_t slot) {
  if (!state.bound_slots().contains(slot)) return kPageBytes;
  return state.allocation(state.bound_to(slot)).pages * kPageBytes;
}

void make_patch_change(Op& op, const StateModel& state, Random& random) {
  op.x = random.below(state.binds() + 2);
  op.a = static_cast<std::uint8_t>(random.below(6));
  const std::uint32_t command_bytes = state.commands() * kCommandBytes;
  switch (random.below(6)) {
    case 0:
      op.z = 0;
      break;
    case 1:
      op.z = ~0u;
      break;
    case 2:
      op.z = random.below(command_bytes / 4 + 2) * 4;
      break;
    case 3:
      op.z = state.machine().slots - 1 + random.below(3);
      break;
    case 4:
      op.z = state.allocations().size() + random.below(3);
      break;
    default:
      op.z = 1u << random.below(32);
      break;
  }
}

std::uint32_t some_command_bytes(const StateModel& state) {
  return (state.commands() + 4) * kCommandBytes;
}

// With GPU virtual addresses nobody calls Render, and nothing is there to be measured.
SomeSize capacity_to_render(std::uint32_t sizes, std::uint32_t unit, const StateModel& state,
                            Random& random) {
  if (state.gpu_virtual()) return {random.below(sizes), Measure::Absolute};
  return some_capacity(sizes, unit, random);
}

void make_render(Op& op, const StateModel& state, Random& random) {
  op.a = existing_id(state.contexts(), state.last_destroyed(), random);
  // Room for one command with its bindings, up to a few: the rest goes to another pass.
  if (random.one_in(8)) {
    const SomeSize bytes = capacity_to_render(64, 4, state, random);
    op.b = static_cast<std::uint8_t>(bytes.measure);
    op.x = bytes.measure == Measure::Absolute ? 16 + 4 * bytes.number : bytes.number;
  }
  if (random.one_in(8)) {
    const SomeSize elements = capacity_to_render(12, 1, state, random);
    op.c = static_cast<std::uint8_t>(elements.measure);
    op.y = elements.number + (elements.measure == Measure::Absolute ? 1 : 0);
  }
  for (int tries = 0; tries < 4 && state.gpu_virtual() && state.in_error(op.a); ++tries) {
    op.a = existing_id(state.contexts(), state.last_destroyed(), random);
  }
}

// What has changed on the way to memory shows in the next command that takes it.
std::uint32_t render_urgency(const StateModel& state) {
  if (!state.gpu_virtual()) return 1;
  if (state.asked_in_hurry() && state.any_context_works()) return 16;
  return state.tables_changed() && state.any_context_works() ? 3 : 1;
}

void make_fill(Op& op, const StateModel& state, Random& random) {
  op.a = bound_slot(state, random);
  const std::uint32_t bytes = bytes_of_slot(state, op.a);
  op.y = some_size(bytes, random);
  op.x = some_offset(bytes, op.y, random);
  op.z = some_word(random);
}

void make_copy(Op& op, const StateModel& state, Random& random) {
  op.a = bound_slot(state, random);
  op.b = bound_slot(state, random);
  const std::uint32_t bytes = bytes_of_slot(state, op.a);
  const std::uint32_t source_bytes = bytes_of_slot(state, op.b);
  op.z = some_size(std::min(bytes, source_bytes), random);
  op.x = some_offset(bytes, op.z, random);
  op.y = some_offset(source_bytes, op.z, random);
}

void make_add(Op& op, const StateModel& state, Random& random) {
  op.a = bound_slot(state, random);
  op.x = some_offset(bytes_of_slot(state, op.a), 4, random);
  op.z = random.one_in(2) ? 1 : some_word(random);
}

void make_signal(Op& op, const StateModel& state, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(kFewSemaphores));
  op.z = state.signalled(op.a) + 1;
}

// What was never signalled stalls its node for good.
void make_wait(Op& op, const StateModel& state, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(kFewSemaphores));
  op.z = state.signalled(op.a) + (random.one_in(16) ? 1 : 0);
}

void make_spin(Op& op, const StateModel&, Random& random) {
  op.x = random.pick(std::span<const std::uint32_t>(kSpins));
}

void make_command_change(Op& op, const StateModel& state, Random& random) {
  op.x = random.below(some_command_bytes(state) / 4) * 4;
  op.z = random.one_in(2) ? some_word(random) : random.below(64) << (8 * random.below(4));
}

void make_revocation(Op& op, const StateModel& state, Random& random) {
  op.a = random.one_in(2);
  op.x = random.one_in(4) ? 0 : random.below(some_command_bytes(state));
}

void make_race(Op& op, const StateModel& state, Random& random) {
  op.a = random.one_in(2);
  op.x = random.below(some_command_bytes(state) / 4) * 4;
  op.z = random.one_in(2) ? some_word(random) : random.below(64);
}

// What was just bound is used before the next binding.
std::uint32_t use_urgency(const StateModel& state) {
  return (state.binding_unused() ? 3 : 1) * (state.gpu_virtual() ? 2 : 1);
}

// Page tables show in what commands do to memory.
std::uint32_t bind_urgency(const StateModel& state) {
  return state.gpu_virtual() && state.bound_slots().empty() ? 6 : 1;
}

constexpr Maker kMakers[] = {
    {OpKind::Render, make_render, render_urgency},
    {OpKind::Bind, make_bind, bind_urgency},
    {OpKind::Fill, make_fill, use_urgency},
    {OpKind::Copy, make_copy, use_urgency},
    {OpKind::Add, make_add, use_urgency},
    {OpKind::Signal, make_signal},
    {OpKind::Wait, make_wait},
    {OpKind::Spin, make_spin},
    {OpKind::TamperPatch, make_patch_change},
    {OpKind::TamperCommand, make_command_change},
    {OpKind::Revoke, make_revocation},
    {OpKind::Race, make_race},
};

}  // namespace

std::span<const Maker> rendering_makers() {
  return kMakers;
}

}  // namespace wddm::fuzz
