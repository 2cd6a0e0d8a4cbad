// Addresses of a DMA buffer, where the allocations lie now.
#include "kestrel_kmd.h"

NTSTATUS KstPatch(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PATCH args) {
  if (args->Flags.Paging) return STATUS_SUCCESS;
  for (UINT i = 0; i < args->PatchLocationListSubmissionLength; i++) {
    const D3DDDI_PATCHLOCATIONLIST* p =
        &args->pPatchLocationList[args->PatchLocationListSubmissionStart + i];
    const DXGK_ALLOCATIONLIST* entry = &args->pAllocationList[p->AllocationIndex];
    if (!entry->hDeviceSpecificAllocation) continue;  // a slot is released
    ULONGLONG address = entry->PhysicalAddress.QuadPart + p->AllocationOffset;
    ULONG* field = (ULONG*)((PUCHAR)args->pDmaBuffer + p->PatchOffset);
    field[0] = (ULONG)(address >> 32);
    field[1] = (ULONG)address;
  }
  return STATUS_SUCCESS;
}
