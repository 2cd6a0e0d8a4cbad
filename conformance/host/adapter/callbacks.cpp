// DXGKRNL_INTERFACE: what the driver may call. Every call is traced with its place and with whether
// it carried the right adapter handle, at an IRQL that the function's page allows; what this host
// does not offer refuses politely.

#include <algorithm>
#include <cstring>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/interrupts.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/adapter/objects.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm {

using host::current_adapter;
using host::session;

namespace {

// Records the call; the result is filled in when it is known before the call.
std::uint32_t record(CallbackId id, HANDLE handle, NTSTATUS result = STATUS_SUCCESS) {
  const std::uint32_t judged = current_adapter()->judge_handle(handle);
  session().tap(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(id),
                                   .handle = judged,
                                   .place = static_cast<std::uint32_t>(host::call_place()),
                                   .started = current_adapter()->started(),
                                   .result = static_cast<std::uint32_t>(result)});
  return judged;
}

// Whether the scenario makes this call fail.
bool fails(FallibleCallback called, CallbackId id, HANDLE handle) {
  if (!session().callback_failure.strikes(called)) return false;
  record(id, handle, STATUS_UNSUCCESSFUL);
  return true;
}

// The "IRQL" rows of the reference pages. DxgkCbQueueDpc may be called at any level.
struct CallbackRange {
  CallbackId id;
  nt::ServiceRange range;
};
constexpr CallbackRange kRanges[]{
    {CallbackId::GetDeviceInformation, {"DxgkCbGetDeviceInformation", nt::kPassive, nt::kPassive}},
    {CallbackId::MapMemory, {"DxgkCbMapMemory", nt::kPassive, nt::kPassive}},
    {CallbackId::UnmapMemory, {"DxgkCbUnmapMemory", nt::kPassive, nt::kPassive}},
    {CallbackId::ReadDeviceSpace, {"DxgkCbReadDeviceSpace", nt::kPassive, nt::kPassive}},
    {CallbackId::WriteDeviceSpace, {"DxgkCbWriteDeviceSpace", nt::kPassive, nt::kPassive}},
    {CallbackId::NotifyDpc, {"DxgkCbNotifyDpc", nt::kDispatch, nt::kDispatch}},
    {CallbackId::SynchronizeExecution, {"DxgkCbSynchronizeExecution", nt::kPassive, nt::kDispatch}},
    {CallbackId::GetHandleData, {"DxgkCbGetHandleData", nt::kPassive, nt::kApc}},
    {CallbackId::AcquireHandleData, {"DxgkCbAcquireHandleData", nt::kPassive, nt::kApc}},
    {CallbackId::ReleaseHandleData, {"DxgkCbReleaseHandleData", nt::kPassive, nt::kApc}},
};

constexpr const nt::ServiceRange& range_of(CallbackId id) {
  return std::find_if(std::begin(kRanges), std::end(kRanges),
                      [id](const CallbackRange& entry) { return entry.id == id; })
      ->range;
}

// First statement of a function that the driver calls itself.
#define CHECK_IRQL(name)                     \
  nt::check_irql(range_of(CallbackId::name), \
                 __builtin_extract_return_addr(__builtin_return_address(0)))

void APIENTRY notify_interrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  session().wire->NotifyInterrupt(adapter, data);
}
void APIENTRY notify_dpc(HANDLE adapter) {
  CHECK_IRQL(NotifyDpc);
  session().wire->NotifyDpc(adapter);
}
BOOLEAN APIENTRY queue_dpc(HANDLE adapter) {
  return session().wire->QueueDpc(adapter);
}

