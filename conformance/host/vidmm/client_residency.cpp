#include "conformance/host/vidmm/client_residency.h"

#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/boundary/session.h"

namespace wddm::host {
namespace {

constexpr std::uint32_t kMakeResident = 0, kEvict = 1;
constexpr std::uint32_t kCantTrimFurther = 1, kMustSucceed = 2, kNotWrittenTo = 8;
constexpr std::uint32_t kMostAttempts = 64;

void tell(DeviceId device, std::uint32_t request, const gpuva::Answer& answer, std::uint32_t flags,
          std::span<const AllocationId> list) {
  std::vector<std::uint32_t> numbers;
  for (const AllocationId id : list) numbers.push_back(id.value);
  session().tap(ev::ResidencyAsked{.fence_value = answer.fence_value,
                                   .bytes_to_trim = answer.bytes_to_trim,
                                   .device = device.value,
                                   .request = request,
                                   .status = static_cast<std::uint32_t>(answer.status),
                                   .flags = flags,
                                   .count = static_cast<std::uint32_t>(numbers.size())},
                numbers.data(), numbers.size() * sizeof(std::uint32_t));
}

bool done(const gpuva::Answer& answer) {
  return answer.status == gpuva::ResidencyStatus::Ok ||
         answer.status == gpuva::ResidencyStatus::Pending;
}

}  // namespace

void ClientResidency::begin(std::uint64_t capacity_pages) {
  capacity_ = capacity_pages;
  oracle_.emplace(capacity_);
  clients_.clear();
  processes_.clear();
  devices_.clear();
  allocations_.clear();
}

const char* ClientResidency::ready(DeviceId device, std::span<const AllocationId> list) {
  if (!oracle_) return "the adapter does not run";
  for (const AllocationId id : list) {
    if (!objects_.allocation(id).live) return "no such allocation";
    if (objects_.allocation(id).device != device) return "the allocation is another device's";
  }
  const ProcessId process = objects_.device(device).process;
  if (processes_.insert(process).second) {
    static_cast<void>(oracle_->step(gpuva::AddProcess{process, capacity_}));
  }
  if (devices_.insert(device).second) {
    static_cast<void>(oracle_->step(gpuva::AddDevice{device, process}));
  }
  for (const AllocationId id : list) {
    if (!allocations_.try_emplace(id, device).second) continue;
    static_cast<void>(
        oracle_->step(gpuva::AddAllocation{id, objects_.allocation(id).pages, device}));
  }
  return nullptr;
}

std::uint64_t ClientResidency::next_fence(DeviceId device) const {
  if (!has_fence(device) || oracle_->in_error(device)) return 0;
  return oracle_->next_value(device);
}

void ClientResidency::tables_updated(DeviceId device, const ClientPaging& paging) {
  if (!has_fence(device)) return;
  static_cast<void>(carry_out(gpuva::QueueTableUpdate{device}, paging));
}

// What follows from an answer follows at once, until nothing of any device is on its way.
gpuva::Answer ClientResidency::carry_out(const gpuva::ResidencyInput& input,
                                         const ClientPaging& paging, const Told& told) {
  gpuva::Answer answer;
  std::optional<gpuva::ResidencyInput> next = input;
  while (next) {
    for (const gpuva::ResidencyDecision& decision : decisions().residency(*oracle_, *next)) {
      if (const auto* const said = std::get_if<gpuva::Answer>(&decision)) {
        answer = *said;
        if (told) told(answer);
      }
      if (const auto* const in = std::get_if<gpuva::PageIn>(&decision)) {
        static_cast<void>(paging.bring_in(in->allocation));
      }
      if (const auto* const out = std::get_if<gpuva::PageOut>(&decision)) {
        static_cast<void>(paging.take_out(out->allocation));
        tell_taken(out->allocation);
      }
      if (const auto* const signal = std::get_if<gpuva::SignalPagingFence>(&decision)) {
        const bool executed = decisions().commits(OracleFault::FenceAheadOfWork) || paging.finish();
        if (!executed) continue;
        session().tap(
            ev::PagingFenceSignalled{.value = signal->value, .device = signal->queue.value});
      }
    }
    next.reset();
    for (const DeviceId device : devices_) {
      if (!next && oracle_->in_flight(device)) next = gpuva::PagingDone{device};
    }
  }
  return answer;
}

gpuva::Answer ClientResidency::ask(DeviceId device, std::span<const AllocationId> list,
                                   bool final_attempt, const ClientPaging& paging) {
  Client& client = clients_[device];
  const gpuva::MakeResident request{.device = device,
                                    .allocations = list,
                                    .cant_trim_further = final_attempt,
                                    .must_succeed = final_attempt};
  const std::uint32_t flags = final_attempt ? kCantTrimFurther | kMustSucceed : 0;
  const gpuva::Answer answer = carry_out(request, paging, [&](const gpuva::Answer& said) {
    tell(device, kMakeResident, said, flags, list);
    if (!done(said)) return;
    for (const AllocationId id : list) {
      if (said.fence_value != 0) client.on_their_way[id] = said.fence_value;
      if (!std::count(client.required.begin(), client.required.end(), id)) {
        client.written.erase(id);
        client.last_use.erase(id);
      }
      client.required.push_back(id);
    }
  });
  tell_counts(device, list);
  return answer;
}

gpuva::Answer ClientResidency::evict(DeviceId device, std::span<const AllocationId> list,
                                     const ClientPaging& paging) {
  Client& client = clients_[device];
  const bool written = std::any_of(list.begin(), list.end(),
                                   [&](AllocationId id) { return client.written.contains(id); });
  const bool claims = !written || decisions().claims_not_written();
  const gpuva::Evict request{
      .device = device, .allocations = list, .only_if_necessary = false, .not_written_to = claims};
  const gpuva::Answer answer = carry_out(request, paging, [&](const gpuva::Answer& said) {
    tell(device, kEvict, said, claims ? kNotWrittenTo : 0, list);
    if (!done(said)) return;
    for (const AllocationId id : list) {
      const auto found = std::find(client.required.begin(), client.required.end(), id);
      if (found != client.required.end()) client.required.erase(found);
      if (std::count(client.required.begin(), client.required.end(), id) == 0) {
        client.on_their_way.erase(id);
      }
    }
  });
  tell_counts(device, list);
  return answer;
}

bool ClientResidency::trim(DeviceId device, std::span<const AllocationId> keep, std::uint64_t bytes,
                           const ClientPaging& paging) {
  std::vector<AllocationId> chosen;
  std::uint64_t found = 0;
  for (const AllocationId id : clients_[device].required) {
    if (found >= bytes) break;
    if (std::find(keep.begin(), keep.end(), id) != keep.end()) continue;
    chosen.push_back(id);
    found += objects_.allocation(id).bytes;
  }
  if (chosen.empty()) return false;
  return done(evict(device, chosen, paging));
}

const char* ClientResidency::require(DeviceId device, std::span<const AllocationId> list,
                                     const ClientPaging& paging) {
  if (const char* const why = ready(device, list)) return why;
  if (decisions().must_succeed_at_once()) {
    return done(ask(device, list, true, paging)) ? nullptr : "there is no memory for it";
  }
  for (std::uint32_t attempt = 0; attempt < kMostAttempts; ++attempt) {
    const gpuva::Answer answer = ask(device, list, false, paging);
    if (done(answer)) return nullptr;
    if (answer.status != gpuva::ResidencyStatus::OutOfMemory) return "the request was refused";
    if (!trim(device, list, answer.bytes_to_trim, paging)) break;
  }
  return done(ask(device, list, true, paging)) ? nullptr : "there is no memory for it";
}

const char* ClientResidency::release(DeviceId device, std::span<const AllocationId> list,
                                     const ClientPaging& paging) {
  if (const char* const why = ready(device, list)) return why;
  return done(evict(device, list, paging)) ? nullptr : "they were not made resident";
}

const char* ClientResidency::trim_set(DeviceId device, std::uint32_t flags, std::uint64_t bytes,
                                      const ClientPaging& paging) {
  if (const char* const why = ready(device, {})) return why;
  const auto tell_trim = [&](std::uint32_t stage) {
    session().tap(
        ev::TrimAsked{.bytes = bytes, .device = device.value, .flags = flags, .stage = stage});
  };
  tell_trim(0);
  // What is required more than once leaves with the last of its evictions.
  std::vector<AllocationId> list;
  for (const AllocationId id : to_trim(device, flags, bytes)) {
    list.insert(list.end(), oracle_->count(device, id), id);
  }
  for (const AllocationId id : list) static_cast<void>(evict(device, {&id, 1}, paging));
  tell_trim(1);
  const bool moves_fence = (flags & (WDDM_TRIM_PERIODIC | WDDM_TRIM_RESTART_PERIODIC)) != 0;
  if (moves_fence) clients_[device].periodic_fence = clients_[device].buffers;
  return nullptr;
}

std::vector<AllocationId> ClientResidency::to_trim(DeviceId device, std::uint32_t flags,
                                                   std::uint64_t bytes) {
  const Client& client = clients_[device];
  std::vector<AllocationId> required;
  for (const AllocationId id : client.required) {
    if (!std::count(required.begin(), required.end(), id)) required.push_back(id);
  }
  const WddmClient* const plug_in = objects_.client();
  if (plug_in == nullptr || plug_in->trim == nullptr) {
    return own_choice(client, required, flags, bytes);
  }
  std::vector<WddmRequiredAllocation> told;
  for (const AllocationId id : required) {
    const auto use = client.last_use.find(id);
    told.push_back({.bytes = objects_.allocation(id).bytes,
                    .last_fence = use == client.last_use.end() ? 0 : use->second});
  }
  const WddmTrimRequest request{.size = sizeof(request),
                                .flags = flags,
                                .bytes = bytes,
                                .completed_fence = client.buffers,
                                .device = device.value,
                                .allocation_count = static_cast<std::uint32_t>(told.size()),
                                .allocation_stride = sizeof(WddmRequiredAllocation),
                                .reserved = 0,
                                .allocations = told.data()};
  std::vector<std::uint32_t> evicted(told.size() + 1, 0);
  if (plug_in->trim(objects_.client_instance(), &request, evicted.data()) != 0) {
    return own_choice(client, required, flags, bytes);
  }
  std::vector<AllocationId> chosen;
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (evicted[i] != 0) chosen.push_back(required[i]);
  }
  return chosen;
}

