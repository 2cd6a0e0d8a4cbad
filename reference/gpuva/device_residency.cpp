// See device_residency.h for the rules. Requests and events; what they set in motion is in
// residency_memory.cpp.
#include "reference/gpuva/device_residency.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpuva {

std::span<const ResidencyDecision> Residency::step(const ResidencyInput& input) {
  decisions_.clear();
  ++now_;
  std::visit([this](const auto& what) { on(what); }, input);
  settle();
  return decisions_;
}

Residency::Device& Residency::device(DeviceId id) {
  HARNESS_ASSERT(id.value < devices_.size() && devices_[id.value].exists);
  return devices_[id.value];
}

const Residency::Device& Residency::device(DeviceId id) const {
  HARNESS_ASSERT(id.value < devices_.size() && devices_[id.value].exists);
  return devices_[id.value];
}

Residency::Use* Residency::find_use(DeviceId device, AllocationId id) {
  if (id.value >= allocations_.size()) return nullptr;
  const auto use = std::ranges::find(allocation(id).uses, device, &Use::device);
  return use == allocation(id).uses.end() ? nullptr : &*use;
}

/// Answers if the request cannot be for this device.
bool Residency::refused(DeviceId id, std::span<const AllocationId> list) {
  if (device(id).error) {
    answer(ResidencyStatus::DeviceRemoved);
    return true;
  }
  for (const AllocationId listed : list) {
    if (find_use(id, listed) != nullptr) continue;
    answer(ResidencyStatus::InvalidParameter);
    return true;
  }
  return false;
}

void Residency::answer(ResidencyStatus status, std::uint64_t fence_value,
                       std::uint64_t bytes_to_trim) {
  decisions_.emplace_back(Answer{status, fence_value, bytes_to_trim});
}

// ---- Questions.

std::uint32_t Residency::count(DeviceId device, AllocationId id) const {
  if (id.value >= allocations_.size()) return 0;
  for (const Use& use : allocation(id).uses) {
    if (use.device == device) return use.count;
  }
  return 0;
}

Presence Residency::presence(AllocationId id) const {
  return id.value < allocations_.size() ? allocation(id).presence : Presence::Out;
}

bool Residency::needs(DeviceId device, AllocationId id) const {
  if (id.value >= allocations_.size()) return false;
  return std::ranges::any_of(allocation(id).uses, [&](const Use& use) {
    return use.device == device && needs(use, allocation(id));
  });
}

bool Residency::may_run(DeviceId id) const {
  const Device& of = device(id);
  if (of.error || of.suspended || of.begun == of.submitted) return false;
  return std::ranges::all_of(allocations_, [&](const Allocation& each) {
    return each.presence == Presence::In || std::ranges::none_of(each.uses, [&](const Use& use) {
             return use.device == id && needs(use, each);
           });
  });
}

std::uint64_t Residency::required_pages(ProcessId process) const {
  return processes_[process.value].required_pages;
}

// ---- Counts (rule 1) and need (rule 2).

bool Residency::required_by(ProcessId process, const Allocation& of) const {
  return std::ranges::any_of(of.uses, [&](const Use& use) {
    return use.count != 0 && device(use.device).process == process;
  });
}

bool Residency::required(const Allocation& of) {
  return std::ranges::any_of(of.uses, [](const Use& use) { return use.count != 0; });
}

bool Residency::needs(const Use& use, const Allocation& of) const {
  const Device& by = device(use.device);
  return (use.count != 0 && !of.offered && !by.error) || by.ended < use.until;
}

bool Residency::needed(const Allocation& of) const {
  return std::ranges::any_of(of.uses, [&](const Use& use) { return needs(use, of); });
}

void Residency::raise(DeviceId by, AllocationId id) {
  Allocation& raised = allocation(id);
  Use& use = *find_use(by, id);
  if (!required(raised)) raised.not_written = false;
  raised.leaving = false;
  Device& device = this->device(by);
  if (!required_by(device.process, raised)) {
    processes_[device.process.value].required_pages += raised.pages;
  }
  if (use.count == 0) device.required_pages += raised.pages;
  ++use.count;
}

void Residency::lower(DeviceId by, AllocationId id) {
  Allocation& lowered = allocation(id);
  Use& use = *find_use(by, id);
  HARNESS_ASSERT(use.count != 0);
  if (--use.count != 0) return;
  Device& device = this->device(by);
  use.until = device.begun;
  device.required_pages -= lowered.pages;
  if (!required_by(device.process, lowered)) {
    processes_[device.process.value].required_pages -= lowered.pages;
  }
  if (required(lowered)) return;
  if (!lowered.not_written) lowered.dirty = true;
  lowered.last_needed = now_;
}

std::uint64_t Residency::over_budget(ProcessId process) const {
  const Process& of = processes_[process.value];
  return of.required_pages - std::min(of.required_pages, of.budget_pages);
}

