// A page fault from the driver's report to its end as a state machine.
//
// Sources: windows-driver-docs "Access to non-resident allocation", "GpuMmu model", "TDR changes in
// Windows 8"; DXGKARGCB_NOTIFY_INTERRUPT_DATA (DmaPageFaulted), DXGK_PAGE_FAULT_FLAGS,
// DXGK_FAULT_ERROR_CODE. Clauses MMU-013..015, RES-002, INTR-011, ENGRST-005, PROC-006. The rules:
//   1. A report names an outstanding fence of the engine, or sets FENCE_INVALID with fence 0 and
//   one
//      of the bits that ask for a reset (MMU-014). What it says of process, address and cause must
//      agree (MMU-013). A report that is wrong changes nothing.
//   2. FATAL_HARDWARE_ERROR ends in a bug check, ADAPTER_RESET_REQUIRED in an adapter-wide reset.
//      Any other fault: the engine is reset, and the device that caused it put in error (MMU-015).
//   3. If the engine reset fails, or the system's own paging faulted, the adapter is reset; then
//      all devices but the system's are in error.
//   4. Contexts of other devices keep their roots and go on once the engine is reset; on other
//      engines they are not disturbed at all.
//   5. A fault while another is dealt with: on the same engine it joins it; on another it is dealt
//      with at the same time. An adapter reset ends all of them, and what is reported during it
//      says nothing.
//
// Readings: all documents let any fault be followed by an engine reset, also where no bit asks for
// one. With the fence unknown the offender is the device of the process that the report names if it
// has but one context on the engine, and nobody otherwise. "Terminates the context and/or device":
// the device. PROCESS_HANDLE_VALID without a handle, and a handle without the flag, are let pass
// where FaultedProcessHandle is NULL or ours, for no text describes the flag.
// Leaves out: what becomes of packets and fences (vidsch/), dependent engines, counting of TDRs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "reference/gpuva/gpu_address.h"
#include "reference/types.h"

