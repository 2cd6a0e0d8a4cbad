#include "conformance/host/gpuva/process_ranges.h"

#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {

void ProcessRanges::begin(const gpummu::Geometry& geometry, const OwnAddresses& own) {
  geometry_ = geometry;
  own_ = own;
  processes_.clear();
  kept_for_driver_.clear();
}

ProcessRanges::Process* ProcessRanges::of(ProcessId id) {
  if (const auto found = processes_.find(id); found != processes_.end()) return &found->second;
  if (!geometry_ || geometry_->space_bytes() < 8 * kUnit) return nullptr;
  const gpuva::VaConfig config{
      .address_bits = geometry_->caps().virtual_address_bit_count,
      .leaf_coverage = geometry_->table_bytes(0),
      .root_entry_coverage = geometry_->entry_bytes(geometry_->root_level())};
  Process& made = processes_.try_emplace(id, config).first->second;
  for (const gpummu::VaRange& range : kept_for_driver_[id]) {
    static_cast<void>(made.ranges.step(
        gpuva::ReserveForDriver{.size = range.bytes,
                                .alignment = static_cast<std::uint32_t>(config.leaf_coverage),
                                .base = {range.first.value}}));
  }
  static_cast<void>(made.ranges.step(gpuva::EndOfCreation{}));
  static_cast<void>(
      made.ranges.step(gpuva::ReserveGpuVirtualAddress{.base = {own_.commands.first.value},
                                                       .minimum = {},
                                                       .maximum = {},
                                                       .size = own_.commands.bytes}));
  made.next_commands = own_.commands.first.value;
  return &made;
}

const ProcessRanges::Process* ProcessRanges::find(ProcessId id) const {
  const auto found = processes_.find(id);
  return found == processes_.end() ? nullptr : &found->second;
}

// What breaks the rules of such ranges is judged by PROC-002, and is nobody's all the same.
void ProcessRanges::keep_for_driver(ProcessId id, std::span<const gpummu::VaRange> ranges) {
  if (ranges.empty() || processes_.contains(id)) return;
  kept_for_driver_[id].assign(ranges.begin(), ranges.end());
}

void ProcessRanges::keep(ProcessId id, const gpummu::VaRange& range) {
  if (Process* const there = of(id)) {
    static_cast<void>(there->ranges.step(gpuva::ReserveGpuVirtualAddress{
        .base = {range.first.value}, .minimum = {}, .maximum = {}, .size = range.bytes}));
  }
}

void ProcessRanges::forget(ProcessId id) {
  processes_.erase(id);
  kept_for_driver_.erase(id);
}

void ProcessRanges::forget(AllocationId allocation) {
  for (auto& [id, there] : processes_) {
    static_cast<void>(there.ranges.step(gpuva::DestroyAllocation{allocation}));
  }
}

std::optional<ProcessRanges::Answer> ProcessRanges::ask(ProcessId id, const gpuva::VaInput& input,
                                                        ev::AddressAnswered told) {
  Process* const there = of(id);
  if (there == nullptr) return std::nullopt;
  told.process = id.value;
  Answer answer;
  for (const gpuva::VaDecision& decision : decisions().addresses(there->ranges, input)) {
    if (const auto* placed = std::get_if<gpuva::Placed>(&decision)) {
      answer.placed = Address{placed->address.value};
      told.address = placed->address.value;
    } else if (const auto* set = std::get_if<gpuva::SetEntries>(&decision)) {
      answer.parts.push_back({id, {{set->address.value}, set->pages * kPageSize}, set->state});
    } else if (const auto* no = std::get_if<gpuva::VaRefused>(&decision)) {
      answer.refused = no->why;
      told.refused = 1;
      told.paging_fence = 0;
    }
  }
  // That an allocation goes says nothing of a process in which it has no addresses.
  if (!std::holds_alternative<gpuva::DestroyAllocation>(input) || !answer.parts.empty()) {
    session().tap(told);
  }
  return answer;
}

ProcessRanges::Address ProcessRanges::next_commands(ProcessId id, std::uint64_t bytes) {
  Process* const there = of(id);
  if (there == nullptr) return {};
  const gpummu::VaRange& ring = own_.commands;
  bytes = std::min(whole_units(bytes), ring.bytes);
  if (bytes > ring.end() - there->next_commands) there->next_commands = ring.first.value;
  return {there->next_commands};
}

void ProcessRanges::commands_take(ProcessId id, Address at, std::uint64_t bytes) {
  if (Process* const there = of(id)) {
    there->next_commands = std::min(at.value + whole_units(bytes), own_.commands.end());
  }
}

}  // namespace wddm::host
