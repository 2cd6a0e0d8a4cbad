// DXGKRNL_INTERFACE: what the driver may call. Every call is traced with its place and with whether
// it carried the right adapter handle, at an IRQL that its row in callback.def allows; what this
// host does not offer refuses politely.

#include <optional>
#include <type_traits>

#include "conformance/host/adapter/adapter.h"
#include "conformance/host/adapter/component_states.h"
#include "conformance/host/adapter/interrupts.h"
#include "conformance/host/adapter/objects/objects.h"
#include "conformance/host/adapter/objects/processes.h"
#include "conformance/host/gpuva/contexts/context_allocations.h"
#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/points.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/vidsch/vidsch_worker.h"
#include "reference/trace/ddi.h"

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

// The rows of callback.def, as far as only the host knows what they mean. A row that may fail has
// its name in FallibleCallback too.
constexpr std::optional<FallibleCallback> failure_of(CallbackId id) {
#define FAILURE_Never(name)
#define FAILURE_May(name) \
  if (id == CallbackId::name) return FallibleCallback::name;
#define DXGKCB(name, since, lowest, highest, failure, offer) FAILURE_##failure(name)
#include "reference/trace/callback.def"
#undef DXGKCB
#undef NO_MEMBER
#undef FAILURE_May
#undef FAILURE_Never
  return std::nullopt;
}

constexpr nt::ServiceRange kRanges[]{
#define DXGKCB(name, since, lowest, highest, failure, offer) \
  {"DxgkCb" #name, static_cast<std::uint8_t>(Irql::lowest),  \
   static_cast<std::uint8_t>(Irql::highest)},
#include "reference/trace/callback.def"
#undef DXGKCB
#undef NO_MEMBER
};

constexpr const nt::ServiceRange& range_of(CallbackId id) {
  return kRanges[static_cast<std::size_t>(id)];
}

// Whether the scenario makes this call fail.
template <CallbackId kId>
bool fails(HANDLE handle) {
  constexpr std::optional<FallibleCallback> kFailure = failure_of(kId);
  static_assert(kFailure.has_value(), "its row says that it never fails");
  if (!session().callback_failure.strikes(*kFailure)) return false;
  record(kId, handle, STATUS_UNSUCCESSFUL);
  return true;
}

// First statement of a function that the driver calls itself.
#define CHECK_IRQL(name)                     \
  nt::check_irql(range_of(CallbackId::name), \
                 __builtin_extract_return_addr(__builtin_return_address(0)))

host::Bus& bus_of(HANDLE adapter) {
  return current_adapter()->bus().of(current_adapter()->index_of(adapter));
}

// What this host offers, each under the name of its row.
namespace offered {

// INTR-002 judges the level of this one.
void APIENTRY NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) {
  session().wire->NotifyInterrupt(adapter, data);
  nt::point();
}
void APIENTRY NotifyDpc(HANDLE adapter) {
  CHECK_IRQL(NotifyDpc);
  session().wire->NotifyDpc(adapter);
  nt::point();
}
BOOLEAN APIENTRY QueueDpc(HANDLE adapter) {
  const BOOLEAN queued = session().wire->QueueDpc(adapter);
  nt::point();
  return queued;
}

