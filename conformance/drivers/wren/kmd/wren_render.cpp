// From command buffer to DMA buffer in as many passes as it takes, and patching.
#include "wren_kmd.h"

static UINT AddressOf(const DXGK_ALLOCATIONLIST* Element, UINT Offset) {
  if (!Element->hDeviceSpecificAllocation || Element->SegmentId == 0) return 0;
  return (UINT)(Element->PhysicalAddress.QuadPart + Offset);
}

static NTSTATUS TranslateAll(const WREN_TRANSLATION* t, DXGKARG_RENDER* Args) {
  UINT at = Args->MultipassOffset & 0xffff, patch = Args->MultipassOffset >> 16;
  UCHAR* const start = (UCHAR*)Args->pDmaBuffer;
  UINT used = 0, patches = 0;
  NTSTATUS status = STATUS_SUCCESS;
  if (at > t->CommandWords || patch > t->PatchCount) return STATUS_INVALID_PARAMETER;
  while (at < t->CommandWords) {
    WREN_GROUP group;
    RtlZeroMemory(&group, sizeof(group));
    UINT next = at, next_patch = patch;
    status = WrenTranslate(t, at, &next, &next_patch, &group);
    if (!NT_SUCCESS(status)) return status;
    if (used + group.Count * 4 > Args->DmaSize ||
        patches + group.ReferenceCount > Args->PatchLocationListOutSize) {
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      break;
    }
    for (UINT i = 0; i < group.ReferenceCount; i++) {
      const WREN_REFERENCE* reference = &group.References[i];
      D3DDDI_PATCHLOCATIONLIST* out = &Args->pPatchLocationListOut[patches++];
      RtlZeroMemory(out, sizeof(*out));
      out->AllocationIndex = reference->Index;
      out->SlotId = reference->Slot;
      out->DriverId = group.Words[0] & 0xff;
      out->AllocationOffset = reference->Offset;
      out->PatchOffset = used + reference->At * 4;
      out->SplitOffset = used + group.Splits[i] * 4;
      group.Words[reference->At] = AddressOf(&t->List[reference->Index], reference->Offset);
    }
    RtlCopyMemory(start + used, group.Words, group.Count * 4);
    used += group.Count * 4;
    at = next;
    patch = next_patch;
  }
  if (NT_SUCCESS(status) && patch != t->PatchCount) return STATUS_INVALID_PARAMETER;
  Args->MultipassOffset = at | patch << 16;
  Args->pDmaBuffer = start + used;
  Args->pPatchLocationListOut += patches;
  return status;
}

NTSTATUS WrenRender(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER Args) {
  PAGED_CODE();
  WREN_CONTEXT* context = (WREN_CONTEXT*)hContext;
  if (Args->CommandLength & 3) return STATUS_INVALID_USER_BUFFER;
  if (Args->CommandLength > 0xffff * 4u || Args->PatchLocationListInSize > 0xffff)
    return STATUS_INVALID_PARAMETER;
  if (Args->DmaBufferPrivateDataSize < sizeof(WREN_DMA_PRIVATE)) return STATUS_INVALID_PARAMETER;
  // User mode may change what it handed over at any time: all is judged in a copy.
  const SIZE_T patch_bytes = Args->PatchLocationListInSize * sizeof(D3DDDI_PATCHLOCATIONLIST);
  UCHAR* copy = NULL;
  if (Args->CommandLength + patch_bytes) {
    copy = (UCHAR*)ExAllocatePoolWithTag(PagedPool, patch_bytes + Args->CommandLength, WREN_TAG);
    if (!copy) return STATUS_NO_MEMORY;
    if ((patch_bytes && !WrenCopyFromUser(copy, Args->pPatchLocationListIn, patch_bytes)) ||
        (Args->CommandLength &&
         !WrenCopyFromUser(copy + patch_bytes, Args->pCommand, Args->CommandLength))) {
      WrenFree(copy);
      return STATUS_INVALID_PARAMETER;
    }
  }
  WREN_TRANSLATION t;
  t.Patches = (const D3DDDI_PATCHLOCATIONLIST*)copy;
  t.PatchCount = Args->PatchLocationListInSize;
  t.Command = (const UINT*)(copy + patch_bytes);
  t.CommandWords = Args->CommandLength / 4;
  t.List = Args->pAllocationList;
  t.ListSize = Args->AllocationListSize;
  t.Node = context->Node;
  t.Null = ~0u;
  for (UINT i = 0; i < t.ListSize && t.Null == ~0u; i++)
    if (!t.List[i].hDeviceSpecificAllocation) t.Null = i;
  const NTSTATUS status = TranslateAll(&t, Args);
  WrenFree(copy);
  if (NT_SUCCESS(status) || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
    WREN_DMA_PRIVATE* data = (WREN_DMA_PRIVATE*)Args->pDmaBufferPrivateData;
    RtlZeroMemory(data, sizeof(*data));
    data->Magic = WREN_DMA_MAGIC;
    Args->pDmaBufferPrivateData = data + 1;
  }
  return status;
}

NTSTATUS WrenPatch(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PATCH Args) {
  PAGED_CODE();
  const UINT begin = Args->PatchLocationListSubmissionStart;
  for (UINT i = 0; i < Args->PatchLocationListSubmissionLength; i++) {
    const D3DDDI_PATCHLOCATIONLIST* patch = &Args->pPatchLocationList[begin + i];
    const UINT address =
        AddressOf(&Args->pAllocationList[patch->AllocationIndex], patch->AllocationOffset);
    *(UINT*)((UCHAR*)Args->pDmaBuffer + patch->PatchOffset) = address;
  }
  return STATUS_SUCCESS;
}
