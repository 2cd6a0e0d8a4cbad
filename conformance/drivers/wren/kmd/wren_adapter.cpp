// The adapter: how it is added, started, stopped and removed.
#include "wren_kmd.h"

NTSTATUS WrenAddDevice(IN_CONST_PDEVICE_OBJECT Pdo, OUT_PPVOID MiniportDeviceContext) {
  PAGED_CODE();
  if (!Pdo || !MiniportDeviceContext) return STATUS_INVALID_PARAMETER;
  *MiniportDeviceContext = NULL;
  WREN_ADAPTER* A = (WREN_ADAPTER*)WrenAllocate(NonPagedPoolNx, sizeof(WREN_ADAPTER));
  if (!A) return STATUS_NO_MEMORY;
  A->Pdo = Pdo;
  *MiniportDeviceContext = A;
  return STATUS_SUCCESS;
}

NTSTATUS WrenRemoveDevice(IN_CONST_PVOID Context) {
  PAGED_CODE();
  WrenFree(Context);
  return STATUS_SUCCESS;
}

static VOID FreeContiguous(VOID** Memory) {
  if (*Memory) MmFreeContiguousMemory(*Memory);
  *Memory = NULL;
}

static VOID ReleaseAll(WREN_ADAPTER* A) {
  FreeContiguous((VOID**)&A->Gtt);
  FreeContiguous(&A->StatusPage);
  FreeContiguous(&A->Scratch);
  FreeContiguous(&A->Rings);
  if (A->Registers) A->Dxgk.DxgkCbUnmapMemory(A->Dxgk.DeviceHandle, A->Registers);
  A->Registers = NULL;
  A->Started = FALSE;
}

static NTSTATUS FindRegisters(WREN_ADAPTER* A) {
  DXGK_DEVICE_INFO info;
  RtlZeroMemory(&info, sizeof(info));
  NTSTATUS status = A->Dxgk.DxgkCbGetDeviceInformation(A->Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  const CM_RESOURCE_LIST* list = info.TranslatedResourceList;
  if (!list || list->Count < 1) return STATUS_DEVICE_CONFIGURATION_ERROR;
  const CM_PARTIAL_RESOURCE_LIST* partial = &list->List[0].PartialResourceList;
  const CM_PARTIAL_RESOURCE_DESCRIPTOR* memory = NULL;
  BOOLEAN interrupt = FALSE;
  for (ULONG i = 0; i < partial->Count; i++) {
    const CM_PARTIAL_RESOURCE_DESCRIPTOR* one = &partial->PartialDescriptors[i];
    if (one->Type == CmResourceTypeMemory && !memory && one->u.Memory.Length >= WREN_BAR_BYTES)
      memory = one;
    if (one->Type == CmResourceTypeInterrupt) interrupt = TRUE;
  }
  if (!memory || !interrupt) return STATUS_DEVICE_CONFIGURATION_ERROR;
  VOID* registers = NULL;
  status = A->Dxgk.DxgkCbMapMemory(A->Dxgk.DeviceHandle, memory->u.Memory.Start, WREN_BAR_BYTES,
                                   FALSE, FALSE, MmNonCached, &registers);
  if (!NT_SUCCESS(status)) return status;
  A->Registers = (UCHAR*)registers;
  if (WrenRead(A, WREN_REG_ID) != WREN_ID) return STATUS_DEVICE_CONFIGURATION_ERROR;
  return STATUS_SUCCESS;
}

static NTSTATUS MakeMemory(WREN_ADAPTER* A) {
  PHYSICAL_ADDRESS rings;
  A->Gtt = (UINT32*)WrenContiguous(WREN_APERTURE_PAGES * sizeof(UINT32), &A->GttAddress);
  A->StatusPage = WrenContiguous(PAGE_SIZE, &A->StatusAddress);
  A->Scratch = WrenContiguous(PAGE_SIZE, &A->ScratchAddress);
  A->Rings = WrenContiguous(WREN_NODES * WREN_RING * sizeof(WrenDescriptor), &rings);
  if (!A->Gtt || !A->StatusPage || !A->Scratch || !A->Rings) return STATUS_NO_MEMORY;
  const UINT dummy =
      WrenPte(A->ScratchAddress.QuadPart >> 12, WREN_PTE_PRESENT | WREN_PTE_PLACEHOLDER);
  for (UINT i = 0; i < WREN_APERTURE_PAGES; i++) A->Gtt[i] = dummy;
  for (UINT i = 0; i < WREN_NODES; i++) {
    WREN_NODE* node = &A->Nodes[i];
    RtlZeroMemory(node, sizeof(*node));
    node->Ring = (WrenDescriptor*)A->Rings + i * WREN_RING;
    node->RingAddress.QuadPart = rings.QuadPart + i * WREN_RING * sizeof(WrenDescriptor);
    node->Status = (WrenStatus*)A->StatusPage + i;
    node->LastProgress = ~0u;
  }
  return STATUS_SUCCESS;
}

NTSTATUS WrenStartDevice(IN_CONST_PVOID Context, IN_PDXGK_START_INFO StartInfo,
                         IN_PDXGKRNL_INTERFACE Dxgk, OUT_PULONG Sources, OUT_PULONG Children) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (!A || !StartInfo || !Dxgk || !Sources || !Children) return STATUS_INVALID_PARAMETER;
  if (StartInfo->RequiredDmaQueueEntry > WREN_RING - 1) return STATUS_NOT_SUPPORTED;
  A->Dxgk = *Dxgk;
  *Sources = 0;
  *Children = 0;
  A->Powered = FALSE;
  A->Recovering = FALSE;
  A->WalkerState = 0;
  NTSTATUS status = FindRegisters(A);
  if (NT_SUCCESS(status)) status = MakeMemory(A);
  if (!NT_SUCCESS(status)) {
    ReleaseAll(A);
    return status;
  }
  A->Powered = TRUE;
  A->Started = TRUE;
  WrenProgramAll(A);
  return STATUS_SUCCESS;
}

NTSTATUS WrenStopDevice(IN_CONST_PVOID Context) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (!A->Started) return STATUS_SUCCESS;
  WrenAtDirql(A, WrenSilence, A);
  ReleaseAll(A);
  return STATUS_SUCCESS;
}

// At any level, when the system goes down: the GPU must leave memory alone.
VOID WrenResetDevice(IN_CONST_PVOID Context) {
  WREN_ADAPTER* A = (WREN_ADAPTER*)Context;
  if (!A->Started || !A->Powered) return;
  WrenWrite(A, WREN_REG_MASK, 0);
  WrenWrite(A, WREN_REG_RESET, WREN_DOMAIN_ALL);
}
