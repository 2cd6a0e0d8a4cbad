#include "fuzz/generators/state_model.h"

#include <algorithm>
#include <utility>

namespace wddm::fuzz {

StateModel::StateModel(const Machine& machine)
    : machine_(machine),
      local_pages_(machine.local_pages),
      aperture_pages_(machine.aperture_pages) {
  set_of(FieldShape::Device).insert(0);
}

void StateModel::apply(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return;
  if (info->is(OpRole::Element)) return apply_element(op);
  if (std::exchange(list_faults_, false)) in_error_.insert(context_device_[recording_context_]);
  recording_ = false;
  if (op.kind == OpKind::Configure) return apply_setting(op);
  if (op.kind == OpKind::PagingNode) paging_node_ = op.a;
  ask(op);
  if (op.kind == OpKind::Start) return start();
  if (!info->is(OpRole::Do) && !info->is(OpRole::Open)) return;
  before_first_start_ = false;
  if (!running_) return;
  apply_effects(op, *info);
  apply_work(op);
  if (gpu_virtual()) apply_to_addresses(op);
}

void StateModel::ask(const Op& op) {
  if (op.kind == OpKind::Hurry) hurry_ = op.a != 0;
  if (op.kind == OpKind::Share) more_ = op.x;
  if (op.kind == OpKind::Render) return;
  const bool again = static_cast<AddressPlace>(op.b) == AddressPlace::Same;
  const bool asks = op.kind == OpKind::MakeResident || (op.kind == OpKind::MapAddress && !again);
  asked_in_hurry_.reset();
  if (hurry_ && asks && gpu_virtual()) asked_in_hurry_ = op.a;
}

void StateModel::apply_to_addresses(const Op& op) {
  if (op.kind == OpKind::MoveTable || op.kind == OpKind::EvictTables || op.kind == OpKind::Move) {
    tables_changed_ = true;
    table_moved_ = op.kind == OpKind::MoveTable;
  }
  if (op.kind != OpKind::MapAddress && op.kind != OpKind::FreeAddress) return;
  if (!allocations().contains(op.a)) return;
  AllocationGuess& allocation = allocation_[op.a];
  tables_changed_ = true;
  table_moved_ = false;
  if (op.kind == OpKind::MapAddress) {
    const bool again = static_cast<AddressPlace>(op.b) == AddressPlace::Same;
    if (allocation.addresses == 0) allocation.addresses = 1;
    if (!again && allocation.addresses != 255) ++allocation.addresses;
    allocation.protection = static_cast<Protection>(op.c);
    allocation.freed = false;
  } else if (allocation.addresses != 0) {
    allocation.freed = --allocation.addresses == 0;
    allocation.protection = Protection::ReadWrite;
  }
}

// A page fault ends what the device may do, and nothing of it is submitted from then on.
void StateModel::use(std::uint8_t slot, bool writes) {
  tables_changed_ = false;
  if (!gpu_virtual() || !bound_.contains(slot)) return;
  const AllocationGuess& allocation = allocation_[binding_[slot]];
  list_faults_ |= allocation.freed || allocation.protection == Protection::NoAccess ||
                  (writes && allocation.protection == Protection::ReadOnly);
}

bool StateModel::any_addressed() const {
  const auto all = allocations().members();
  return std::any_of(all.begin(), all.end(),
                     [this](std::uint8_t id) { return allocation_[id].addresses != 0; });
}

bool StateModel::any_context_works() const {
  const auto all = contexts().members();
  return std::any_of(all.begin(), all.end(), [this](std::uint8_t id) { return !in_error(id); });
}

// What the op makes and ends, as op.def says.
void StateModel::apply_effects(const Op& op, const OpInfo& info) {
  for (const Effect& effect : info.effects) {
    if (effect.kind == EffectKind::Nothing) continue;
    if (effect.kind == EffectKind::EndsAll) {
      end_all();
      running_ = op.kind == OpKind::Cycle || op.kind == OpKind::Rebalance;
    } else if (effect.space == FieldShape::AperturePage) {
      if (effect.kind == EffectKind::Makes) {
        mapped_ = true;
        mapped_page_ = op.x;
        mapped_pages_ = op.y;
      } else if (effect.kind == EffectKind::Ends && op.x == mapped_page_) {
        mapped_ = false;
      }
    } else if (is_object(effect.space)) {
      const auto id = static_cast<std::uint8_t>(field_of(op, info.field(effect.space)->member));
      if (effect.kind == EffectKind::Makes) make(op, effect.space, id);
      if (effect.kind != EffectKind::Ends) continue;
      rest();
      end(effect.space, id);
    }
  }
}

// What it adds to the engines' work or takes from it, and what it does to where things are.
void StateModel::apply_work(const Op& op) {
  if (op.kind == OpKind::WaitTime || op.kind == OpKind::Advance) {
    advance(op.x);
  } else if (op.kind == OpKind::Idle) {
    rest();
  } else if (op.kind == OpKind::Render) {
    begin_recording(op);
  } else if (op.kind == OpKind::HoldDpcs) {
    dpcs_held_ = op.a != 0;
  } else if (op.kind == OpKind::MakeResident) {
    if (allocations().contains(op.a)) page_in(op.a);
  } else if (op.kind == OpKind::Evict) {
    work_on_pages(op.a);
    page_out(op.a);
  } else if (op.kind == OpKind::Move || op.kind == OpKind::FillMemory) {
    work_on_pages(op.a);
  }
}

void StateModel::apply_element(const Op& op) {
  if (!recording_) return;
  ++commands_;
  const OpInfo& info = *op_info(op.kind);
  tampered_ |= info.needs_state(Need::Honest);
  if (op.kind == OpKind::Bind) {
    ++binds_;
    if (!allocations().contains(op.b)) return;
    if (gpu_virtual() && !same_process(recording_context_, op.b)) return;
    bound_.insert(op.a);
    binding_[op.a] = op.b;
    newest_slot_ = op.a;
    binding_unused_ = true;
    if (AllocationGuess& bound = allocation_[op.b]; bound.addresses == 0 && !bound.freed) {
      bound.addresses = 1;
    }
    page_in(op.b);
  } else if (op.kind == OpKind::Unbind) {
    bound_.erase(op.a);
    binding_unused_ = binding_unused_ && op.a != newest_slot_;
  } else if (info.field(FieldShape::SlotRow) != nullptr) {  // uses memory
    binding_unused_ = false;
    use(op.a, true);
    if (op.kind == OpKind::Copy) use(op.b, false);
    if (op.kind == OpKind::Fill) add_work(1 + op.y / kPageBytes);
    if (op.kind == OpKind::Copy) add_work(1 + op.z / kPageBytes);
  } else if (op.kind == OpKind::Signal) {
    signalled_[op.a % kFewSemaphores] = std::max(signalled_[op.a % kFewSemaphores], op.z);
    add_work(1);
  } else if (op.kind == OpKind::Spin) {
    add_work(op.x);
  }
}

void StateModel::apply_setting(const Op& op) {
  if (!before_first_start_ || machine_.settings == 0) return;
  if (static_cast<Setting>(op.a) == Setting::LocalSegmentPages) {
    local_pages_ = std::clamp(op.x, 1u, machine_.local_pages);
  } else if (static_cast<Setting>(op.a) == Setting::ApertureSegmentPages) {
    aperture_pages_ = std::clamp(op.x, 1u, machine_.aperture_pages);
  }
}

void StateModel::start() {
  before_first_start_ = false;
  if (running_) return;
  running_ = true;
  set_of(FieldShape::Device).insert(0);
}

void StateModel::end_all() {
  for (const std::uint8_t id : allocations().members()) allocation_[id] = {};
  for (IdSet& objects : objects_) objects.clear();
  in_error_.clear();
  device_process_.fill(0);
  local_used_ = resident_ = 0;
  mapped_ = dpcs_held_ = false;
  rest();
  set_of(FieldShape::Device).insert(0);
}

// What could never be resident is refused.
bool StateModel::may_make(const Op& op) const {
  if (op.kind == OpKind::CreateContext) {
    return devices().contains(op.b) && op.c < machine_.nodes;
  }
  if (op.kind == OpKind::RenameAllocation) return allocations().contains(op.b);
  if (op.kind != OpKind::CreateAllocation) return true;
  const auto place = static_cast<Place>(op.b);
  const std::uint32_t most = place == Place::Local      ? local_pages_
                             : place == Place::Aperture ? aperture_pages_
                                                        : std::max(local_pages_, aperture_pages_);
  return devices().contains(static_cast<std::uint8_t>(op.y)) && op.x <= most;
}

// All of them or none.
void StateModel::make_together(const Op& op, std::uint8_t first) {
  const std::uint32_t last = std::min(first + more_, 255u);
  for (std::uint32_t id = first; id <= last; ++id) {
    if (allocations().contains(static_cast<std::uint8_t>(id))) return;
  }
  for (std::uint32_t id = first; id <= last; ++id) {
    set_of(FieldShape::Allocation).insert(static_cast<std::uint8_t>(id));
    allocation_[id] = {.pages = op.x,
                       .place = static_cast<Place>(op.b),
                       .cpu_visible = op.c != 0,
                       .device = static_cast<std::uint8_t>(op.y),
                       .first = first};
  }
}

void StateModel::make(const Op& op, FieldShape space, std::uint8_t id) {
  if (objects(space).contains(id) || !may_make(op)) return;
  if (op.kind == OpKind::CreateAllocation) return make_together(op, id);
  set_of(space).insert(id);
  if (space == FieldShape::Context) {
    context_device_[id] = op.b;
    context_node_[id] = op.c;
  } else if (space == FieldShape::Device) {
    device_process_[id] = op.b;
  } else if (op.kind == OpKind::RenameAllocation) {
    const AllocationGuess& original = allocation_[op.b];
    allocation_[id] = {.pages = original.pages,
                       .place = original.place,
                       .cpu_visible = original.cpu_visible,
                       .device = original.device,
                       .first = id};
  } else if (space == FieldShape::Allocation) {
    allocation_[id] = {.pages = op.x,
                       .place = static_cast<Place>(op.b),
                       .cpu_visible = op.c != 0,
                       .device = static_cast<std::uint8_t>(op.y),
                       .first = id};
  }
}

void StateModel::end_others_of(std::uint8_t first) {
  for (std::uint32_t slot = first + 1u; slot < 256; ++slot) {
    const auto other = static_cast<std::uint8_t>(slot);
    if (!allocations().contains(other) || allocation_[other].first != first) continue;
    page_out(other);
    set_of(FieldShape::Allocation).erase(other);
  }
}

void StateModel::end(FieldShape space, std::uint8_t id) {
  last_destroyed_ = id;
  if (space == FieldShape::Allocation) page_out(id);
  if (!objects(space).contains(id)) return;
  set_of(space).erase(id);
  if (space == FieldShape::Allocation) end_others_of(id);
  if (space != FieldShape::Device) return;
  in_error_.erase(id);
  device_process_[id] = 0;
  for (std::uint32_t slot = 0; slot < 256; ++slot) {
    const auto other = static_cast<std::uint8_t>(slot);
    if (context_device_[other] == id) set_of(FieldShape::Context).erase(other);
    if (allocation_[other].device != id) continue;
    page_out(other);
    set_of(FieldShape::Allocation).erase(other);
  }
}

void StateModel::begin_recording(const Op& op) {
  recording_ = contexts().contains(op.a);
  recording_context_ = op.a;
  recording_node_ = context_node_[op.a];
  bound_.clear();
  commands_ = binds_ = 0;
  tampered_ = binding_unused_ = list_faults_ = false;
  if (recording_) add_work(1);
}

void StateModel::add_work(std::uint32_t node, std::uint32_t units) {
  std::uint32_t& work = work_[node % kNodes];
  work = std::min(work + std::min(units, 1u << 20), 1u << 20);
}

void StateModel::advance(std::uint32_t units) {
  for (std::uint32_t node = 0; node < std::min(machine_.nodes, kNodes); ++node) {
    work_[node] -= std::min(work_[node], units);
  }
}

void StateModel::rest() {
  for (std::uint32_t node = 0; node < std::min(machine_.nodes, kNodes); ++node) work_[node] = 0;
}

bool StateModel::busy() const {
  for (std::uint32_t node = 0; node < std::min(machine_.nodes, kNodes); ++node) {
    if (work_[node] != 0) return true;
  }
  return false;
}

bool StateModel::lives_in_local(std::uint8_t id) const {
  return allocation_[id].place != Place::Aperture;
}

std::uint32_t StateModel::pages_bound_beside(std::uint8_t slot) const {
  IdSet seen;
  std::uint32_t pages = 0;
  for (const std::uint8_t other : bound_.members()) {
    const std::uint8_t id = binding_[other];
    if (other == slot || seen.contains(id) || !lives_in_local(id)) continue;
    seen.insert(id);
    pages += allocation_[id].pages;
  }
  return pages;
}

void StateModel::work_on_pages(std::uint8_t id) {
  if (allocation_[id].resident) add_work(paging_node_, allocation_[id].pages);
}

// Whoever came first leaves first: close enough to know when memory is full.
void StateModel::page_in(std::uint8_t id) {
  AllocationGuess& allocation = allocation_[id];
  if (allocation.resident) return;
  if (lives_in_local(id)) {
    if (allocation.pages > local_pages_) return;
    for (const std::uint8_t other : allocations().members()) {
      if (local_used_ + allocation.pages <= local_pages_) break;
      if (lives_in_local(other)) page_out(other);
    }
    local_used_ += allocation.pages;
  }
  allocation.resident = true;
  if (allocation.addresses == 0 && !allocation.freed) allocation.addresses = 1;
  ++resident_;
  work_on_pages(id);
}

void StateModel::page_out(std::uint8_t id) {
  AllocationGuess& allocation = allocation_[id];
  if (!allocation.resident) return;
  allocation.resident = false;
  --resident_;
  if (lives_in_local(id)) local_used_ -= allocation.pages;
}

}  // namespace wddm::fuzz
