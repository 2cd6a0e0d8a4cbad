// Processes, which drivers with GPU virtual addresses are told of: the system process first, then
// those of the scenario.
//
// Dxgkrnl makes the system process before all devices, for paging; it lives until the adapter
// stops.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "conformance/host/adapter/adapter.h"
#include "reference/gpummu/address.h"
#include "reference/per_id.h"
#include "reference/trace/event.h"
#include "reference/types.h"

namespace wddm::host {

/// Scenario processes, plus the system process.
inline constexpr std::uint32_t kProcesses = kSystemProcessNumber;
inline constexpr ProcessId kSystemProcess{kProcesses};
/// The one that is there from the start of the adapter on.
inline constexpr ProcessId kFirstProcess{0};

/// The second address space of a process, for its paging companions: only buffers of the kernel run
/// there. Page tables are kept by such numbers; the driver knows the process by one handle.
[[nodiscard]] constexpr ProcessId privileged_space_of(ProcessId process) {
  return ProcessId{kPrivilegedSpaceNumber + process.value};
}
[[nodiscard]] constexpr bool is_privileged(ProcessId space) {
  return space.value >= kPrivilegedSpaceNumber;
}
/// The process that has the space.
[[nodiscard]] constexpr ProcessId owner_of(ProcessId space) {
  return is_privileged(space) ? ProcessId{space.value - kPrivilegedSpaceNumber} : space;
}

/// Numbers of processes for the IOMMU count from behind it, and are never used again.
inline constexpr std::uint32_t kFirstPasid = 0x40;

class Processes {
 public:
  explicit Processes(Adapter& adapter);

  /// The adapter runs: makes the system process and the first one, if the driver knows processes.
  void begin();
  /// All devices are gone: ends every process, the system process last.
  void end();

  /// Whether the driver agreed; on refusal there is no such process.
  bool create(ProcessId id);
  /// The worker process of a virtual machine, in the last number that is free; none: there is no
  /// such number, or the driver refused.
  [[nodiscard]] std::optional<ProcessId> create_machine_worker();
  void destroy(ProcessId id);
  /// From here on a pattern stands where the driver is to answer, and no zeros.
  void prefill(bool on) { prefills_ = on; }
  [[nodiscard]] bool live(ProcessId id) const { return processes_[owner_of(id)].live; }
  /// How many there are.
  [[nodiscard]] std::uint32_t count() const;
  /// The one whose CreateProcess runs.
  [[nodiscard]] std::optional<ProcessId> creating() const { return creating_; }
  /// DxgkCbReserveGpuVirtualAddressRange. What is reserved at once belongs to nobody else.
  NTSTATUS reserve(DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& request);
  /// What the driver has reserved in the process.
  [[nodiscard]] std::span<const gpummu::VaRange> reserved(ProcessId id) const {
    return processes_[owner_of(id)].reserved;
  }
  /// DXGKARG_CREATEPROCESS::hKmdProcess; null for a process that the driver is not told of.
  [[nodiscard]] HANDLE driver(ProcessId id) const { return processes_[owner_of(id)].driver; }
  /// What the IOMMU knows the process by, in requests of that GPU; 0: that GPU has no IoMmu.
  [[nodiscard]] std::uint32_t pasid(ProcessId id, std::uint32_t physical_adapter) const;
  /// The process that lives and has this PASID for that GPU.
  [[nodiscard]] std::optional<ProcessId> with_pasid(std::uint32_t pasid,
                                                    std::uint32_t physical_adapter) const;
  /// The process that lives and has this hDxgkProcess.
  [[nodiscard]] std::optional<ProcessId> named_by(HANDLE os_handle) const;
  /// hDxgkProcess of a process.
  [[nodiscard]] static HANDLE os_handle(ProcessId id);

 private:
  struct Process {
    bool live = false;
    HANDLE driver = nullptr;
    std::vector<ULONG> pasids;  // by physical adapter; none without IoMmu
    std::vector<gpummu::VaRange> reserved;
  };
  bool create(ProcessId id, DXGK_CREATEPROCESSFLAGS flags);
  [[nodiscard]] NTSTATUS place(ProcessId id, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE& request);
  void report(ProcessId id, NTSTATUS status, const DXGKARG_CREATEPROCESS& made) const;

  Adapter& adapter_;
  std::optional<ProcessId> creating_;
  std::vector<ULONG> pasids_;  // what pPasid leads to
  std::uint32_t last_pasid_ = kFirstPasid;
  bool prefills_ = false;
  PerId<ProcessId, Process, kProcesses + 1> processes_;
};

/// Those of the running session, for callbacks.
[[nodiscard]] Processes& current_processes();

}  // namespace wddm::host
