/* A DMA buffer under construction, and its patch locations.
 *
 * The engine reaches memory through eight windows. Where windows change the DMA buffer may be
 * split: all windows that are open are loaded there anew, so each portion stands for itself, and
 * each buffer leaves all windows closed. */
#include "heron_build.h"

VOID HeronBegin(HERON_BUILD* b, PVOID dma, UINT bytes, const DXGK_ALLOCATIONLIST* list,
                UINT list_size, D3DDDI_PATCHLOCATIONLIST* patch, UINT patches) {
  RtlZeroMemory(b, sizeof(*b));
  b->Start = b->At = dma;
  b->End = b->Start + bytes;
  b->Patch = patch;
  b->PatchEnd = patch + patches;
  b->List = list;
  b->ListSize = list_size;
  for (b->Empty = 0; b->Empty < list_size; ++b->Empty)
    if (!list[b->Empty].hDeviceSpecificAllocation) break;
}

VOID HeronPut(HERON_BUILD* b, const ULONG* words, UINT count) {
  RtlCopyMemory(b->At, words, count * sizeof(ULONG));
  b->At += count * sizeof(ULONG);
}

static VOID HeronPutPatch(HERON_BUILD* b, UINT index, UINT slot, UINT driver_id, UINT offset,
                          UINT at, UINT split) {
  D3DDDI_PATCHLOCATIONLIST* p = b->Patch++;
  RtlZeroMemory(p, sizeof(*p));
  p->AllocationIndex = index;
  p->SlotId = slot;
  p->DriverId = driver_id;
  p->AllocationOffset = offset;
  p->PatchOffset = at;
  p->SplitOffset = split;
}

static VOID HeronRelease(HERON_BUILD* b, UINT slot, UINT split) {
  const ULONG word = HCMD(HOP_UNWINDOW, 1, slot, 0);
  HeronPutPatch(b, b->Empty, slot, HERON_PATCH_RELEASE, 0, (UINT)(b->At - b->Start), split);
  HeronPut(b, &word, 1);
  b->Window[slot].Loaded = FALSE;
}

VOID HeronSplit(HERON_BUILD* b) {
  const UINT split = (UINT)(b->At - b->Start);
  for (UINT slot = 0; slot < HERON_WINDOWS; ++slot) {
    HERON_WINDOW* w = &b->Window[slot];
    if (w->Open) {
      const DXGK_ALLOCATIONLIST* entry = &b->List[w->Index];
      const UINT64 address =
          entry->SegmentId ? (UINT64)entry->PhysicalAddress.QuadPart + w->Offset : 0;
      const ULONG words[4] = {HCMD(HOP_WINDOW, 4, slot, 0), (ULONG)address, (ULONG)(address >> 32),
                              w->Bytes};
      HeronPutPatch(b, w->Index, slot, HERON_PATCH_WINDOW, w->Offset, (UINT)(b->At - b->Start) + 4,
                    split);
      HeronPut(b, words, 4);
      w->Loaded = TRUE;
    } else if (w->Loaded) {
      HeronRelease(b, slot, split);
    }
  }
  b->Changed = FALSE;
}

VOID HeronCloseAll(HERON_BUILD* b) {
  const UINT split = (UINT)(b->At - b->Start);
  for (UINT slot = 0; slot < HERON_WINDOWS; ++slot)
    if (b->Window[slot].Loaded) HeronRelease(b, slot, split);
}

BOOLEAN HeronFits(const HERON_BUILD* b, UINT words) {
  UINT patches = 0;
  for (UINT slot = 0; slot < HERON_WINDOWS; ++slot) {
    const HERON_WINDOW* w = &b->Window[slot];
    if (b->Changed && w->Open) {
      words += 4;
      ++patches;
    } else if (b->Changed && w->Loaded) {
      ++words;
      ++patches;
    }
    if (w->Open || (!b->Changed && w->Loaded)) {
      ++words;
      ++patches;
    }
  }
  return (SIZE_T)(b->End - b->At) >= words * sizeof(ULONG) &&
         (SIZE_T)(b->PatchEnd - b->Patch) >= patches;
}

NTSTATUS HeronPatch(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_PATCH p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(hAdapter);
  if (p->Flags.Paging || !p->pPatchLocationList || !p->pAllocationList) return STATUS_SUCCESS;
  for (UINT i = 0; i < p->PatchLocationListSubmissionLength; ++i) {
    const UINT at = p->PatchLocationListSubmissionStart + i;
    if (at >= p->PatchLocationListSize) break;
    const D3DDDI_PATCHLOCATIONLIST* patch = &p->pPatchLocationList[at];
    if (patch->DriverId != HERON_PATCH_WINDOW || patch->AllocationIndex >= p->AllocationListSize)
      continue;
    if (patch->PatchOffset < p->DmaBufferSubmissionStartOffset ||
        patch->PatchOffset + 8 > p->DmaBufferSubmissionEndOffset)
      continue;
    const DXGK_ALLOCATIONLIST* entry = &p->pAllocationList[patch->AllocationIndex];
    if (!entry->hDeviceSpecificAllocation || !entry->SegmentId) continue;
    const UINT64 address = (UINT64)entry->PhysicalAddress.QuadPart + patch->AllocationOffset;
    ULONG* field = (ULONG*)((PUCHAR)p->pDmaBuffer + patch->PatchOffset);
    field[0] = (ULONG)address;
    field[1] = (ULONG)(address >> 32);
  }
  return STATUS_SUCCESS;
}