NTSTATUS APIENTRY synchronize_execution(HANDLE adapter, PKSYNCHRONIZE_ROUTINE routine,
                                        PVOID context, ULONG message, PBOOLEAN result) {
  CHECK_IRQL(SynchronizeExecution);
  record(CallbackId::SynchronizeExecution, adapter);
  if (routine == nullptr || result == nullptr) return STATUS_INVALID_PARAMETER;
  *result = FALSE;
  if (nt::irql() > nt::kDirql) return STATUS_UNSUCCESSFUL;
  *result = host::synchronize(routine, context, message) ? TRUE : FALSE;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY get_device_information(HANDLE adapter, PDXGK_DEVICE_INFO info) {
  CHECK_IRQL(GetDeviceInformation);
  if (fails(FallibleCallback::GetDeviceInformation, CallbackId::GetDeviceInformation, adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::GetDeviceInformation, adapter);
  if (info == nullptr) return STATUS_INVALID_PARAMETER;
  *info = current_adapter()->device_info();
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY map_memory(HANDLE adapter, PHYSICAL_ADDRESS address, ULONG bytes, BOOLEAN,
                             BOOLEAN, MEMORY_CACHING_TYPE, PVOID* mapped) {
  CHECK_IRQL(MapMemory);
  if (fails(FallibleCallback::MapMemory, CallbackId::MapMemory, adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  bool registers = false;
  void* const place =
      memory::bus_map(static_cast<std::uint64_t>(address.QuadPart), bytes, &registers);
  const NTSTATUS status = place == nullptr ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
  record(CallbackId::MapMemory, adapter, status);
  if (mapped == nullptr) return STATUS_INVALID_PARAMETER;
  *mapped = place;
  if (place != nullptr) current_adapter()->mapped(place);
  return status;
}

NTSTATUS APIENTRY unmap_memory(HANDLE adapter, PVOID address) {
  CHECK_IRQL(UnmapMemory);
  return session().wire->UnmapMemory(adapter, address);
}

NTSTATUS APIENTRY read_device_space(HANDLE adapter, ULONG space, PVOID buffer, ULONG offset,
                                    ULONG bytes, PULONG read) {
  CHECK_IRQL(ReadDeviceSpace);
  if (fails(FallibleCallback::ReadDeviceSpace, CallbackId::ReadDeviceSpace, adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::ReadDeviceSpace, adapter);
  if (space != PCI_WHICHSPACE_CONFIG || buffer == nullptr) return STATUS_INVALID_PARAMETER;
  const ULONG done = current_adapter()->bus().config_read(offset, buffer, bytes);
  if (read != nullptr) *read = done;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY write_device_space(HANDLE adapter, ULONG space, PVOID buffer, ULONG offset,
                                     ULONG bytes, PULONG written) {
  CHECK_IRQL(WriteDeviceSpace);
  if (fails(FallibleCallback::WriteDeviceSpace, CallbackId::WriteDeviceSpace, adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::WriteDeviceSpace, adapter);
  if (space != PCI_WHICHSPACE_CONFIG || buffer == nullptr) return STATUS_INVALID_PARAMETER;
  const ULONG done = current_adapter()->bus().config_write(offset, buffer, bytes);
  if (written != nullptr) *written = done;
  return STATUS_SUCCESS;
}

// Handle data belongs to objects, not to the adapter: the handle judged is the object's.
PVOID data_of_handle(const DXGKARGCB_GETHANDLEDATA* args) {
  PVOID const data = args == nullptr ? nullptr : host::handle_data(*args);
  session().tap(ev::CallbackCalled{
      .callback = static_cast<std::uint32_t>(CallbackId::GetHandleData),
      .place = static_cast<std::uint32_t>(host::call_place()),
      .started = 1,
      .result =
          static_cast<std::uint32_t>(data == nullptr ? STATUS_INVALID_HANDLE : STATUS_SUCCESS)});
  return data;
}

PVOID APIENTRY get_handle_data(const DXGKARGCB_GETHANDLEDATA* args) {
  CHECK_IRQL(GetHandleData);
  return data_of_handle(args);
}

PVOID APIENTRY acquire_handle_data(const DXGKARGCB_GETHANDLEDATA* args,
                                   PDXGKARG_RELEASE_HANDLE release) {
  CHECK_IRQL(AcquireHandleData);
  if (release != nullptr) *release = nullptr;
  return data_of_handle(args);
}

void APIENTRY release_handle_data(DXGKARGCB_RELEASEHANDLEDATA) {
  CHECK_IRQL(ReleaseHandleData);
}
#undef CHECK_IRQL

// A member that this host does not offer: refused with STATUS_NOT_SUPPORTED, FALSE or null.
template <CallbackId kId, class Function>
struct Refuse;
template <CallbackId kId, class Result, class... Arguments>
struct Refuse<kId, Result (*)(Arguments...)> {
  static Result call(Arguments...) {
    session().tap(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(kId),
                                     .place = static_cast<std::uint32_t>(host::call_place()),
                                     .started = 1,
                                     .result = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
    if constexpr (std::is_same_v<Result, NTSTATUS>) {
      return STATUS_NOT_SUPPORTED;
    } else if constexpr (!std::is_void_v<Result>) {
      return Result{};
    }
  }
};

}  // namespace

void Interposer::NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  record(CallbackId::NotifyInterrupt, adapter);
  if (data != nullptr) host::current_vidsch()->notified(*data);
}

void Interposer::NotifyDpc(HANDLE adapter) {
  record(CallbackId::NotifyDpc, adapter);
  host::current_vidsch()->dpc_ran();
}

BOOLEAN Interposer::QueueDpc(HANDLE adapter) {
  const bool queued = host::queue_dpc();
  record(CallbackId::QueueDpc, adapter, queued ? TRUE : FALSE);
  return queued ? TRUE : FALSE;
}

NTSTATUS Interposer::UnmapMemory(HANDLE adapter, PVOID address) {
  if (!current_adapter()->unmapped(address)) {
    record(CallbackId::UnmapMemory, adapter, STATUS_INVALID_PARAMETER);
    nt::report(nt::FindingKind::BadParameter, "DxgkCbUnmapMemory",
               "the address is of no mapping that DxgkCbMapMemory made and that is still there",
               nullptr);
    return STATUS_INVALID_PARAMETER;
  }
  record(CallbackId::UnmapMemory, adapter);
  memory::bus_unmap(address);
  return STATUS_SUCCESS;
}

namespace host {

void fill_callbacks(DXGKRNL_INTERFACE& table, HANDLE device_handle) {
  table = {};
  table.Size = sizeof(table);
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DeviceHandle = device_handle;

#define REFUSE(name) \
  table.DxgkCb##name = &Refuse<CallbackId::name, decltype(table.DxgkCb##name)>::call
  REFUSE(EvalAcpiMethod);
  REFUSE(IndicateChildStatus);
  REFUSE(QueryServices);
  REFUSE(IsDevicePresent);
  REFUSE(GetHandleParent);
  REFUSE(EnumHandleChildren);
  REFUSE(QueryVidPnInterface);
  REFUSE(QueryMonitorInterface);
  REFUSE(GetCaptureAddress);
  REFUSE(LogEtwEvent);
  REFUSE(ExcludeAdapterAccess);
  REFUSE(CreateContextAllocation);
  REFUSE(DestroyContextAllocation);
  REFUSE(SetPowerComponentActive);
  REFUSE(SetPowerComponentIdle);
  REFUSE(AcquirePostDisplayOwnership);
  REFUSE(PowerRuntimeControlRequest);
  REFUSE(SetPowerComponentLatency);
  REFUSE(SetPowerComponentResidency);
  REFUSE(CompleteFStateTransition);
  REFUSE(CompletePStateTransition);
  REFUSE(MapContextAllocation);
  REFUSE(UpdateContextAllocation);
  REFUSE(ReserveGpuVirtualAddressRange);
  REFUSE(AllocateContiguousMemory);
  REFUSE(FreeContiguousMemory);
  REFUSE(AllocatePagesForMdl);
  REFUSE(FreePagesFromMdl);
#undef REFUSE

  table.DxgkCbGetDeviceInformation = &get_device_information;
  table.DxgkCbMapMemory = &map_memory;
  table.DxgkCbUnmapMemory = &unmap_memory;
  table.DxgkCbQueueDpc = &wddm::queue_dpc;
  table.DxgkCbReadDeviceSpace = &read_device_space;
  table.DxgkCbWriteDeviceSpace = &write_device_space;
  table.DxgkCbSynchronizeExecution = &synchronize_execution;
  table.DxgkCbGetHandleData = &get_handle_data;
  table.DxgkCbNotifyInterrupt = &notify_interrupt;
  table.DxgkCbNotifyDpc = &notify_dpc;
  table.DxgkCbAcquireHandleData = &acquire_handle_data;
  table.DxgkCbReleaseHandleData = &release_handle_data;
}

}  // namespace host
}  // namespace wddm

extern "C" NTSTATUS DxgkInitialize(PDRIVER_OBJECT object, PUNICODE_STRING path,
                                   PDRIVER_INITIALIZATION_DATA data) {
  return wddm::current_adapter()->initialize(object, path, data);
}

extern "C" NTSTATUS DxgkUnInitialize(PDRIVER_OBJECT) {
  return STATUS_SUCCESS;
}