// With no interrupt that is connected, it fails: so it does behind StopDevice.
NTSTATUS APIENTRY SynchronizeExecution(HANDLE adapter, PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                                       ULONG message, PBOOLEAN result) {
  CHECK_IRQL(SynchronizeExecution);
  const bool connected = current_adapter()->started();
  record(CallbackId::SynchronizeExecution, adapter,
         connected ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL);
  if (routine == nullptr || result == nullptr) return STATUS_INVALID_PARAMETER;
  *result = FALSE;
  if (!connected) return STATUS_UNSUCCESSFUL;
  if (nt::irql() > nt::kDirql) return STATUS_UNSUCCESSFUL;
  *result = host::synchronize(routine, context, message) ? TRUE : FALSE;
  nt::point();
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY GetDeviceInformation(HANDLE adapter, PDXGK_DEVICE_INFO info) {
  CHECK_IRQL(GetDeviceInformation);
  if (fails<CallbackId::GetDeviceInformation>(adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::GetDeviceInformation, adapter);
  if (info == nullptr) return STATUS_INVALID_PARAMETER;
  *info = current_adapter()->device_info(current_adapter()->index_of(adapter));
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY MapMemory(HANDLE adapter, PHYSICAL_ADDRESS address, ULONG bytes,
                            BOOLEAN in_io_space, BOOLEAN, MEMORY_CACHING_TYPE, PVOID* mapped) {
  CHECK_IRQL(MapMemory);
  if (fails<CallbackId::MapMemory>(adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  bool registers = false;
  void* const place =
      memory::bus_map(static_cast<std::uint64_t>(address.QuadPart), bytes, &registers);
  if (place != nullptr && in_io_space) {
    nt::report(nt::FindingKind::BadParameter, "DxgkCbMapMemory",
               "InIoSpace is TRUE, and the range is in memory space", nullptr);
  }
  const NTSTATUS status = place == nullptr ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS;
  record(CallbackId::MapMemory, adapter, status);
  if (mapped == nullptr) return STATUS_INVALID_PARAMETER;
  *mapped = place;
  if (place != nullptr) current_adapter()->mapped(place);
  return status;
}

NTSTATUS APIENTRY UnmapMemory(HANDLE adapter, PVOID address) {
  CHECK_IRQL(UnmapMemory);
  return session().wire->UnmapMemory(adapter, address);
}

NTSTATUS APIENTRY ReadDeviceSpace(HANDLE adapter, ULONG space, PVOID buffer, ULONG offset,
                                  ULONG bytes, PULONG read) {
  CHECK_IRQL(ReadDeviceSpace);
  if (fails<CallbackId::ReadDeviceSpace>(adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::ReadDeviceSpace, adapter);
  if (space != PCI_WHICHSPACE_CONFIG || buffer == nullptr) return STATUS_INVALID_PARAMETER;
  const ULONG done = bus_of(adapter).config_read(offset, buffer, bytes);
  if (read != nullptr) *read = done;
  return STATUS_SUCCESS;
}

NTSTATUS APIENTRY WriteDeviceSpace(HANDLE adapter, ULONG space, PVOID buffer, ULONG offset,
                                   ULONG bytes, PULONG written) {
  CHECK_IRQL(WriteDeviceSpace);
  if (fails<CallbackId::WriteDeviceSpace>(adapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  record(CallbackId::WriteDeviceSpace, adapter);
  if (space != PCI_WHICHSPACE_CONFIG || buffer == nullptr) return STATUS_INVALID_PARAMETER;
  const ULONG done = bus_of(adapter).config_write(offset, buffer, bytes);
  if (written != nullptr) *written = done;
  return STATUS_SUCCESS;
}

// Handle data belongs to objects, not to the adapter: the handle judged is the object's.
template <CallbackId kId>
PVOID data_of_handle(const DXGKARGCB_GETHANDLEDATA* args) {
  constexpr FallibleCallback kFailure = *failure_of(kId);
  const bool fails = session().callback_failure.strikes(kFailure);
  PVOID const data = fails || args == nullptr ? nullptr : host::handle_data(*args);
  const NTSTATUS seen = fails             ? STATUS_UNSUCCESSFUL
                        : data == nullptr ? STATUS_INVALID_HANDLE
                                          : STATUS_SUCCESS;
  session().tap(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(kId),
                                   .place = static_cast<std::uint32_t>(host::call_place()),
                                   .started = 1,
                                   .result = static_cast<std::uint32_t>(seen)});
  return data;
}

PVOID APIENTRY GetHandleData(const DXGKARGCB_GETHANDLEDATA* args) {
  CHECK_IRQL(GetHandleData);
  return data_of_handle<CallbackId::GetHandleData>(args);
}

PVOID APIENTRY AcquireHandleData(const DXGKARGCB_GETHANDLEDATA* args,
                                 PDXGKARG_RELEASE_HANDLE release) {
  CHECK_IRQL(AcquireHandleData);
  if (release != nullptr) *release = nullptr;
  PVOID const data = data_of_handle<CallbackId::AcquireHandleData>(args);
  if (data != nullptr && release != nullptr) {
    *release = current_adapter()->references().acquire(args->hObject);
  }
  return data;
}

NTSTATUS APIENTRY ReserveGpuVirtualAddressRange(HANDLE adapter,
                                                DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE* args) {
  CHECK_IRQL(ReserveGpuVirtualAddressRange);
  if (fails<CallbackId::ReserveGpuVirtualAddressRange>(adapter)) return STATUS_UNSUCCESSFUL;
  const NTSTATUS status =
      args == nullptr ? STATUS_INVALID_PARAMETER : host::current_processes().reserve(*args);
  record(CallbackId::ReserveGpuVirtualAddressRange, adapter, status);
  return status;
}

// ---- Context allocations.

NTSTATUS APIENTRY CreateContextAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  CHECK_IRQL(CreateContextAllocation);
  if (fails<CallbackId::CreateContextAllocation>(args == nullptr ? nullptr : args->hAdapter)) {
    return STATUS_UNSUCCESSFUL;
  }
  const NTSTATUS status = args == nullptr ? STATUS_INVALID_PARAMETER
                                          : host::current_context_allocations().create(*args);
  record(CallbackId::CreateContextAllocation, args == nullptr ? nullptr : args->hAdapter, status);
  return status;
}

NTSTATUS APIENTRY DestroyContextAllocation(HANDLE adapter, HANDLE allocation) {
  CHECK_IRQL(DestroyContextAllocation);
  const NTSTATUS status = host::current_context_allocations().destroy(allocation);
  record(CallbackId::DestroyContextAllocation, adapter, status);
  return status;
}

NTSTATUS APIENTRY UpdateContextAllocation(HANDLE adapter,
                                          const DXGKARGCB_UPDATECONTEXTALLOCATION* args) {
  CHECK_IRQL(UpdateContextAllocation);
  if (fails<CallbackId::UpdateContextAllocation>(adapter)) return STATUS_UNSUCCESSFUL;
  const NTSTATUS status = args == nullptr ? STATUS_INVALID_PARAMETER
                                          : host::current_context_allocations().update(*args);
  record(CallbackId::UpdateContextAllocation, adapter, status);
  return status;
}

D3DGPU_VIRTUAL_ADDRESS APIENTRY MapContextAllocation(HANDLE adapter,
                                                     const DXGKARGCB_MAPCONTEXTALLOCATION* args) {
  CHECK_IRQL(MapContextAllocation);
  if (fails<CallbackId::MapContextAllocation>(adapter)) return 0;
  D3DGPU_VIRTUAL_ADDRESS address = 0;
  const NTSTATUS status = args == nullptr
                              ? STATUS_INVALID_PARAMETER
                              : host::current_context_allocations().map(*args, &address);
  record(CallbackId::MapContextAllocation, adapter, status);
  return address;
}

void APIENTRY ReleaseHandleData(DXGKARGCB_RELEASEHANDLEDATA args) {
  CHECK_IRQL(ReleaseHandleData);
  current_adapter()->references().release(args.ReleaseHandle);
}

// ---- Memory behind an IOMMU.

NTSTATUS APIENTRY AllocateContiguousMemory(HANDLE adapter,
                                           DXGKARGCB_ALLOCATECONTIGUOUSMEMORY* args) {
  CHECK_IRQL(AllocateContiguousMemory);
  const NTSTATUS status = args == nullptr ? STATUS_INVALID_PARAMETER
                                          : current_adapter()->isolated_memory().allocate(*args);
  record(CallbackId::AllocateContiguousMemory, adapter, status);
  return status;
}

NTSTATUS APIENTRY FreeContiguousMemory(HANDLE adapter, const DXGKARGCB_FREECONTIGUOUSMEMORY* args) {
  CHECK_IRQL(FreeContiguousMemory);
  const NTSTATUS status =
      args == nullptr ? STATUS_INVALID_PARAMETER : current_adapter()->isolated_memory().free(*args);
  record(CallbackId::FreeContiguousMemory, adapter, status);
  return status;
}

NTSTATUS APIENTRY AllocatePagesForMdl(HANDLE adapter, DXGKARGCB_ALLOCATEPAGESFORMDL* args) {
  CHECK_IRQL(AllocatePagesForMdl);
  const NTSTATUS status = args == nullptr ? STATUS_INVALID_PARAMETER
                                          : current_adapter()->isolated_memory().allocate(*args);
  record(CallbackId::AllocatePagesForMdl, adapter, status);
  return status;
}

NTSTATUS APIENTRY FreePagesFromMdl(HANDLE adapter, const DXGKARGCB_FREEPAGESFROMMDL* args) {
  CHECK_IRQL(FreePagesFromMdl);
  const NTSTATUS status =
      args == nullptr ? STATUS_INVALID_PARAMETER : current_adapter()->isolated_memory().free(*args);
  record(CallbackId::FreePagesFromMdl, adapter, status);
  return status;
}

// ---- Power components.

void APIENTRY SetPowerComponentActive(HANDLE adapter, UINT component) {
  CHECK_IRQL(SetPowerComponentActive);
  record(CallbackId::SetPowerComponentActive, adapter);
  host::power_component_called(CallbackId::SetPowerComponentActive, component);
}

void APIENTRY SetPowerComponentIdle(HANDLE adapter, UINT component) {
  CHECK_IRQL(SetPowerComponentIdle);
  record(CallbackId::SetPowerComponentIdle, adapter);
  host::power_component_called(CallbackId::SetPowerComponentIdle, component);
}

void APIENTRY SetPowerComponentLatency(HANDLE adapter, UINT component, ULONGLONG) {
  CHECK_IRQL(SetPowerComponentLatency);
  record(CallbackId::SetPowerComponentLatency, adapter);
  host::power_component_called(CallbackId::SetPowerComponentLatency, component);
}

void APIENTRY SetPowerComponentResidency(HANDLE adapter, UINT component, ULONGLONG) {
  CHECK_IRQL(SetPowerComponentResidency);
  record(CallbackId::SetPowerComponentResidency, adapter);
  host::power_component_called(CallbackId::SetPowerComponentResidency, component);
}

void APIENTRY CompleteFStateTransition(HANDLE adapter, UINT component) {
  CHECK_IRQL(CompleteFStateTransition);
  session().wire->CompleteFStateTransition(adapter, component);
}
}  // namespace offered

// A member that this host does not offer: refused with STATUS_NOT_SUPPORTED, FALSE or null.
template <CallbackId kId, class Function>
struct Refuse;
template <CallbackId kId, class Result, class... Arguments>
struct Refuse<kId, Result (*)(Arguments...)> {
  static Result call(Arguments... arguments) {
    nt::check_irql(range_of(kId), __builtin_extract_return_addr(__builtin_return_address(0)));
    session().tap(ev::CallbackCalled{.callback = static_cast<std::uint32_t>(kId),
                                     .handle = judged(arguments...),
                                     .place = static_cast<std::uint32_t>(host::call_place()),
                                     .started = 1,
                                     .result = static_cast<std::uint32_t>(STATUS_NOT_SUPPORTED)});
    if constexpr (std::is_same_v<Result, NTSTATUS>) {
      return STATUS_NOT_SUPPORTED;
    } else if constexpr (!std::is_void_v<Result>) {
      return Result{};
    }
  }

 private:
  // The handle of an adapter is the first argument, where there is one: all others are typed.
  template <class First, class... Others>
  static std::uint32_t judged(First first, Others...) {
    if constexpr (std::is_same_v<First, HANDLE>) return current_adapter()->judge_handle(first);
    return 0;
  }
  static std::uint32_t judged() { return 0; }
};
#undef CHECK_IRQL

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
  const bool queued = host::queue_dpc(current_adapter()->index_of(adapter));
  record(CallbackId::QueueDpc, adapter, queued ? TRUE : FALSE);
  return queued ? TRUE : FALSE;
}

void Interposer::CompleteFStateTransition(HANDLE adapter, UINT component) {
  record(CallbackId::CompleteFStateTransition, adapter);
  host::power_component_called(CallbackId::CompleteFStateTransition, component);
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
  begin_power_components();
  table = {};
  table.Size = sizeof(table);
  table.Version = DXGKDDI_INTERFACE_VERSION;
  table.DeviceHandle = device_handle;

#define FILL_Offered(name) table.DxgkCb##name = &offered::name;
#define FILL_Refused(name) \
  table.DxgkCb##name = &Refuse<CallbackId::name, decltype(table.DxgkCb##name)>::call;
#define NO_MEMBER(...)
#define DXGKCB(name, since, lowest, highest, failure, offer) FILL_##offer(name)
#include "reference/trace/callback.def"
#undef DXGKCB
#undef NO_MEMBER
#undef FILL_Refused
#undef FILL_Offered
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