// What was never used has no last use to go by: a budget may take it, a period does not.
std::vector<AllocationId> ClientResidency::own_choice(const Client& client,
                                                      std::span<const AllocationId> required,
                                                      std::uint32_t flags,
                                                      std::uint64_t bytes) const {
  std::vector<AllocationId> chosen;
  std::uint64_t found = 0;
  for (const AllocationId id : required) {
    const auto use = client.last_use.find(id);
    const bool unused = use != client.last_use.end() && use->second <= client.periodic_fence;
    const bool periodic =
        (flags & WDDM_TRIM_PERIODIC) != 0 && (unused || decisions().trims_what_is_in_use());
    const bool to_budget = (flags & WDDM_TRIM_TO_BUDGET) != 0 && found < bytes;
    if (!periodic && !to_budget) continue;
    chosen.push_back(id);
    found += objects_.allocation(id).bytes;
  }
  return chosen;
}

const char* ClientResidency::set_budget(ProcessId process, std::uint64_t pages,
                                        const ClientPaging& paging) {
  if (!oracle_) return "the adapter does not run";
  if (processes_.insert(process).second) {
    static_cast<void>(oracle_->step(gpuva::AddProcess{process, capacity_}));
  }
  static_cast<void>(carry_out(gpuva::SetBudget{process, std::min(pages, capacity_)}, paging));
  return nullptr;
}

