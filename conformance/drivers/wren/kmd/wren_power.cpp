// Power of the adapter, and of its components: each engine, and the walker of the aperture's table,
// which they all need.
#include "wren_kmd.h"

static BOOLEAN PowerUp(PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  A->Powered = TRUE;
  for (UINT i = 0; i < WREN_NODES; i++) WrenForgetNode(A, i);
  WrenProgramAll(A);
  return TRUE;
}

NTSTATUS WrenSetPowerState(IN_CONST_PVOID Context, IN_ULONG DeviceUid, IN_DEVICE_POWER_STATE State,
                           IN_POWER_ACTION) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (DeviceUid != DISPLAY_ADAPTER_HW_ID || !A->Started) return STATUS_SUCCESS;
  if (State == PowerDeviceD0) {
    if (!A->Powered) WrenAtDirql(A, PowerUp, A);
  } else {
    // All that has to be kept lies in system memory.
    WrenAtDirql(A, WrenSilence, A);
  }
  return STATUS_SUCCESS;
}

struct FSTATE_CHANGE {
  WREN_ADAPTER* A;
  UINT Component, FState;
};

static BOOLEAN ChangeFState(PVOID Context) {
  FSTATE_CHANGE* change = (FSTATE_CHANGE*)Context;
  WREN_ADAPTER* A = change->A;
  if (change->Component == WREN_COMPONENT_WALKER) {
    A->WalkerState = change->FState;
    if (A->Powered) WrenWrite(A, WREN_REG_GTT_CTRL, change->FState == 0 ? 1 : 0);
    return TRUE;
  }
  WREN_NODE* node = &A->Nodes[change->Component];
  if (node->FState == change->FState) return TRUE;
  const UINT clock = WREN_ENGINE(change->Component) + WREN_ENG_CLOCK;
  // The ring and the counters are the context of an engine: they are in memory already.
  node->FState = change->FState;
  if (A->Powered) WrenWrite(A, clock, change->FState != 0);
  if (change->FState == 0) WrenProgramNode(A, change->Component);
  return TRUE;
}

NTSTATUS WrenSetPowerComponentFState(IN_CONST_HANDLE DriverContext, UINT Component, UINT FState) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)DriverContext;
  if (Component >= WREN_COMPONENTS || FState > 1 || !A->Started) return STATUS_INVALID_PARAMETER;
  FSTATE_CHANGE change = {A, Component, FState};
  WrenAtDirql(A, ChangeFState, &change);
  // Reported with DriverCompletesFStateTransition.
  if (Component == WREN_NODE_VIDEO)
    A->Dxgk.DxgkCbCompleteFStateTransition(A->Dxgk.DeviceHandle, Component);
  return STATUS_SUCCESS;
}

static BOOLEAN SameGuid(LPCGUID One, const GUID* Other) {
  return RtlCompareMemory(One, Other, sizeof(GUID)) == sizeof(GUID);
}

NTSTATUS WrenPowerRuntimeControlRequest(IN_CONST_HANDLE, LPCGUID Code, PVOID, SIZE_T, PVOID, SIZE_T,
                                        PSIZE_T BytesReturned) {
  if (BytesReturned) *BytesReturned = 0;
  if (!Code) return STATUS_INVALID_PARAMETER;
  // The components need nothing done when the power framework begins or ends to manage them.
  if (SameGuid(Code, &GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START) ||
      SameGuid(Code, &GUID_DXGKDDI_POWER_MANAGEMENT_STARTED) ||
      SameGuid(Code, &GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED))
    return STATUS_SUCCESS;
  return STATUS_NOT_SUPPORTED;
}
