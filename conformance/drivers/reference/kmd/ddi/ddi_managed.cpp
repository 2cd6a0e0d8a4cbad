// Entry points of a device whose power is managed, that can be pulled out, and that the IOMMU can
// isolate: SetPowerComponentFState and what follows from DXGK_DRIVERCAPS. PASSIVE_LEVEL.
#include "driver_ddis.h"
#include "../kmd_adapter.h"

namespace reference_kmd {

namespace {

Adapter* adapter_of(PVOID handle) {
  return static_cast<Adapter*>(handle);
}

}  // namespace

NTSTATUS ddi_set_power_component_f_state(IN_CONST_HANDLE DriverContext, UINT ComponentIndex,
                                         UINT FState) {
  return adapter_of(DriverContext)->set_component_state(ComponentIndex, FState);
}

// Nobody shares its power.
NTSTATUS ddi_power_runtime_control_request(IN_CONST_HANDLE, LPCGUID, PVOID, SIZE_T, PVOID, SIZE_T,
                                           PSIZE_T BytesReturned) {
  if (BytesReturned != nullptr) *BytesReturned = 0;
  return STATUS_NOT_SUPPORTED;
}

// It comes in beside other calls: those find registers that nothing is behind.
NTSTATUS ddi_notify_surprise_removal(PVOID MiniportDeviceContext, DXGK_SURPRISE_REMOVAL_TYPE) {
  adapter_of(MiniportDeviceContext)->forget_hardware();
  return STATUS_SUCCESS;
}

// An engine without packets leaves memory alone, and Dxgkrnl has taken them all.

NTSTATUS ddi_begin_exclusive_access(IN_CONST_HANDLE, IN_PDXGKARG_BEGINEXCLUSIVEACCESS) {
  return STATUS_SUCCESS;
}

NTSTATUS ddi_end_exclusive_access(IN_CONST_HANDLE, IN_PDXGKARG_ENDEXCLUSIVEACCESS) {
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