void ClientResidency::forget(AllocationId allocation, const ClientPaging& paging) {
  const auto found = allocations_.find(allocation);
  if (!oracle_ || found == allocations_.end()) return;
  Client& client = clients_[found->second];
  std::erase(client.required, allocation);
  client.on_their_way.erase(allocation);
  client.written.erase(allocation);
  client.last_use.erase(allocation);
  allocations_.erase(found);
  static_cast<void>(carry_out(gpuva::RemoveAllocation{allocation}, paging));
}

void ClientResidency::make_ready(DeviceId device, const ClientPaging& paging) {
  if (!has_fence(device)) return;
  std::vector<AllocationId> missing;
  for (const auto& [id, owner] : allocations_) {
    const bool needed = oracle_->needs(device, id);
    if (needed && oracle_->presence(id) != gpuva::Presence::In) missing.push_back(id);
  }
  if (missing.empty()) return run_at_once(device, paging);
  if (decisions().commits(OracleFault::RunWhileSuspended)) return;
  static_cast<void>(carry_out(gpuva::SubmitBuffer{device, {}}, paging));
  static_cast<void>(carry_out(gpuva::WantToRun{device}, paging));
  run_at_once(device, paging);
  tell_counts(device, missing);
}

// What takes memory waits for all work before it: the oracle need not know how long this one runs.
void ClientResidency::run_at_once(DeviceId device, const ClientPaging& paging) {
  if (!oracle_->may_run(device)) return;
  static_cast<void>(carry_out(gpuva::BeginRun{device}, paging));
  static_cast<void>(carry_out(gpuva::EndRun{device}, paging));
}