/// Rule 7: the first device from `first` on that has something to give.
void Residency::ask_to_trim(ProcessId process, std::uint32_t first) {
  const std::uint64_t over = over_budget(process);
  if (over == 0) return;
  for (std::uint32_t i = first; i < devices_.size(); ++i) {
    const Device& asked = devices_[i];
    if (!asked.exists || asked.error || asked.process != process) continue;
    if (asked.required_pages == 0) continue;
    decisions_.emplace_back(TrimToBudget{{i}, over * kPageSize});
    return;
  }
}

// ---- Requests of clients.

void Residency::on(const MakeResident& input) {
  if (refused(input.device, input.allocations)) return;
  if (input.must_succeed && !input.cant_trim_further) {
    return answer(ResidencyStatus::InvalidParameter);
  }
  // What it would come to, by counting alone, so that a failure leaves no trace (RES-005).
  const Device& of = device(input.device);
  std::uint64_t more_for_device = 0;
  std::uint64_t more_for_process = 0;
  for (const AllocationId id : input.allocations) {
    const Allocation& listed = allocation(id);
    if (!required_by(of.process, listed)) more_for_process += listed.pages;
    if (find_use(input.device, id)->count++ == 0) more_for_device += listed.pages;
  }
  for (const AllocationId id : input.allocations) --find_use(input.device, id)->count;

  const Process& process = processes_[of.process.value];
  const std::uint64_t for_device = of.required_pages + more_for_device;
  const std::uint64_t for_process = process.required_pages + more_for_process;
  std::uint64_t over = for_device - std::min(for_device, capacity_);
  if (!input.cant_trim_further && more_for_process != 0) {
    over = std::max(over, for_process - std::min(for_process, process.budget_pages));
  }
  if (over != 0) {
    answer(ResidencyStatus::OutOfMemory, 0, over * kPageSize);
    if (input.must_succeed) fail(input.device);
    return;
  }
  bool all_in = true;
  for (const AllocationId id : input.allocations) {
    raise(input.device, id);
    all_in = all_in && (allocation(id).presence == Presence::In || allocation(id).offered);
  }
  if (all_in) return answer(ResidencyStatus::Ok);
  answer(ResidencyStatus::Pending, queue(input.device, input.allocations, false));
}

void Residency::on(const Evict& input) {
  if (refused(input.device, input.allocations)) return;
  std::size_t taken = 0;
  for (; taken < input.allocations.size(); ++taken) {
    Use& use = *find_use(input.device, input.allocations[taken]);
    if (use.count == 0) break;
    --use.count;
  }
  for (std::size_t i = 0; i < taken; ++i) ++find_use(input.device, input.allocations[i])->count;
  if (taken != input.allocations.size()) return answer(ResidencyStatus::InvalidParameter);
  for (const AllocationId id : input.allocations) {
    Allocation& evicted = allocation(id);
    if (input.not_written_to) evicted.not_written = true;
    lower(input.device, id);
    if (required(evicted)) continue;
    evicted.leaving = !input.only_if_necessary;
    if (evicted.leaving) leaving_.push_back(id);
  }
  answer(ResidencyStatus::Ok, 0, over_budget(device(input.device).process) * kPageSize);
}

/// Sets `offered` of all, if none of them has it already; a list may name each once.
bool Residency::set_offered(std::span<const AllocationId> list, bool offered) {
  std::size_t set = 0;
  for (; set < list.size() && allocation(list[set]).offered != offered; ++set) {
    allocation(list[set]).offered = offered;
  }
  if (set == list.size()) return true;
  for (std::size_t i = 0; i < set; ++i) allocation(list[i]).offered = !offered;
  answer(ResidencyStatus::InvalidParameter);
  return false;
}

void Residency::on(const Offer& input) {
  if (refused(input.device, input.allocations) || !set_offered(input.allocations, true)) return;
  for (const AllocationId id : input.allocations) {
    for (Use& use : allocation(id).uses) {
      if (use.count != 0) use.until = device(use.device).submitted;
    }
  }
  answer(ResidencyStatus::Ok);
}

void Residency::on(const Reclaim& input) {
  if (refused(input.device, input.allocations) || !set_offered(input.allocations, false)) return;
  list_.clear();
  for (const AllocationId id : input.allocations) {
    const bool in = allocation(id).presence == Presence::In;
    if (!in && find_use(input.device, id)->count != 0) list_.push_back(id);
  }
  answer(ResidencyStatus::Ok, list_.empty() ? 0 : queue(input.device, list_, false));
  for (std::size_t i = 0; i < input.allocations.size(); ++i) {
    Allocation& reclaimed = allocation(input.allocations[i]);
    if (reclaimed.lost) decisions_.emplace_back(Discarded{i});
    reclaimed.lost = false;
  }
}

void Residency::on(const QueueTableUpdate& input) {
  if (refused(input.device, {})) return;
  answer(ResidencyStatus::Pending, queue(input.device, {}, true));
}

