#include "fuzz/generators/state_model.h"

#include <algorithm>

namespace wddm::fuzz {

StateModel::StateModel(const Machine& machine)
    : machine_(machine),
      local_pages_(machine.local_pages),
      aperture_pages_(machine.aperture_pages) {
  devices_.insert(0);
}

void StateModel::apply(const Op& op) {
  const OpInfo* const info = op_info(op.kind);
  if (info == nullptr) return;
  if (info->role == OpRole::Element) return apply_element(op);
  recording_ = false;
  if (op.kind == OpKind::Configure) return apply_setting(op);
  if (op.kind == OpKind::PagingNode) paging_node_ = op.a;
  if (info->role == OpRole::Choose || info->role == OpRole::Modify) return;
  if (op.kind == OpKind::Start) return start();
  before_first_start_ = false;
  if (!running_) return;
  switch (op.kind) {
    case OpKind::Stop:
    case OpKind::Remove:
    case OpKind::Unload:
      stop();
      running_ = false;
      break;
    case OpKind::Cycle:
      stop();
      break;
    case OpKind::WaitTime:
      advance(op.x);
      break;
    case OpKind::CreateDevice:
      devices_.insert(op.a);
      break;
    case OpKind::DestroyDevice:
      rest();
      if (!devices_.contains(op.a)) break;
      devices_.erase(op.a);
      last_destroyed_ = op.a;
      for (std::uint32_t id = 0; id < 256; ++id) {
        const auto slot = static_cast<std::uint8_t>(id);
        if (context_device_[slot] == op.a) contexts_.erase(slot);
        if (op.a == 0) forget_allocation(slot);
      }
      break;
    case OpKind::CreateContext:
      if (contexts_.contains(op.a) || !devices_.contains(op.b) || op.c >= machine_.nodes) break;
      contexts_.insert(op.a);
      context_device_[op.a] = op.b;
      context_node_[op.a] = op.c;
      break;
    case OpKind::DestroyContext:
      rest();
      contexts_.erase(op.a);
      last_destroyed_ = op.a;
      break;
    case OpKind::CreateAllocation:
      create_allocation(op);
      break;
    case OpKind::DestroyAllocation:
      rest();
      forget_allocation(op.a);
      last_destroyed_ = op.a;
      break;
    case OpKind::Render:
      begin_recording(op);
      break;
    case OpKind::Advance:
      advance(op.x);
      break;
    case OpKind::Idle:
      rest();
      break;
    case OpKind::HoldDpcs:
      dpcs_held_ = op.a != 0;
      break;
    case OpKind::MakeResident:
      if (allocations_.contains(op.a)) page_in(op.a);
      break;
    case OpKind::Evict:
      work_on_pages(op.a);
      page_out(op.a);
      break;
    case OpKind::Move:
    case OpKind::FillMemory:
      work_on_pages(op.a);
      break;
    case OpKind::MapAperture:
      mapped_ = true;
      mapped_page_ = op.x;
      mapped_pages_ = op.y;
      break;
    case OpKind::UnmapAperture:
      if (op.x == mapped_page_) mapped_ = false;
      break;
    default:
      break;
  }
}

void StateModel::apply_element(const Op& op) {
  if (!recording_) return;
  ++commands_;
  switch (op.kind) {
    case OpKind::Bind:
      ++binds_;
      if (!allocations_.contains(op.b)) break;
      bound_.insert(op.a);
      binding_[op.a] = op.b;
      newest_slot_ = op.a;
      binding_unused_ = true;
      page_in(op.b);
      break;
    case OpKind::Unbind:
      bound_.erase(op.a);
      binding_unused_ = binding_unused_ && op.a != newest_slot_;
      break;
    case OpKind::Fill:
      binding_unused_ = false;
      add_work(1 + op.y / kPageBytes);
      break;
    case OpKind::Copy:
      binding_unused_ = false;
      add_work(1 + op.z / kPageBytes);
      break;
    case OpKind::Add:
      binding_unused_ = false;
      break;
    case OpKind::Signal:
      signalled_[op.a % kFewSemaphores] = std::max(signalled_[op.a % kFewSemaphores], op.z);
      add_work(1);
      break;
    case OpKind::Spin:
      add_work(op.x);
      break;
    case OpKind::TamperPatch:
    case OpKind::TamperCommand:
    case OpKind::Revoke:
    case OpKind::Race:
      tampered_ = true;
      break;
    default:
      break;
  }
}

void StateModel::apply_setting(const Op& op) {
  if (!before_first_start_) return;
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
  devices_.insert(0);
}

void StateModel::stop() {
  devices_.clear();
  contexts_.clear();
  for (const std::uint8_t id : allocations_.members()) allocation_[id] = {};
  allocations_.clear();
  local_used_ = resident_ = 0;
  mapped_ = dpcs_held_ = false;
  rest();
  devices_.insert(0);
}

// What could never be resident is refused.
void StateModel::create_allocation(const Op& op) {
  if (allocations_.contains(op.a) || !devices_.contains(0)) return;
  const auto place = static_cast<Place>(op.b);
  const std::uint32_t most = place == Place::Local      ? local_pages_
                             : place == Place::Aperture ? aperture_pages_
                                                        : std::max(local_pages_, aperture_pages_);
  if (op.x > most) return;
  allocations_.insert(op.a);
  allocation_[op.a] = {op.x, place, op.c != 0, false};
}

void StateModel::begin_recording(const Op& op) {
  recording_ = contexts_.contains(op.a);
  recording_context_ = op.a;
  recording_node_ = context_node_[op.a];
  bound_.clear();
  commands_ = binds_ = 0;
  tampered_ = binding_unused_ = false;
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

void StateModel::forget_allocation(std::uint8_t id) {
  page_out(id);
  allocations_.erase(id);
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
    for (const std::uint8_t other : allocations_.members()) {
      if (local_used_ + allocation.pages <= local_pages_) break;
      if (lives_in_local(other)) page_out(other);
    }
    local_used_ += allocation.pages;
  }
  allocation.resident = true;
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
