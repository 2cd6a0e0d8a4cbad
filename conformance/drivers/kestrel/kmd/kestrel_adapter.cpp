// The life of the adapter: resources, start and stop, power.
#include "kestrel_kmd.h"

NTSTATUS KstAddDevice(IN_CONST_PDEVICE_OBJECT pdo, OUT_PPVOID context) {
  KstAdapter* a = (KstAdapter*)ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(KstAdapter), KST_TAG);
  if (!a) return STATUS_NO_MEMORY;
  RtlZeroMemory(a, sizeof(*a));
  a->Pdo = pdo;
  *context = a;
  return STATUS_SUCCESS;
}

static void Release(KstAdapter* a) {
  KstTableDestroy(&a->Allocations);
  KstTableDestroy(&a->Opens);
  if (a->Memory) MmFreeContiguousMemorySpecifyCache(a->Memory, a->MemoryBytes, MmCached);
  if (a->Regs) a->Dxgk.DxgkCbUnmapMemory(a->Dxgk.DeviceHandle, a->Regs);
  a->Memory = NULL;
  a->Regs = NULL;
}

// Table of the aperture, then ring and record of each node.
static NTSTATUS CarveMemory(KstAdapter* a) {
  const SIZE_T gart = KST_GART_ENTRIES * 8, ring = KST_QUEUE * KstEntryWords * 4;
  PHYSICAL_ADDRESS low, high, boundary;
  low.QuadPart = 0;
  high.QuadPart = 0x7fffffffffffll;
  boundary.QuadPart = 0;
  a->MemoryBytes = ROUND_TO_PAGES(gart + KST_NODES * (ring + sizeof(KstRecord)));
  a->Memory = MmAllocateContiguousMemorySpecifyCache(a->MemoryBytes, low, high, boundary, MmCached);
  if (!a->Memory) return STATUS_NO_MEMORY;
  RtlZeroMemory(a->Memory, a->MemoryBytes);
  a->MemoryAddress = MmGetPhysicalAddress(a->Memory);
  a->Gart = a->MemoryAddress;
  SIZE_T at = gart;
  for (ULONG n = 0; n < KST_NODES; n++) {
    KstNode* node = &a->Node[n];
    node->Ring = (ULONG*)((PUCHAR)a->Memory + at);
    node->RingAddress.QuadPart = a->MemoryAddress.QuadPart + at;
    at += ring;
    node->Record = (KstRecord*)((PUCHAR)a->Memory + at);
    node->RecordAddress.QuadPart = a->MemoryAddress.QuadPart + at;
    at += sizeof(KstRecord);
    node->LastSubmitted = node->LastCompleted = 0;
  }
  return STATUS_SUCCESS;
}

// BARs are told apart by their size.
static NTSTATUS FindResources(KstAdapter* a, PHYSICAL_ADDRESS* registers) {
  DXGK_DEVICE_INFO info;
  RtlZeroMemory(&info, sizeof(info));
  NTSTATUS status = a->Dxgk.DxgkCbGetDeviceInformation(a->Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  registers->QuadPart = a->Visible.QuadPart = 0;
  for (ULONG l = 0; info.TranslatedResourceList && l < info.TranslatedResourceList->Count; l++) {
    const CM_PARTIAL_RESOURCE_LIST* list =
        &info.TranslatedResourceList->List[l].PartialResourceList;
    for (ULONG i = 0; i < list->Count; i++) {
      const CM_PARTIAL_RESOURCE_DESCRIPTOR* d = &list->PartialDescriptors[i];
      if (d->Type != CmResourceTypeMemory) continue;
      if (d->u.Memory.Length == KST_REGISTER_BYTES) *registers = d->u.Memory.Start;
      if (d->u.Memory.Length == KST_VISIBLE_BYTES) a->Visible = d->u.Memory.Start;
    }
  }
  return registers->QuadPart && a->Visible.QuadPart ? STATUS_SUCCESS
                                                    : STATUS_DEVICE_CONFIGURATION_ERROR;
}

static NTSTATUS MapRegisters(KstAdapter* a, PHYSICAL_ADDRESS registers) {
  PVOID mapped = NULL;
  NTSTATUS status = a->Dxgk.DxgkCbMapMemory(a->Dxgk.DeviceHandle, registers, KST_REGISTER_BYTES,
                                            FALSE, FALSE, MmNonCached, &mapped);
  if (!NT_SUCCESS(status)) return status;
  a->Regs = (PUCHAR)mapped;
  return KstRead(a, KST_ID) == KST_ID_VALUE ? STATUS_SUCCESS : STATUS_DEVICE_CONFIGURATION_ERROR;
}

NTSTATUS KstStartDevice(IN_CONST_PVOID context, IN_PDXGK_START_INFO, IN_PDXGKRNL_INTERFACE dxgk,
                        OUT_PULONG sources, OUT_PULONG children) {
  KstAdapter* a = (KstAdapter*)context;
  PHYSICAL_ADDRESS registers;
  RtlZeroMemory(&a->Dxgk, sizeof(a->Dxgk));
  RtlCopyMemory(&a->Dxgk, dxgk, min(dxgk->Size, (ULONG)sizeof(a->Dxgk)));
  *sources = *children = 0;
  NTSTATUS status = FindResources(a, &registers);
  if (NT_SUCCESS(status)) status = MapRegisters(a, registers);
  if (NT_SUCCESS(status)) status = KstTableCreate(&a->Allocations, KST_MAX_ALLOCATIONS);
  if (NT_SUCCESS(status)) status = KstTableCreate(&a->Opens, KST_MAX_OPENS);
  if (NT_SUCCESS(status)) status = CarveMemory(a);
  if (!NT_SUCCESS(status)) {
    Release(a);
    return status;
  }
  a->Started = TRUE;
  KstProgram(a);
  return STATUS_SUCCESS;
}

NTSTATUS KstStopDevice(IN_CONST_PVOID context) {
  KstAdapter* a = (KstAdapter*)context;
  KstSilence(a);
  a->Started = FALSE;
  Release(a);
  return STATUS_SUCCESS;
}

NTSTATUS KstRemoveDevice(IN_CONST_PVOID context) {
  ExFreePoolWithTag(context, KST_TAG);
  return STATUS_SUCCESS;
}

VOID KstResetDevice(IN_CONST_PVOID context) {
  KstAdapter* a = (KstAdapter*)context;
  if (a->Regs) KstSilence(a);
}

static BOOLEAN ProgramAtInterrupt(PVOID context) {
  KstProgram((KstAdapter*)context);
  return TRUE;
}

NTSTATUS KstSetPowerState(IN_CONST_PVOID context, ULONG uid, DEVICE_POWER_STATE state,
                          POWER_ACTION) {
  KstAdapter* a = (KstAdapter*)context;
  if (uid != DISPLAY_ADAPTER_HW_ID) return STATUS_SUCCESS;
  if (state == PowerDeviceD0)
    KstSynchronize(a, ProgramAtInterrupt, a);
  else
    KstSilence(a);
  return STATUS_SUCCESS;
}