/// RES-001: what counts is the requirement list, not what happens to be resident.
void Residency::on(const SubmitBuffer& input) {
  Device& by = device(input.device);
  if (by.error) {
    decisions_.emplace_back(RejectBuffer{input.allocations.size()});
    return;
  }
  for (std::size_t i = 0; i < input.allocations.size(); ++i) {
    const AllocationId id = input.allocations[i];
    if (count(input.device, id) != 0 && !allocation(id).offered) continue;
    decisions_.emplace_back(RejectBuffer{i});
    return fail(input.device);
  }
  ++by.submitted;
}

// ---- Events of the host.

void Residency::on(const AddProcess& input) {
  const std::size_t at = input.process.value;
  if (at >= processes_.size()) processes_.resize(at + 1);
  HARNESS_ASSERT(!processes_[at].exists);
  processes_[at] = {.exists = true, .budget_pages = input.budget_pages};
}

void Residency::on(const AddDevice& input) {
  HARNESS_ASSERT(input.process.value < processes_.size());
  const std::size_t at = input.device.value;
  if (at >= devices_.size()) devices_.resize(at + 1);
  HARNESS_ASSERT(!devices_[at].exists);
  devices_[at] = {};
  devices_[at].exists = true;
  devices_[at].process = input.process;
}

void Residency::on(const RemoveDevice& input) {
  Device& removed = device(input.device);
  HARNESS_ASSERT(!removed.runs() && !removed.in_flight);
  for (std::uint32_t i = 0; i < allocations_.size(); ++i) {
    while (count(input.device, {i}) != 0) lower(input.device, {i});
    std::erase_if(allocations_[i].uses, [&](const Use& use) { return use.device == input.device; });
  }
  std::erase(wanting_, input.device);
  removed = {};
}

void Residency::on(const AddAllocation& input) {
  const std::size_t at = input.allocation.value;
  HARNESS_ASSERT(input.pages >= 1 && device(input.device).exists);
  if (at >= allocations_.size()) allocations_.resize(at + 1);
  HARNESS_ASSERT(!allocations_[at].exists);
  allocations_[at] = {};
  allocations_[at].exists = true;
  allocations_[at].pages = input.pages;
  allocations_[at].uses.push_back({.device = input.device});
}

void Residency::on(const ShareAllocation& input) {
  HARNESS_ASSERT(input.allocation.value < allocations_.size() && device(input.device).exists);
  HARNESS_ASSERT(find_use(input.device, input.allocation) == nullptr);
  allocation(input.allocation).uses.push_back({.device = input.device});
}

void Residency::on(const RemoveAllocation& input) {
  HARNESS_ASSERT(input.allocation.value < allocations_.size());
  Allocation& removed = allocation(input.allocation);
  HARNESS_ASSERT(removed.exists && removed.presence != Presence::ComingIn);
  for (const Use& use : removed.uses) {
    while (use.count != 0) lower(use.device, input.allocation);
  }
  if (removed.presence == Presence::In) used_ -= removed.pages;
  removed = {};
}

void Residency::on(const SetBudget& input) {
  HARNESS_ASSERT(input.process.value < processes_.size());
  processes_[input.process.value].budget_pages = input.budget_pages;
  ask_to_trim(input.process, 0);
}

void Residency::on(const TrimReturned& input) {
  ask_to_trim(device(input.device).process, input.device.value + 1);
}

void Residency::on(const FailDevice& input) {
  if (!device(input.device).error) fail(input.device);
}

/// What is queued is cancelled; what runs still needs its memory.
void Residency::fail(DeviceId id) {
  Device& failed = device(id);
  failed.error = true;
  failed.ready = false;
  failed.submitted = failed.begun;
  std::erase(wanting_, id);
  for (Allocation& each : allocations_) {
    for (Use& use : each.uses) {
      if (use.device != id) continue;
      const bool used = use.count != 0 && each.presence == Presence::In;
      use.until = used ? failed.begun : std::min(use.until, failed.begun);
    }
  }
  decisions_.emplace_back(DeviceError{id});
}

void Residency::on(const WantToRun& input) {
  const Device& by = device(input.device);
  HARNESS_ASSERT(by.error || by.begun != by.submitted);
  if (by.error || by.ready || std::ranges::find(wanting_, input.device) != wanting_.end()) return;
  wanting_.push_back(input.device);
}

void Residency::on(const BeginRun& input) {
  HARNESS_ASSERT(may_run(input.device));
  Device& by = device(input.device);
  by.ready = false;
  ++by.begun;
}

void Residency::on(const EndRun& input) {
  Device& by = device(input.device);
  HARNESS_ASSERT(by.runs());
  ++by.ended;
  by.last_run = now_;
}

void Residency::on(const PagingDone& input) {
  Device& by = device(input.device);
  HARNESS_ASSERT(by.in_flight);
  for (const AllocationId id : by.coming) allocation(id).presence = Presence::In;
  by.coming.clear();
  by.in_flight = false;
  if (by.value_in_flight == 0) return;
  by.signalled = by.value_in_flight;
  decisions_.emplace_back(SignalPagingFence{input.device, by.signalled});
}

}  // namespace wddm::gpuva
