#include "conformance/host/vidsch/fault_recovery.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {
namespace {

FaultHandle handle_in_trace(const gpuva::PageFaultReport& told) {
  switch (told.handle) {
    case gpuva::HandleKind::Null:
      return FaultHandle::Null;
    case gpuva::HandleKind::Ours:
      return told.packet_process == told.process ? FaultHandle::OfPacket : FaultHandle::OfOther;
    case gpuva::HandleKind::Other:
      return FaultHandle::Unknown;
  }
  return FaultHandle::Unknown;
}

// All ones stay all ones, and no other number becomes that.
std::uint32_t narrow(std::uint64_t number) {
  if (number == DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN) return kNone;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kNone - 1));
}

}  // namespace

void FaultRecovery::begin() {
  in_error_.clear();
  failed_.clear();
  engines_.clear();
  adapter_due_ = false;
  faults_.reset();
  if (!adapter_.has_virtual_addresses() || !adapter_.gpummu()) return;
  gpuva::FaultConfig config;
  config.nodes = adapter_.nodes();
  config.physical_adapters = adapter_.physical_adapters();
  config.iommu = adapter_.io_mmu_alone();
  config.both_mmus = adapter_.has_io_mmu() && !config.iommu;
  config.page_table_levels = adapter_.gpummu()->caps.page_table_level_count;
  faults_.emplace(config);
}

// -- what is said of a fault

ProcessId FaultRecovery::process_of(const Packet& packet) const {
  const ContextId context = packet.is_paging() ? packet.companion() : packet.context();
  if (context == kNoContext) return kSystemProcess;
  return objects_.device(objects_.context(context).device).process;
}

std::optional<DeviceId> FaultRecovery::only_device(EngineId engine, ProcessId process) const {
  std::optional<DeviceId> found;
  for (const ContextId id : kAllContexts) {
    const ContextObject& context = objects_.context(id);
    if (!context.live || context.engine != engine) continue;
    if (objects_.device(context.device).process != process) continue;
    if (found) return std::nullopt;
    found = context.device;
  }
  return found;
}

gpuva::PageFaultReport FaultRecovery::read(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data,
                                           const Packet* packet) const {
  const auto& said = data.DmaPageFaulted;
  gpuva::PageFaultReport told;
  told.engine = {.node = NodeId{said.NodeOrdinal}, .physical_adapter = said.EngineOrdinal};
  told.fence = FenceId{said.FaultedFenceId};
  told.fence_outstanding = packet != nullptr;
  told.flags = number_in(said.PageFaultFlags);
  told.address = gpuva::GpuVirtualAddress{said.FaultedVirtualAddress};
  told.level = said.PageTableLevel;
  told.device_specific_code = said.FaultErrorCode.IsDeviceSpecificCode != 0;
  told.code = said.FaultErrorCode.DeviceSpecificCode;
  if (packet != nullptr) {
    told.packet_process = process_of(*packet);
    if (!packet->is_paging()) told.device = objects_.context(packet->context()).device;
    told.system_device = packet->is_paging();
  }
  if (said.FaultedProcessHandle != nullptr) {
    const auto process = processes_.named_by(said.FaultedProcessHandle);
    told.handle = process ? gpuva::HandleKind::Ours : gpuva::HandleKind::Other;
    if (process) told.process = *process;
    const bool unknown = (told.flags & gpuva::kFaultFenceInvalid) != 0;
    if (process && unknown) told.device = only_device(told.engine, *process);
    if (told.device == kSystemDevice) told.system_device = true;
  }
  session().tap(ev::PageFaultReported{.address = told.address.value,
                                      .node = said.NodeOrdinal,
                                      .engine = said.EngineOrdinal,
                                      .fence = said.FaultedFenceId,
                                      .flags = told.flags,
                                      .level = told.level,
                                      .handle = static_cast<std::uint32_t>(handle_in_trace(told)),
                                      .device_specific = told.device_specific_code,
                                      .code = told.code,
                                      .pipeline = number_in(said.FaultedPipelineStage),
                                      .bind_entry = said.FaultedBindTableEntry,
                                      .primitive = narrow(said.FaultedPrimitiveAPISequenceNumber),
                                      .packet = packet != nullptr ? packet->ordinal.value : kNone});
  return told;
}

void note_page_fault(const WddmDeviceEvent& record, std::uint32_t physical_adapter) {
  const EngineId engine{.node = NodeId{record.node}, .physical_adapter = physical_adapter};
  const VidSchWorker* const vidsch = current_vidsch();
  const Packet* const packet =
      vidsch != nullptr ? vidsch->outstanding(engine, FenceId{record.tag}) : nullptr;
  session().tap(ev::AccessFaulted{.address = record.address,
                                  .node = record.node,
                                  .fence = record.tag,
                                  .level = record.level,
                                  .write = record.write,
                                  .engine = engine.physical_adapter,
                                  .packet = packet != nullptr ? packet->ordinal.value : kNone});
}

// -- what follows

bool FaultRecovery::reported(const gpuva::PageFaultReport& report) {
  if (!faults_) return false;
  const std::span<const gpuva::FaultDecision> decisions = faults_->step(report);
  carry_out(decisions);
  return std::none_of(decisions.begin(), decisions.end(), [](const gpuva::FaultDecision& decision) {
    return std::holds_alternative<gpuva::FaultRejected>(decision);
  });
}

void FaultRecovery::engine_was_reset(EngineId engine, bool succeeded) {
  carry_out(faults_->step(gpuva::EngineResetDone{engine, succeeded}));
}

void FaultRecovery::carry_out(std::span<const gpuva::FaultDecision> decisions) {
  for (const gpuva::FaultDecision& decision : decisions) {
    std::visit([this](const auto& decided) { carry_out(decided); }, decision);
  }
}

void FaultRecovery::carry_out(const gpuva::PutInError& decided) {
  put_in_error(decided.device, ErrorCause::PageFault);
  if (!decisions().commits(OracleFault::AllInError)) return;
  for (const DeviceId id : kAllDevices) {
    if (id != kSystemDevice && objects_.device(id).live) put_in_error(id, ErrorCause::PageFault);
  }
}

void FaultRecovery::carry_out(const gpuva::PutAllInError&) {
  for (const DeviceId id : kAllDevices) {
    if (id != kSystemDevice && objects_.device(id).live) {
      put_in_error(id, ErrorCause::AdapterReset);
    }
  }
}

void FaultRecovery::put_in_error(DeviceId device, ErrorCause cause) {
  if (!in_error_.insert(device).second) return;
  failed_.push_back(device);
  session().tap(ev::DeviceInError{.device = device.value,
                                  .process = objects_.device(device).process.value,
                                  .cause = static_cast<std::uint32_t>(cause)});
}

std::vector<DeviceId> FaultRecovery::take_failed() {
  return std::exchange(failed_, {});
}

std::optional<EngineId> FaultRecovery::take_engine() {
  if (engines_.empty()) return std::nullopt;
  const EngineId engine = engines_.front();
  engines_.erase(engines_.begin());
  return engine;
}

}  // namespace wddm::host
