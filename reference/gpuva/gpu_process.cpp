// See gpu_process.h for the rules.
#include "reference/gpuva/gpu_process.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::gpuva {
namespace {

/// Ids count from 0, so that a table of them stays small.
template <class Entry, class Id>
Entry& slot(std::vector<Entry>& entries, Id id) {
  HARNESS_ASSERT(id.value < 1u << 20);
  if (id.value >= entries.size()) entries.resize(id.value + 1);
  return entries[id.value];
}

}  // namespace

std::span<const ProcessDecision> Processes::step(const ProcessInput& input) {
  decisions_.clear();
  std::visit([this](const auto& what) { on(what); }, input);
  return decisions_;
}

// ---- Questions.

bool Processes::exists(ProcessId id) const {
  return id.value < processes_.size() && processes_[id.value].life == Life::Alive;
}
bool Processes::exists(DeviceId id) const {
  return id.value < devices_.size() && devices_[id.value].exists;
}
bool Processes::exists(ContextId id) const {
  return id.value < contexts_.size() && contexts_[id.value].exists;
}

/// Rule 1: the system process is the first, and the only one of its kind.
bool Processes::may_create(ProcessId id, bool system) const {
  const bool unused = id.value >= processes_.size() || processes_[id.value].life == Life::None;
  return in_d0_ && !creating_ && unused && system == !system_.has_value();
}

/// Rule 5.
bool Processes::may_destroy(ProcessId id) const {
  return exists(id) && std::ranges::none_of(devices_, [&](const Device& device) {
           return device.exists && device.process == id;
         });
}
bool Processes::may_destroy(DeviceId id) const {
  return exists(id) && std::ranges::none_of(contexts_, [&](const Context& context) {
           return context.exists && context.device == id;
         });
}
bool Processes::may_destroy(ContextId id) const {
  return exists(id) && contexts_[id.value].packets == 0;
}

bool Processes::may_set_root(ContextId id) const {
  if (!exists(id)) return false;
  const Context& context = contexts_[id.value];
  return context.asked && !context.root_set && context.packets == 0;
}

bool Processes::may_submit(ContextId id) const {
  if (!exists(id) || !in_d0_ || !tables_initialised_) return false;
  const Context& context = contexts_[id.value];
  return config_.iommu || !context.virtual_addressing || context.root_set;
}

ProcessId Processes::process_of(DeviceId id) const {
  HARNESS_ASSERT(exists(id));
  return devices_[id.value].process;
}
DeviceId Processes::device_of(ContextId id) const {
  HARNESS_ASSERT(exists(id));
  return contexts_[id.value].device;
}
NodeId Processes::node_of(ContextId id) const {
  HARNESS_ASSERT(exists(id));
  return contexts_[id.value].node;
}

std::optional<std::uint32_t> Processes::pasid(ProcessId id, std::uint32_t adapter) const {
  HARNESS_ASSERT(exists(id) && adapter < config_.physical_adapters);
  const Process& process = processes_[id.value];
  return config_.iommu ? std::optional(process.pasids[adapter]) : std::nullopt;
}

Processes::Process& Processes::process_at(ProcessId id) {
  HARNESS_ASSERT(exists(id));
  return processes_[id.value];
}

const Processes::Process& Processes::process_of(const Context& context) const {
  return processes_[devices_[context.device.value].process.value];
}

// ---- Processes.

void Processes::on(const BeginCreateProcess& input) {
  HARNESS_ASSERT(may_create(input.process, input.system));
  HARNESS_ASSERT(input.pasids.size() == (config_.iommu ? config_.physical_adapters : 0));
  for (std::size_t i = 0; i < input.pasids.size(); ++i) {
    for (const Process& other : processes_) {
      HARNESS_ASSERT(other.life == Life::None || other.pasids[i] != input.pasids[i]);
    }
  }
  Process& process = slot(processes_, input.process);
  process = {};
  process.life = Life::Creating;
  // A copy: the driver may not read the array after the call either (PROC-006).
  process.pasids.assign(input.pasids.begin(), input.pasids.end());
  creating_ = input.process;
  if (input.system) system_ = input.process;
}

void Processes::on(const EndCreateProcess& input) {
  HARNESS_ASSERT(creating_);
  const ProcessId id = *creating_;
  creating_.reset();
  Process& process = processes_[id.value];
  if (!input.succeeded) {
    process = {};
    if (system_ == id) system_.reset();
    return;
  }
  if (input.kmd_process.value == 0) {
    fault(ProcessFault::NullHandle);
  } else if (std::ranges::any_of(processes_, [&](const Process& other) {
               return other.life == Life::Alive && other.handle == input.kmd_process;
             })) {
    fault(ProcessFault::HandleInUse);
  }
  process.life = Life::Alive;
  process.handle = input.kmd_process;
  if (!config_.iommu) decide(CreateSpace{application_space(id), false});
}

void Processes::on(const DestroyProcess& input) {
  HARNESS_ASSERT(may_destroy(input.process));
  Process& process = process_at(input.process);
  if (process.privileged) decide(DestroySpace{privileged_space(input.process)});
  if (!config_.iommu) decide(DestroySpace{application_space(input.process)});
  process = {};
  if (system_ != input.process) return;
  system_.reset();
  tables_initialised_ = false;
}

