// How ops of processes, GPU virtual addresses and page tables are drawn, and when they are worth
// it, for drivers that have them.
#include <array>

#include "fuzz/generators/make_fields.h"
#include "fuzz/generators/makers.h"

namespace wddm::fuzz {
namespace {

constexpr std::uint32_t kProcesses = 3;

// Processes are few, so that two of them lead somewhere at the same address.
void make_device(Op& op, const StateModel& state, Random& random) {
  op.a = free_id(state.devices(), state.last_destroyed(), random);
  op.b = static_cast<std::uint8_t>(random.below(kProcesses));
}

// After a page fault only new ones go on.
std::uint32_t renewal_urgency(const StateModel& state) {
  return state.contexts().empty() || state.any_context_works() ? 1 : 6;
}

// Resident ones have entries in page tables.
std::uint8_t mapped_allocation(const StateModel& state, Random& random) {
  const auto all = state.allocations().members();
  for (int tries = 0; tries < 4 && !all.empty(); ++tries) {
    const std::uint8_t id = random.pick(all);
    if (state.allocation(id).resident && state.allocation(id).addresses != 0) return id;
  }
  return existing_id(state.allocations(), state.last_destroyed(), random);
}

void make_residency(Op& op, const StateModel& state, Random& random) {
  op.a = existing_id(state.allocations(), state.last_destroyed(), random);
  for (int tries = 0; tries < 3 && state.allocation(op.a).resident; ++tries) {
    op.a = existing_id(state.allocations(), state.last_destroyed(), random);
  }
}

// Near ones share tables, far ones need a larger root or a branch of their own.
std::uint32_t some_bit(Random& random) {
  switch (random.below(4)) {
    case 0:
      return 16 + random.below(14);
    case 1:
      return 12 + random.below(36);
    default:
      return 26 + random.below(6);  // about where roots end that are resized
  }
}

void make_mapping(Op& op, const StateModel& state, Random& random) {
  static constexpr std::array kPlaces{AddressPlace::Next, AddressPlace::Next, AddressPlace::Bit,
                                      AddressPlace::Bit,  AddressPlace::Bit,  AddressPlace::Bit,
                                      AddressPlace::Top,  AddressPlace::Same};
  op.a = mapped_allocation(state, random);
  // Many addresses of one allocation find more than one of each.
  if (state.allocation(op.a).addresses < 2) op.a = mapped_allocation(state, random);
  op.b = static_cast<std::uint8_t>(random.pick(std::span<const AddressPlace>(kPlaces)));
  op.c = random.one_in(2) ? static_cast<std::uint8_t>(random.below(5)) : std::uint8_t{0};
  op.x = some_bit(random);
}

// The last address goes too at times: what uses it then meets a page fault.
void make_freeing(Op& op, const StateModel& state, Random& random) {
  op.a = mapped_allocation(state, random);
}

// What lies at several addresses has to be found at each of them afterwards.
void make_move(Op& op, const StateModel& state, Random& random) {
  op.a = mapped_allocation(state, random);
  for (int tries = 0; tries < 3 && state.allocation(op.a).addresses < 3; ++tries) {
    op.a = mapped_allocation(state, random);
  }
  op.b = random.one_in(3);
}

void make_table_move(Op& op, const StateModel& state, Random& random) {
  op.a = mapped_allocation(state, random);
  op.b = static_cast<std::uint8_t>(random.one_in(3) ? 5 : random.below(3));
}

void make_table_eviction(Op& op, const StateModel& state, Random& random) {
  op.a = state.contexts().empty() || random.one_in(8)
             ? existing_id(state.devices(), state.last_destroyed(), random)
             : state.device_of(random.pick(state.contexts().members()));
}

// What was changed is used before it changes again; a table that has moved is written first.
std::uint32_t change_urgency(const StateModel& state) {
  if (state.table_moved()) return 4;
  return state.tables_changed() ? 1 : 2;
}
std::uint32_t table_urgency(const StateModel& state) {
  if (!state.any_addressed()) return 0;
  return state.tables_changed() ? 1 : 2;
}
std::uint32_t address_urgency(const StateModel& state) {
  return state.any_addressed() ? change_urgency(state) : 0;
}
// Roots shrink only where the far addresses go.
std::uint32_t freeing_urgency(const StateModel& state) {
  return 3 * address_urgency(state);
}
std::uint32_t residency_urgency(const StateModel& state) {
  return state.all_resident() ? 1 : 3;
}

void make_gpu(Op& op, const StateModel& state, Random& random) {
  op.a = static_cast<std::uint8_t>(random.below(state.machine().linked));
}

void make_hurry(Op& op, const StateModel& state, Random& random) {
  op.a = state.hurry() ? random.one_in(4) : 1;
}
// What faults ends its device: clients are in a hurry only for a while.
std::uint32_t hurry_urgency(const StateModel& state) {
  return state.hurry() ? 2 : 6;
}

constexpr Maker kMakers[] = {
    {OpKind::CreateDevice, make_device, renewal_urgency, true},
    {OpKind::MakeResident, make_residency, residency_urgency, true},
    {OpKind::Move, make_move, address_urgency, true},
    {OpKind::MapAddress, make_mapping, change_urgency, true},
    {OpKind::FreeAddress, make_freeing, freeing_urgency, true},
    {OpKind::MoveTable, make_table_move, table_urgency, true},
    {OpKind::EvictTables, make_table_eviction, table_urgency, true},
    {OpKind::PhysicalAdapter, make_gpu, nullptr, true},
    {OpKind::Hurry, make_hurry, hurry_urgency, true},
};

}  // namespace

std::span<const Maker> address_makers() {
  return kMakers;
}

}  // namespace wddm::fuzz
