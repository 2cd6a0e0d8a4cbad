// Entry points of the port driver: life cycle and power. PASSIVE_LEVEL, pageable.
#include "../kmd_adapter.h"
#include "driver_ddis.h"
#include "../kmd_factory.h"

#pragma code_seg("PAGE")

namespace reference_kmd {

namespace {

Adapter* adapter_of(PVOID context) {
  return static_cast<Adapter*>(context);
}

}  // namespace

NTSTATUS ddi_add_device(IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
                        OUT_PPVOID MiniportDeviceContext) {
  PAGED_CODE();
  *MiniportDeviceContext = nullptr;
  Adapter* adapter = make_adapter(PhysicalDeviceObject);
  if (adapter == nullptr) return STATUS_NO_MEMORY;
  const NTSTATUS status = adapter->add();
  if (!NT_SUCCESS(status)) {
    adapter->remove();
    delete adapter;
    return status;
  }
  *MiniportDeviceContext = adapter;
  return STATUS_SUCCESS;
}

NTSTATUS ddi_link_device(IN_CONST_PDEVICE_OBJECT, IN_CONST_PVOID MiniportDeviceContext,
                         INOUT_PLINKED_DEVICE LinkedDevice) {
  PAGED_CODE();
  return adapter_of(MiniportDeviceContext)->link(LinkedDevice);
}

NTSTATUS ddi_start_device(IN_CONST_PVOID MiniportDeviceContext, IN_PDXGK_START_INFO DxgkStartInfo,
                          IN_PDXGKRNL_INTERFACE DxgkInterface,
                          OUT_PULONG NumberOfVideoPresentSources, OUT_PULONG NumberOfChildren) {
  PAGED_CODE();
  *NumberOfChildren = 0;
  Adapter* adapter = adapter_of(MiniportDeviceContext);
  const NTSTATUS status = adapter->start(*DxgkStartInfo, *DxgkInterface);
  if (NT_SUCCESS(status)) *NumberOfVideoPresentSources = adapter->video_sources();
  return status;
}

NTSTATUS ddi_stop_device(IN_CONST_PVOID MiniportDeviceContext) {
  PAGED_CODE();
  adapter_of(MiniportDeviceContext)->stop();
  return STATUS_SUCCESS;
}

NTSTATUS ddi_remove_device(IN_CONST_PVOID MiniportDeviceContext) {
  PAGED_CODE();
  Adapter* adapter = adapter_of(MiniportDeviceContext);
  adapter->remove();
  delete adapter;
  return STATUS_SUCCESS;
}

VOID ddi_unload(void) {
  PAGED_CODE();
}

NTSTATUS ddi_set_power_state(IN_CONST_PVOID MiniportDeviceContext, IN_ULONG DeviceUid,
                             IN_DEVICE_POWER_STATE DevicePowerState, IN_POWER_ACTION) {
  PAGED_CODE();
  if (DeviceUid != DISPLAY_ADAPTER_HW_ID) return STATUS_SUCCESS;
  return adapter_of(MiniportDeviceContext)->set_power(DevicePowerState);
}

// There is no display: no children, and nothing to ask of them.

NTSTATUS ddi_dispatch_io_request(IN_CONST_PVOID, IN_ULONG, IN_PVIDEO_REQUEST_PACKET) {
  PAGED_CODE();
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS ddi_query_child_relations(IN_CONST_PVOID, PDXGK_CHILD_DESCRIPTOR, ULONG) {
  PAGED_CODE();
  return STATUS_SUCCESS;
}

NTSTATUS ddi_query_child_status(IN_CONST_PVOID, INOUT_PDXGK_CHILD_STATUS, IN_BOOLEAN) {
  PAGED_CODE();
  return STATUS_NOT_SUPPORTED;
}

NTSTATUS ddi_query_device_descriptor(IN_CONST_PVOID, IN_ULONG, INOUT_PDXGK_DEVICE_DESCRIPTOR) {
  PAGED_CODE();
  return STATUS_NOT_SUPPORTED;
}

}  // namespace reference_kmd
