/* A DMA buffer under construction: what Render and Present share. */
#ifndef HERON_BUILD_H
#define HERON_BUILD_H

#include "heron_kmd.h"

typedef struct _HERON_WINDOW {
  BOOLEAN Open;   /* by the commands so far */
  BOOLEAN Loaded; /* in the engine, as this buffer stands */
  BOOLEAN Write;
  UINT Index;
  UINT Offset;
  UINT Bytes;
} HERON_WINDOW;

typedef struct _HERON_BUILD {
  PUCHAR Start, At, End;
  D3DDDI_PATCHLOCATIONLIST *Patch, *PatchEnd;
  const DXGK_ALLOCATIONLIST* List;
  UINT ListSize;
  UINT Empty; /* element of the list that names no allocation */
  BOOLEAN Changed;
  HERON_WINDOW Window[HERON_WINDOWS];
} HERON_BUILD;

VOID HeronBegin(HERON_BUILD* b, PVOID dma, UINT bytes, const DXGK_ALLOCATIONLIST* list,
                UINT list_size, D3DDDI_PATCHLOCATIONLIST* patch, UINT patches);
VOID HeronPut(HERON_BUILD* b, const ULONG* words, UINT count);
/* A split point: closes what is no longer used and loads all that is. */
VOID HeronSplit(HERON_BUILD* b);
/* Closes all windows, in room that HeronFits kept. */
VOID HeronCloseAll(HERON_BUILD* b);
/* Whether `words` fit with what must come before (a split point) and behind (closing) them. */
BOOLEAN HeronFits(const HERON_BUILD* b, UINT words);

#endif
