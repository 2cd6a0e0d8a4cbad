// Page faults: what the driver says of one is read here, the oracle decides what follows, and this
// remembers what is due until the VidSch worker has done it.
//
// Sources: DXGKARGCB_NOTIFY_INTERRUPT_DATA (DmaPageFaulted), DxgkDdiResetEngine, "Access to
// non-resident allocation". An engine is reset at PASSIVE_LEVEL by the worker, and takes no packets
// until then. An adapter that is to be reset is reset by who plays the scenario, which begins anew
// with it. Left out: hardware queues, and engines that a reset takes along.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/vidsch/queued_packet.h"
#include "reference/gpuva/fault_outcome.h"

namespace wddm::host {

/// Why a device is in error; in traces.
enum class ErrorCause : std::uint32_t { PageFault, AdapterReset, Refusal, NotRequired, Timeout };

class FaultRecovery {
 public:
  FaultRecovery(const Adapter& adapter, const Objects& objects, const Processes& processes)
      : adapter_(adapter), objects_(objects), processes_(processes) {}

  /// The adapter runs: no device is in error, nothing is due.
  void begin();

  /// Records what DmaPageFaulted says, and gives what the oracle is to be told. `packet`: the
  /// outstanding one that it names, null if there is none. At device IRQL.
  [[nodiscard]] gpuva::PageFaultReport read(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data,
                                            const Packet* packet) const;

  // Each tells the oracle, and does what it says but for what the questions below ask for. False:
  // the report is not one that a driver may make, and changes nothing.
  [[nodiscard]] bool reported(const gpuva::PageFaultReport& report);
  void engine_was_reset(EngineId engine, bool succeeded);
  /// A reset of the engine aborted a packet of it.
  void aborted(DeviceId device, ErrorCause cause) { put_in_error(device, cause); }
  /// The adapter is reset for another reason.
  void all_failed() { carry_out(gpuva::PutAllInError{}); }
  /// The driver refused a packet of it as malformed.
  void refused(DeviceId device) { put_in_error(device, ErrorCause::Refusal); }
  /// A buffer of it lists what it does not require.
  void not_required(DeviceId device) { put_in_error(device, ErrorCause::NotRequired); }
  /// Gives the devices that came into error since the last call.
  [[nodiscard]] std::vector<DeviceId> take_failed();

  [[nodiscard]] bool takes_packets(EngineId engine) const {
    return !faults_ || faults_->takes_packets(engine);
  }
  [[nodiscard]] bool in_error(DeviceId device) const { return in_error_.contains(device); }
  /// It is destroyed: the next of its slot is another.
  void forget(DeviceId device) { in_error_.erase(device); }
  /// An engine that is to be reset; it no longer is once this has named it.
  [[nodiscard]] std::optional<EngineId> take_engine();
  [[nodiscard]] bool engine_due() const { return !engines_.empty(); }
  [[nodiscard]] bool adapter_due() const { return adapter_due_; }
  /// Windows would have stopped.
  [[nodiscard]] bool bug_check_due() const { return faults_ && faults_->stopped(); }

 private:
  void carry_out(const gpuva::FaultRejected&) {}
  void carry_out(const gpuva::ResetEngine& decided) { engines_.push_back(decided.engine); }
  void carry_out(const gpuva::PutInError& decided);
  void carry_out(const gpuva::PutAllInError&);
  void carry_out(const gpuva::ResetAdapter&) { adapter_due_ = true; }
  void carry_out(const gpuva::EngineGoesOn&) {}
  void carry_out(const gpuva::AdapterGoesOn&) {}
  /// Windows would stop here. The driver is reset as a last word, so that it can be unloaded.
  void carry_out(const gpuva::BugCheck&) { adapter_due_ = true; }
  void carry_out(std::span<const gpuva::FaultDecision> decisions);
  void put_in_error(DeviceId device, ErrorCause cause);

  [[nodiscard]] ProcessId process_of(const Packet& packet) const;
  /// The device of the only context that the process has on the engine.
  [[nodiscard]] std::optional<DeviceId> only_device(EngineId engine, ProcessId process) const;

  const Adapter& adapter_;
  const Objects& objects_;
  const Processes& processes_;
  std::optional<gpuva::PageFaults> faults_;
  std::set<DeviceId> in_error_;
  std::vector<DeviceId> failed_;
  std::vector<EngineId> engines_;
  bool adapter_due_ = false;
};

/// The device's log tells of an access without a translation.
void note_page_fault(const WddmDeviceEvent& record, std::uint32_t physical_adapter);

}  // namespace wddm::host