void ClientResidency::restore(const ClientPaging& paging) const {
  for (const auto& [allocation, device] : allocations_) {
    if (oracle_->presence(allocation) == gpuva::Presence::In) {
      static_cast<void>(paging.bring_in(allocation));
    }
  }
}

void ClientResidency::forget(DeviceId device) {
  clients_.erase(device);
  if (devices_.erase(device) != 0) static_cast<void>(oracle_->step(gpuva::RemoveDevice{device}));
}

void ClientResidency::tell_counts(DeviceId device, std::span<const AllocationId> list) const {
  for (const AllocationId id : list) {
    session().tap(ev::ResidencyCounted{.device = device.value,
                                       .allocation = id.value,
                                       .count = oracle_->count(device, id),
                                       .resident = oracle_->presence(id) == gpuva::Presence::In});
  }
}

void ClientResidency::tell_taken(AllocationId allocation) const {
  for (const DeviceId device : devices_) {
    if (oracle_->count(device, allocation) != 0) tell_counts(device, {&allocation, 1});
  }
}

// The host's own word of what has run is nobody's to require.
std::optional<AllocationId> ClientResidency::not_required(
    ContextId context, std::span<const AllocationId> listed) const {
  const DeviceId device = objects_.context(context).device;
  for (const AllocationId id : listed) {
    if (id == kNoAllocation || id == kMarkerAllocation) continue;
    const bool known = oracle_ && devices_.contains(device) && allocations_.contains(id);
    if (!known || oracle_->count(device, id) == 0) return id;
  }
  return std::nullopt;
}

// A client waits for the newest value of what it uses, once for each context. What it evicted it
// does not use: its commands are none of a buffer that is submitted.
bool ClientResidency::before_submission(ContextId context, std::span<const Use> uses) {
  // One that asks for nothing is no client of this kind.
  if (!asks(context)) return true;
  const DeviceId device = objects_.context(context).device;
  Client& client = clients_[device];
  std::uint64_t value = 0;
  for (const Use& use : uses) {
    const auto at = std::find(client.required.begin(), client.required.end(), use.allocation);
    if (at == client.required.end() && !decisions().uses_what_was_evicted()) return false;
    if (const auto way = client.on_their_way.find(use.allocation);
        way != client.on_their_way.end()) {
      value = std::max(value, way->second);
    }
  }
  ++client.buffers;
  for (const Use& use : uses) client.last_use[use.allocation] = client.buffers;
  std::uint64_t& waited = client.waited[context];
  if (value > waited && !decisions().waits_for_nothing()) {
    waited = value;
    session().tap(
        ev::PagingFenceWaited{.value = value, .device = device.value, .context = context.value});
  }
  for (const Use& use : uses) {
    if (use.write) client.written.insert(use.allocation);
    const auto at = std::find(client.required.begin(), client.required.end(), use.allocation);
    if (at != client.required.end()) std::rotate(at, at + 1, client.required.end());
  }
  return true;
}

}  // namespace wddm::host
