// What the residency machine is told, and what it decides.
//
// Requests of clients (the first group) may say anything and are answered. Events of the host (the
// second) must be possible when they happen; anything else is a defect of ours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "reference/types.h"

namespace wddm::gpuva {

// ---- Requests of clients.

/// D3DDDI_MAKERESIDENT.
struct MakeResident {
  DeviceId device{};  ///< of hPagingQueue
  std::span<const AllocationId> allocations;
  bool cant_trim_further = false;
  bool must_succeed = false;
};
/// D3DDDICB_EVICT.
struct Evict {
  DeviceId device{};
  std::span<const AllocationId> allocations;
  bool only_if_necessary = false;
  bool not_written_to = false;
};
/// pfnOfferAllocationsCb: the memory may be taken, and its contents with it.
struct Offer {
  DeviceId device{};
  std::span<const AllocationId> allocations;
};
/// pfnReclaimAllocations2Cb.
struct Reclaim {
  DeviceId device{};
  std::span<const AllocationId> allocations;
};
/// Work of MapGpuVirtualAddress or ReserveGpuVirtualAddress for the device paging queue (VA-008).
struct QueueTableUpdate {
  DeviceId device{};
};
/// A DMA buffer is submitted. `allocations` is its allocation list, for engines that patch; with
/// GPU virtual addressing what is written of primaries.
struct SubmitBuffer {
  DeviceId device{};
  std::span<const AllocationId> allocations;
};

// ---- Events of the host.

struct AddProcess {
  ProcessId process{};
  std::uint64_t budget_pages = 0;
};
struct AddDevice {
  DeviceId device{};
  ProcessId process{};
};
/// Its work has ended or was cancelled.
struct RemoveDevice {
  DeviceId device{};
};
struct AddAllocation {
  AllocationId allocation{};
  std::uint64_t pages = 1;
  DeviceId device{};  ///< that created it
};
/// Another device opened a shared allocation.
struct ShareAllocation {
  AllocationId allocation{};
  DeviceId device{};
};
/// All devices lose it; no work that may use it is left.
struct RemoveAllocation {
  AllocationId allocation{};
};
struct SetBudget {
  ProcessId process{};
  std::uint64_t budget_pages = 0;
};
/// The client returned from pfnTrimResidencySet.
struct TrimReturned {
  DeviceId device{};
};
/// The device is put in error, for instance after a page fault.
struct FailDevice {
  DeviceId device{};
};
/// The scheduler has work of the device; `MayRun` tells when it may start.
struct WantToRun {
  DeviceId device{};
};
/// A submitted buffer starts to run; `may_run` holds.
struct BeginRun {
  DeviceId device{};
};
/// The buffer that started first has ended.
struct EndRun {
  DeviceId device{};
};
/// What was decided for the operation in flight of this queue has been carried out on the GPU.
struct PagingDone {
  DeviceId device{};
};

using ResidencyInput =
    std::variant<MakeResident, Evict, Offer, Reclaim, QueueTableUpdate, SubmitBuffer, AddProcess,
                 AddDevice, RemoveDevice, AddAllocation, ShareAllocation, RemoveAllocation,
                 SetBudget, TrimReturned, FailDevice, WantToRun, BeginRun, EndRun, PagingDone>;

// ---- Decisions, to be carried out in this order.

enum class ResidencyStatus : std::uint8_t {
  Ok,                ///< S_OK: done
  Pending,           ///< E_PENDING: done when `fence_value` is signalled
  OutOfMemory,       ///< E_OUTOFMEMORY: nothing has changed
  InvalidParameter,  ///< nothing has changed
  DeviceRemoved,     ///< the device is in error; nothing has changed
};
/// What the client gets.
struct Answer {
  ResidencyStatus status = ResidencyStatus::Ok;
  std::uint64_t fence_value = 0;    ///< PagingFenceValue; 0: nothing to wait for
  std::uint64_t bytes_to_trim = 0;  ///< NumBytesToTrim
  friend bool operator==(const Answer&, const Answer&) = default;
};
/// Reclaim: the contents of allocation `index` of the list are lost.
struct Discarded {
  std::size_t index = 0;
  friend bool operator==(const Discarded&, const Discarded&) = default;
};
/// Bring it in, with its contents or as new.
struct PageIn {
  AllocationId allocation{};
  bool contents = false;
  DeviceId queue{};  ///< whose operation in flight this is part of
  friend bool operator==(const PageIn&, const PageIn&) = default;
};
/// Take it out, and save its contents unless they may be dropped.
struct PageOut {
  AllocationId allocation{};
  bool discard = false;
  friend bool operator==(const PageOut&, const PageOut&) = default;
};
/// Carry out the table update that is first in this queue; `PagingDone` is due.
struct UpdateTables {
  DeviceId queue{};
  friend bool operator==(const UpdateTables&, const UpdateTables&) = default;
};
/// Signal the monitored fence of the device paging queue.
struct SignalPagingFence {
  DeviceId queue{};
  std::uint64_t value = 0;
  friend bool operator==(const SignalPagingFence&, const SignalPagingFence&) = default;
};
/// Call pfnTrimResidencySet with TrimToBudget.
struct TrimToBudget {
  DeviceId device{};
  std::uint64_t bytes = 0;
  friend bool operator==(const TrimToBudget&, const TrimToBudget&) = default;
};
/// Schedule no context of the device, for what it requires may be taken.
struct SuspendDevice {
  DeviceId device{};
  friend bool operator==(const SuspendDevice&, const SuspendDevice&) = default;
};
struct ResumeDevice {
  DeviceId device{};
  friend bool operator==(const ResumeDevice&, const ResumeDevice&) = default;
};
/// All that the device needs is resident, and stays so until it has run. Void if the device needs
/// more before it begins (`may_run`); then it is decided again.
struct MayRun {
  DeviceId device{};
  friend bool operator==(const MayRun&, const MayRun&) = default;
};
/// The submission is rejected; entry `index` of its list is not required by the device, or is
/// offered. `index` is the length of the list if the device was in error already.
struct RejectBuffer {
  std::size_t index = 0;
  friend bool operator==(const RejectBuffer&, const RejectBuffer&) = default;
};
/// The device is in error from here on.
struct DeviceError {
  DeviceId device{};
  friend bool operator==(const DeviceError&, const DeviceError&) = default;
};

using ResidencyDecision =
    std::variant<Answer, Discarded, PageIn, PageOut, UpdateTables, SignalPagingFence, TrimToBudget,
                 SuspendDevice, ResumeDevice, MayRun, RejectBuffer, DeviceError>;

}  // namespace wddm::gpuva
