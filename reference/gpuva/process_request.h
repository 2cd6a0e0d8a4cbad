// What the process machine is told, and what it decides or finds wrong.
//
// Calls of the driver's DDIs appear twice where something may happen in between: before and after.
// What the driver gives back or calls may be anything, and is judged; what the host does must be
// legal by the questions of gpu_process.h, and is a defect of ours otherwise.
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "reference/types.h"

namespace wddm::gpuva {

/// One GPU virtual address space: `2 * process` is the application's, the next the privileged one.
using AddressSpaceId = Strong<struct AddressSpaceTag>;
/// `hKmdProcess`.
using KmdProcess = Strong<struct KmdProcessTag, std::uint64_t>;

// ---- The host.

/// DxgkDdiCreateProcess is called.
struct BeginCreateProcess {
  ProcessId process{};
  bool system = false;                    ///< DXGK_CREATEPROCESSFLAGS.SystemProcess
  std::span<const std::uint32_t> pasids;  ///< pPasid, one of each physical adapter, or none
};
/// It returned. `kmd_process` counts if it succeeded.
struct EndCreateProcess {
  bool succeeded = false;
  KmdProcess kmd_process{};
};
/// DxgkDdiDestroyProcess is called; all its devices are gone.
struct DestroyProcess {
  ProcessId process{};
};
/// DxgkDdiCreateDevice succeeded.
struct CreateDevice {
  DeviceId device{};
  ProcessId process{};
};
struct DestroyDevice {
  DeviceId device{};
};
/// DxgkDdiCreateContext succeeded, with this PagingCompanionNodeId.
struct CreateContext {
  ContextId context{};
  DeviceId device{};
  NodeId node{};
  bool virtual_addressing = true;    ///< DXGK_CREATECONTEXTFLAGS.VirtualAddressing
  std::uint32_t companion_node = 0;  ///< as the driver left it
};
struct DestroyContext {
  ContextId context{};
};
/// The process called ReserveGpuVirtualAddress.
struct UseReservations {
  ProcessId process{};
};
/// The context called UpdateGpuVirtualAddress.
struct UseCompanion {
  ContextId context{};
};
/// The root table of an address space is resident and initialised, at a new place or size.
struct RootReady {
  AddressSpaceId space{};
};
/// DxgkDdiSetRootPageTable has been called for the context.
struct RootSet {
  ContextId context{};
};
struct SubmitPacket {
  ContextId context{};
};
struct EndPacket {
  ContextId context{};
};
/// The adapter enters D0.
struct EnterD0 {};
/// It leaves D0, and device memory is lost; nothing runs.
struct LoseMemory {};

// ---- The driver.

/// DxgkCbReserveGpuVirtualAddressRange is called, for what may be any handle.
struct DriverReserves {
  bool known_process = false;  ///< hDxgkProcess is one of ours:
  ProcessId process{};
};

using ProcessInput =
    std::variant<BeginCreateProcess, EndCreateProcess, DestroyProcess, CreateDevice, DestroyDevice,
                 CreateContext, DestroyContext, UseReservations, UseCompanion, RootReady, RootSet,
                 SubmitPacket, EndPacket, EnterD0, LoseMemory, DriverReserves>;

// ---- Decisions.

/// Create the system process (with its device and contexts) before anything else.
struct CreateSystemProcess {
  friend bool operator==(const CreateSystemProcess&, const CreateSystemProcess&) = default;
};
/// Initialise all paging tables with immediate updates, CPU_VIRTUAL (PROC-004).
struct InitialisePagingTables {
  friend bool operator==(const InitialisePagingTables&, const InitialisePagingTables&) = default;
};
/// Create an address space; it is `privileged` for companions.
struct CreateSpace {
  AddressSpaceId space{};
  bool privileged = false;
  friend bool operator==(const CreateSpace&, const CreateSpace&) = default;
};
struct DestroySpace {
  AddressSpaceId space{};
  friend bool operator==(const DestroySpace&, const DestroySpace&) = default;
};
/// Create the paging companion of a context on this node; it runs in `space`.
struct CreateCompanion {
  ContextId context{};
  NodeId node{};
  AddressSpaceId space{};
  friend bool operator==(const CreateCompanion&, const CreateCompanion&) = default;
};
/// Call DxgkDdiSetRootPageTable for the context, now that it is idle.
struct SetRoot {
  ContextId context{};
  AddressSpaceId space{};
  friend bool operator==(const SetRoot&, const SetRoot&) = default;
};
/// DxgkCbReserveGpuVirtualAddressRange goes on to the allocator of this process.
struct AllowReservation {
  ProcessId process{};
  friend bool operator==(const AllowReservation&, const AllowReservation&) = default;
};

/// What the driver did wrong.
enum class ProcessFault : std::uint8_t {
  HandleInUse,          ///< PROC-001: hKmdProcess is that of another live process
  NullHandle,           ///< PROC-001: a warning; legal where the driver never uses hProcess
  ReservedOutside,      ///< PROC-002: not inside DxgkDdiCreateProcess
  ReservedForAnother,   ///< PROC-002: inside, with another process or none of ours
  NoSuchCompanionNode,  ///< VA-009: PagingCompanionNodeId is no node
};
struct DriverFault {
  ProcessFault what{};
  friend bool operator==(const DriverFault&, const DriverFault&) = default;
};

using ProcessDecision =
    std::variant<CreateSystemProcess, InitialisePagingTables, CreateSpace, DestroySpace,
                 CreateCompanion, SetRoot, AllowReservation, DriverFault>;

}  // namespace wddm::gpuva
