/* The adapter from AddDevice to RemoveDevice: what it finds among its resources, and what it keeps
 * while it is started. */
#include "heron_kmd.h"

static VOID HeronReleaseResources(HERON_ADAPTER* a) {
  if (a->Registers) {
    a->Dxgk.DxgkCbUnmapMemory(a->Dxgk.DeviceHandle, a->Registers);
    a->Registers = NULL;
  }
  if (a->Ring) {
    MmFreeContiguousMemorySpecifyCache(a->Ring, a->RingEntries * sizeof(HeronRingEntry), MmCached);
    a->Ring = NULL;
  }
  if (a->Fences) {
    MmFreeContiguousMemorySpecifyCache((PVOID)a->Fences, PAGE_SIZE, MmCached);
    a->Fences = NULL;
  }
  if (a->Gart) {
    ExFreePoolWithTag(a->Gart, HERON_TAG);
    a->Gart = NULL;
  }
}

NTSTATUS HeronAddDevice(IN_CONST_PDEVICE_OBJECT PhysicalDeviceObject,
                        OUT_PPVOID MiniportDeviceContext) {
  PAGED_CODE();
  if (!PhysicalDeviceObject || !MiniportDeviceContext) return STATUS_INVALID_PARAMETER;
  *MiniportDeviceContext = NULL;
  HERON_ADAPTER* a = ExAllocatePoolWithTag(NonPagedPool, sizeof(*a), HERON_TAG);
  if (!a) return STATUS_NO_MEMORY;
  RtlZeroMemory(a, sizeof(*a));
  a->Pdo = PhysicalDeviceObject;
  *MiniportDeviceContext = a;
  return STATUS_SUCCESS;
}

NTSTATUS HeronRemoveDevice(IN_CONST_PVOID MiniportDeviceContext) {
  PAGED_CODE();
  ExFreePoolWithTag(MiniportDeviceContext, HERON_TAG);
  return STATUS_SUCCESS;
}

static NTSTATUS HeronFindResources(HERON_ADAPTER* a) {
  DXGK_DEVICE_INFO info;
  RtlZeroMemory(&info, sizeof(info));
  NTSTATUS status = a->Dxgk.DxgkCbGetDeviceInformation(a->Dxgk.DeviceHandle, &info);
  if (!NT_SUCCESS(status)) return status;
  BOOLEAN interrupt = FALSE;
  a->RegisterBase.QuadPart = a->LocalBase.QuadPart = 0;
  if (info.TranslatedResourceList && info.TranslatedResourceList->Count) {
    PCM_PARTIAL_RESOURCE_LIST list = &info.TranslatedResourceList->List[0].PartialResourceList;
    for (ULONG i = 0; i < list->Count; ++i) {
      PCM_PARTIAL_RESOURCE_DESCRIPTOR d = &list->PartialDescriptors[i];
      if (d->Type == CmResourceTypeInterrupt) interrupt = TRUE;
      if (d->Type != CmResourceTypeMemory) continue;
      if (d->u.Memory.Length == HERON_REG_BAR_BYTES && !a->RegisterBase.QuadPart)
        a->RegisterBase = d->u.Memory.Start;
      else if (d->u.Memory.Length == HERON_VRAM_BYTES && !a->LocalBase.QuadPart)
        a->LocalBase = d->u.Memory.Start;
    }
  }
  if (!interrupt || !a->RegisterBase.QuadPart || !a->LocalBase.QuadPart)
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  return STATUS_SUCCESS;
}

NTSTATUS HeronStartDevice(IN_CONST_PVOID MiniportDeviceContext, IN_PDXGK_START_INFO DxgkStartInfo,
                          IN_PDXGKRNL_INTERFACE DxgkInterface,
                          OUT_PULONG NumberOfVideoPresentSources, OUT_PULONG NumberOfChildren) {
  PAGED_CODE();
  HERON_ADAPTER* a = MiniportDeviceContext;
  PHYSICAL_ADDRESS low, high, none;
  low.QuadPart = none.QuadPart = 0;
  high.QuadPart = 0xffffffffffll;
  if (!a || !DxgkStartInfo || !DxgkInterface || !NumberOfVideoPresentSources || !NumberOfChildren)
    return STATUS_INVALID_PARAMETER;
  RtlZeroMemory(&a->Dxgk, sizeof(a->Dxgk));
  RtlCopyMemory(&a->Dxgk, DxgkInterface, min(DxgkInterface->Size, sizeof(a->Dxgk)));
  RtlZeroMemory(a->Node, sizeof(a->Node));
  a->Resetting = 0;

  NTSTATUS status = HeronFindResources(a);
  if (!NT_SUCCESS(status)) return status;

  a->RingEntries = HERON_MIN_RING;
  while (a->RingEntries < 2 * DxgkStartInfo->RequiredDmaQueueEntry && a->RingEntries < 0x8000)
    a->RingEntries *= 2;
  a->Ring = MmAllocateContiguousMemorySpecifyCache(a->RingEntries * sizeof(HeronRingEntry), low,
                                                   high, none, MmCached);
  a->Fences = MmAllocateContiguousMemorySpecifyCache(PAGE_SIZE, low, high, none, MmCached);
  a->Gart = ExAllocatePoolWithTag(NonPagedPool, HERON_APERTURE_PAGES * sizeof(ULONG64), HERON_TAG);
  if (!a->Ring || !a->Fences || !a->Gart) {
    HeronReleaseResources(a);
    return STATUS_NO_MEMORY;
  }
  RtlZeroMemory(a->Ring, a->RingEntries * sizeof(HeronRingEntry));
  RtlZeroMemory((PVOID)a->Fences, PAGE_SIZE);
  RtlZeroMemory(a->Gart, HERON_APERTURE_PAGES * sizeof(ULONG64));
  a->RingAddress = MmGetPhysicalAddress(a->Ring);
  a->FenceAddress = MmGetPhysicalAddress((PVOID)a->Fences);

  PVOID registers = NULL;
  status = a->Dxgk.DxgkCbMapMemory(a->Dxgk.DeviceHandle, a->RegisterBase, HERON_REG_BAR_BYTES,
                                   FALSE, FALSE, MmNonCached, &registers);
  if (!NT_SUCCESS(status)) {
    HeronReleaseResources(a);
    return status;
  }
  a->Registers = registers;
  if (HeronRead(a, HREG_ID) != HERON_ID_VALUE) {
    HeronReleaseResources(a);
    return STATUS_DEVICE_CONFIGURATION_ERROR;
  }
  HeronProgram(a);
  HeronSynchronize(a, HeronPowerUpSync, a);
  a->Started = TRUE;
  HeronWrite(a, HREG_INT_ENABLE, HINT_ALL);
  *NumberOfVideoPresentSources = 0;
  *NumberOfChildren = 0;
  return STATUS_SUCCESS;
}

NTSTATUS HeronStopDevice(IN_CONST_PVOID MiniportDeviceContext) {
  PAGED_CODE();
  HERON_ADAPTER* a = MiniportDeviceContext;
  if (!a->Started) return STATUS_SUCCESS;
  if (a->Powered) HeronSynchronize(a, HeronPowerDownSync, a);
  a->Started = FALSE;
  HeronReleaseResources(a);
  return STATUS_SUCCESS;
}