namespace wddm::gpuva {

/// DXGK_PAGE_FAULT_FLAGS. The documents print no values; these are those of the headers.
using PageFaultFlags = std::uint32_t;
inline constexpr PageFaultFlags kFaultWrite = 0x1;
inline constexpr PageFaultFlags kFaultFenceInvalid = 0x2;
inline constexpr PageFaultFlags kFaultAdapterReset = 0x4;
inline constexpr PageFaultFlags kFaultEngineReset = 0x8;
inline constexpr PageFaultFlags kFaultFatalHardware = 0x10;
inline constexpr PageFaultFlags kFaultIommu = 0x20;
inline constexpr PageFaultFlags kFaultHwContextValid = 0x40;
inline constexpr PageFaultFlags kFaultProcessHandleValid = 0x80;

/// What FaultedProcessHandle is.
enum class HandleKind : std::uint8_t {
  Null,
  Ours,   ///< the hDxgkProcess of a live process
  Other,  ///< for instance the driver's own hKmdProcess
};

/// DmaPageFaulted, with what the caller knows of the packet.
struct PageFaultReport {
  EngineId engine{};
  FenceId fence{};
  bool fence_outstanding = false;  ///< the engine has a packet of this fence that has not ended
  PageFaultFlags flags = 0;
  GpuVirtualAddress address{};
  std::uint32_t level = 0;  ///< PageTableLevel
  bool device_specific_code = false;
  std::uint32_t code = 0;  ///< GeneralErrorCode: 0 page fault, 1 invalid instruction
  HandleKind handle = HandleKind::Null;
  ProcessId process{};                        ///< if the handle is ours
  std::optional<ProcessId> packet_process{};  ///< that submitted the packet, if it is known
  /// The device of the packet, or, with FENCE_INVALID, the only one of `process` on the engine.
  std::optional<DeviceId> device{};
  bool system_device = false;  ///< `device` is the system's
};
/// DxgkDdiResetEngine returned.
struct EngineResetDone {
  EngineId engine{};
  bool succeeded = false;
};
/// DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout returned.
struct AdapterResetDone {
  bool succeeded = false;
};
using FaultInput = std::variant<PageFaultReport, EngineResetDone, AdapterResetDone>;

/// Why a report is not legal.
enum class FaultError : std::uint8_t {
  FenceNotOutstanding,  ///< MMU-014: names a packet that is none, or has ended
  FenceWithInvalid,     ///< MMU-014: FENCE_INVALID with a fence other than 0
  InvalidWithoutReset,  ///< MMU-014: FENCE_INVALID without any of the reset bits
  UnknownFlags,         ///< MMU-013
  ForeignHandle,        ///< MMU-013: FaultedProcessHandle is not one that the system gave
  OthersHandle,         ///< MMU-013: it is of a process that did not submit the packet
  NoAddressNoCause,     ///< INTR-011: neither an address nor another cause
  NoSuchLevel,          ///< MMU-013: PageTableLevel is above the root
  WrongMmu,             ///< PROC-006: IOMMU set for GpuMmu, or clear for an IoMmu
};
struct FaultRejected {
  FaultError why{};
  friend bool operator==(const FaultRejected&, const FaultRejected&) = default;
};
/// Call DxgkDdiResetEngine.
struct ResetEngine {
  EngineId engine{};
  friend bool operator==(const ResetEngine&, const ResetEngine&) = default;
};
/// Put the device in error, if it is not yet: nothing of it is submitted again.
struct PutInError {
  DeviceId device{};
  friend bool operator==(const PutInError&, const PutInError&) = default;
};
/// The same for all devices but the system's.
struct PutAllInError {
  friend bool operator==(const PutAllInError&, const PutAllInError&) = default;
};
/// Call DxgkDdiResetFromTimeout and DxgkDdiRestartFromTimeout.
struct ResetAdapter {
  friend bool operator==(const ResetAdapter&, const ResetAdapter&) = default;
};
/// The engine takes packets again; contexts keep their roots.
struct EngineGoesOn {
  EngineId engine{};
  friend bool operator==(const EngineGoesOn&, const EngineGoesOn&) = default;
};
/// All engines take packets again.
struct AdapterGoesOn {
  friend bool operator==(const AdapterGoesOn&, const AdapterGoesOn&) = default;
};
struct BugCheck {
  friend bool operator==(const BugCheck&, const BugCheck&) = default;
};
using FaultDecision = std::variant<FaultRejected, ResetEngine, PutInError, PutAllInError,
                                   ResetAdapter, EngineGoesOn, AdapterGoesOn, BugCheck>;

struct FaultConfig {
  std::uint32_t nodes = 1;
  std::uint32_t physical_adapters = 1;
  std::uint32_t page_table_levels = 2;  ///< DXGK_GPUMMUCAPS::PageTableLevelCount
  bool iommu = false;                   ///< all translation is the IOMMU's
  bool both_mmus = false;  ///< contexts of some nodes use the IOMMU, others the GPU's own MMU
};

class PageFaults {
 public:
  explicit PageFaults(const FaultConfig& config)
      : config_(config), resetting_(config.nodes * config.physical_adapters) {}

  /// Takes one input; gives what follows, in order. Valid until the next call.
  [[nodiscard]] std::span<const FaultDecision> step(const FaultInput& input);

  /// Whether packets may be submitted to the engine.
  [[nodiscard]] bool takes_packets(EngineId engine) const;
  /// The system has stopped: nothing more is decided.
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  void on(const PageFaultReport& input);
  void on(const EngineResetDone& input);
  void on(const AdapterResetDone& input);
  [[nodiscard]] std::optional<FaultError> check(const PageFaultReport& input) const;
  void reset_adapter();
  [[nodiscard]] std::size_t index_of(EngineId engine) const;

  FaultConfig config_;
  std::vector<bool> resetting_;  // by engine
  bool adapter_resetting_ = false;
  bool stopped_ = false;
  std::vector<FaultDecision> decisions_;
};

}  // namespace wddm::gpuva
