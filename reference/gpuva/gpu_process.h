// Processes of one adapter with their devices, contexts and address spaces as a state machine: what
// is created before what, and which context has which root.
//
// Sources: windows-driver-docs "System paging process", "Per-process GPU virtual address spaces",
// "Tile resources", "IoMmu model", "GPU virtual address" (roots), "GpuMmu example scenarios";
// DxgkDdiCreateProcess, DxgkDdiDestroyProcess, DXGKARG_CREATEPROCESS, DXGK_CONTEXTINFO. Clauses
// PROC-001, -002, -004..006, ROOT-004, ROOT-009, VA-001, VA-009. The rules:
//   1. In each D0 the system process comes first, with its device and contexts; then its tables are
//      initialised, again after each loss of memory (PROC-004).
//   2. A handle of the driver names one live process; a process that is being created is the only
//      one that the driver may reserve addresses for (PROC-001, PROC-002).
//   3. A process has an application space, and from its first Reserve or Update on a privileged one
//      for its companions (VA-001, VA-009).
//   4. A context runs after its root was set, and all contexts of a space are set again, each when
//      it is idle, before they run again after the root moved or changed size (ROOT-004, ROOT-009).
//      A root that was lost with memory counts as not set.
//   5. A device goes after its contexts, a process after its devices (PROC-005).
//   6. With an IoMmu a process has one PASID for each physical adapter, during its life and not
//      shared with another process; contexts then need no root (PROC-006).
//
// Readings: the example page lets the driver reserve when the system device is created, the page of
// the callback only inside DxgkDdiCreateProcess: the latter is followed. One page creates the
// privileged space with the first Reserve, the other needs it with the first Update: whatever comes
// first. hKmdProcess 0 is a warning. IoMmu: PASIDs come with device creation in one page and with
// the process in the other; they are kept by process.
// PROC-003 (entries of the driver's range) is for page tables, PROC-007..009 are for packets; both
// are judged elsewhere.
// Leaves out: faults (fault_outcome.h), virtual machines, what roots hold.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/gpuva/process_request.h"

namespace wddm::gpuva {

struct ProcessConfig {
  std::uint32_t nodes = 1;              ///< NbAsymetricProcessingNodes
  std::uint32_t physical_adapters = 1;  ///< and PASIDs of each process, with an IoMmu
  bool iommu = false;                   ///< DXGK_VIDMMCAPS.IoMmuSupported; else GpuMmuSupported
};

class Processes {
 public:
  explicit Processes(const ProcessConfig& config) : config_(config) {}

  /// Takes one input; gives what follows, in order. Valid until the next call.
  [[nodiscard]] std::span<const ProcessDecision> step(const ProcessInput& input);

  // ---- Questions of the host: what it may do now.
  [[nodiscard]] bool may_create(ProcessId process, bool system) const;
  [[nodiscard]] bool may_destroy(ProcessId process) const;
  [[nodiscard]] bool may_destroy(DeviceId device) const;
  [[nodiscard]] bool may_destroy(ContextId context) const;
  /// Whether DxgkDdiSetRootPageTable may be called: the root is there, and the context idle.
  [[nodiscard]] bool may_set_root(ContextId context) const;
  /// Whether the context may run: its root is the present one, the system's tables are initialised,
  /// and it is not to be set again.
  [[nodiscard]] bool may_submit(ContextId context) const;

  [[nodiscard]] bool exists(ProcessId process) const;
  [[nodiscard]] bool exists(DeviceId device) const;
  [[nodiscard]] bool exists(ContextId context) const;
  [[nodiscard]] std::optional<ProcessId> system_process() const { return system_; }
  [[nodiscard]] ProcessId process_of(DeviceId device) const;
  [[nodiscard]] DeviceId device_of(ContextId context) const;
  [[nodiscard]] NodeId node_of(ContextId context) const;
  /// The PASID that tags what the process does on a physical adapter; nothing without an IoMmu.
  [[nodiscard]] std::optional<std::uint32_t> pasid(ProcessId process, std::uint32_t adapter) const;

  static constexpr AddressSpaceId application_space(ProcessId id) { return {2 * id.value}; }
  static constexpr AddressSpaceId privileged_space(ProcessId id) { return {2 * id.value + 1}; }

  /// Checks every invariant; a breach is a HARNESS error.
  void validate() const;

 private:
  enum class Life : std::uint8_t { None, Creating, Alive };
  struct Process {
    Life life = Life::None;
    KmdProcess handle{};
    bool privileged = false;
    bool root_ready = false;
    std::vector<std::uint32_t> pasids;
  };
  struct Device {
    bool exists = false;
    ProcessId process{};
  };
  struct Context {
    bool exists = false;
    DeviceId device{};
    NodeId node{};
    bool virtual_addressing = false;
    bool companion = false;
    bool root_set = false;  // to the present root
    bool asked = false;     // SetRoot was decided for the present root
    std::uint32_t companion_node = 0;
    std::uint32_t packets = 0;  // submitted, not ended
  };

  void on(const BeginCreateProcess& input);
  void on(const EndCreateProcess& input);
  void on(const DestroyProcess& input);
  void on(const CreateDevice& input);
  void on(const DestroyDevice& input);
  void on(const CreateContext& input);
  void on(const DestroyContext& input);
  void on(const UseReservations& input);
  void on(const UseCompanion& input);
  void on(const RootReady& input);
  void on(const RootSet& input);
  void on(const SubmitPacket& input);
  void on(const EndPacket& input);
  void on(const EnterD0& input);
  void on(const LoseMemory& input);
  void on(const DriverReserves& input);

  void decide(const ProcessDecision& decision) { decisions_.push_back(decision); }
  void fault(ProcessFault what) { decide(DriverFault{what}); }
  [[nodiscard]] Process& process_at(ProcessId id);
  [[nodiscard]] const Process& process_of(const Context& context) const;
  void use_privileged(ProcessId id);
  void set_root_if_idle(ContextId id);

  ProcessConfig config_;
  bool in_d0_ = false;
  bool tables_initialised_ = false;
  std::optional<ProcessId> system_;
  std::optional<ProcessId> creating_;
  std::vector<Process> processes_;
  std::vector<Device> devices_;
  std::vector<Context> contexts_;
  std::vector<ProcessDecision> decisions_;
};

}  // namespace wddm::gpuva