/// PROC-002.
void Processes::on(const DriverReserves& input) {
  if (!creating_) return fault(ProcessFault::ReservedOutside);
  if (!input.known_process || input.process != *creating_) {
    return fault(ProcessFault::ReservedForAnother);
  }
  decide(AllowReservation{input.process});
}

// ---- Devices and contexts.

void Processes::on(const CreateDevice& input) {
  HARNESS_ASSERT(exists(input.process) && !exists(input.device));
  slot(devices_, input.device) = {.exists = true, .process = input.process};
}

void Processes::on(const DestroyDevice& input) {
  HARNESS_ASSERT(may_destroy(input.device));
  devices_[input.device.value] = {};
}

void Processes::on(const CreateContext& input) {
  HARNESS_ASSERT(exists(input.device) && !exists(input.context));
  HARNESS_ASSERT(input.node.value < config_.nodes);
  Context& context = slot(contexts_, input.context);
  context = {};
  context.exists = true;
  context.device = input.device;
  context.node = input.node;
  context.virtual_addressing = input.virtual_addressing;
  context.companion_node = input.companion_node;
  if (system_ == devices_[input.device.value].process && !tables_initialised_) {
    tables_initialised_ = true;
    decide(InitialisePagingTables{});
  }
  set_root_if_idle(input.context);
}

void Processes::on(const DestroyContext& input) {
  HARNESS_ASSERT(may_destroy(input.context));
  contexts_[input.context.value] = {};
}

/// Rule 3.
void Processes::use_privileged(ProcessId id) {
  Process& process = process_at(id);
  if (process.privileged) return;
  process.privileged = true;
  decide(CreateSpace{privileged_space(id), true});
}

void Processes::on(const UseReservations& input) {
  use_privileged(input.process);
}

void Processes::on(const UseCompanion& input) {
  HARNESS_ASSERT(exists(input.context));
  Context& context = contexts_[input.context.value];
  if (context.companion) return;
  if (context.companion_node >= config_.nodes) return fault(ProcessFault::NoSuchCompanionNode);
  const ProcessId process = process_of(context.device);
  use_privileged(process);
  context.companion = true;
  decide(CreateCompanion{input.context, {context.companion_node}, privileged_space(process)});
}

// ---- Roots and packets (rule 4).

void Processes::set_root_if_idle(ContextId id) {
  Context& context = contexts_[id.value];
  const bool wanted = context.exists && context.virtual_addressing && !context.asked;
  if (!wanted || context.packets != 0 || !process_of(context).root_ready) return;
  context.asked = true;
  decide(SetRoot{id, application_space(process_of(context.device))});
}

void Processes::on(const RootReady& input) {
  const ProcessId id{input.space.value / 2};
  Process& process = process_at(id);
  if (input.space == privileged_space(id)) {
    HARNESS_ASSERT(process.privileged);
    return;  // its companions are the host's
  }
  process.root_ready = true;
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
    if (!contexts_[i].exists || process_of(contexts_[i].device) != id) continue;
    contexts_[i].root_set = false;
    contexts_[i].asked = false;
    set_root_if_idle({i});
  }
}

void Processes::on(const RootSet& input) {
  HARNESS_ASSERT(may_set_root(input.context));
  contexts_[input.context.value].root_set = true;
}

void Processes::on(const SubmitPacket& input) {
  HARNESS_ASSERT(may_submit(input.context));
  ++contexts_[input.context.value].packets;
}

void Processes::on(const EndPacket& input) {
  HARNESS_ASSERT(exists(input.context) && contexts_[input.context.value].packets != 0);
  --contexts_[input.context.value].packets;
  set_root_if_idle(input.context);
}

// ---- Power (rule 1).

void Processes::on(const EnterD0&) {
  HARNESS_ASSERT(!in_d0_);
  in_d0_ = true;
  if (!system_) return decide(CreateSystemProcess{});
  tables_initialised_ = true;
  decide(InitialisePagingTables{});
}

void Processes::on(const LoseMemory&) {
  HARNESS_ASSERT(in_d0_ && !creating_);
  in_d0_ = false;
  tables_initialised_ = false;
  for (Process& process : processes_) process.root_ready = false;
  for (Context& context : contexts_) {
    HARNESS_ASSERT(context.packets == 0);
    context.root_set = false;
    context.asked = false;
  }
}

void Processes::validate() const {
  HARNESS_ASSERT(!creating_ || processes_[creating_->value].life == Life::Creating);
  HARNESS_ASSERT(!tables_initialised_ || (in_d0_ && system_));
  for (const Process& process : processes_) {
    const bool first = process.life == Life::None || system_.has_value();
    HARNESS_ASSERT(first);
    if (process.life == Life::None) HARNESS_ASSERT(!process.root_ready && !process.privileged);
  }
  for (const Device& device : devices_) HARNESS_ASSERT(!device.exists || exists(device.process));
  for (const Context& context : contexts_) {
    if (!context.exists) continue;
    HARNESS_ASSERT(exists(context.device));
    HARNESS_ASSERT(!context.root_set || (context.asked && process_of(context).root_ready));
    HARNESS_ASSERT(!context.companion || process_of(context).privileged);
  }
}

}  // namespace wddm::gpuva
