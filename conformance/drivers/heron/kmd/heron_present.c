/* Present: rectangles from surface to surface, or of one colour. */
#include "heron_build.h"

static BOOLEAN HeronInside(const RECT* rect, const HeronAllocationData* d) {
  return rect->left >= 0 && rect->top >= 0 && rect->left < rect->right &&
         rect->top < rect->bottom && rect->right <= (LONG)d->width &&
         rect->bottom <= (LONG)d->height;
}

/* MultipassOffset is the number of rectangles that earlier buffers have. */
NTSTATUS HeronPresent(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_PRESENT p) {
  PAGED_CODE();
  const HERON_OPEN *to, *from = NULL;
  HERON_BUILD b;
  NTSTATUS status = STATUS_SUCCESS;
  UINT i;
  if (!hContext) return STATUS_INVALID_HANDLE;
  if (!p->Flags.Blt && !p->Flags.ColorFill) return STATUS_ILLEGAL_INSTRUCTION; /* nothing to flip */
  if (!p->pDmaBuffer || !p->pAllocationList) return STATUS_ILLEGAL_INSTRUCTION;
  to = p->pAllocationList[DXGK_PRESENT_DESTINATION_INDEX].hDeviceSpecificAllocation;
  if (p->Flags.Blt) from = p->pAllocationList[DXGK_PRESENT_SOURCE_INDEX].hDeviceSpecificAllocation;
  if (!to || (p->Flags.Blt && !from)) return STATUS_INVALID_HANDLE;
  const HeronAllocationData* td = &to->Allocation->Data;
  if (!td->pitch || (from && !from->Allocation->Data.pitch)) return STATUS_INVALID_HANDLE;
  if (from && from->Allocation->Data.format != td->format)
    return STATUS_GRAPHICS_CANNOTCOLORCONVERT;
  if (from && (p->DstRect.right - p->DstRect.left != p->SrcRect.right - p->SrcRect.left ||
               p->DstRect.bottom - p->DstRect.top != p->SrcRect.bottom - p->SrcRect.top))
    return STATUS_ILLEGAL_INSTRUCTION; /* the engine does not stretch */

  HeronBegin(&b, p->pDmaBuffer, p->DmaSize, p->pAllocationList, DXGK_PRESENT_MAX_INDEX + 1,
             p->pPatchLocationListOut, p->PatchLocationListOutSize);
  b.Empty = 0;
  b.Window[0].Open = TRUE;
  b.Window[0].Index = DXGK_PRESENT_DESTINATION_INDEX;
  b.Window[0].Bytes = (UINT)ROUND_TO_PAGES(td->bytes);
  if (from) {
    b.Window[1].Open = TRUE;
    b.Window[1].Index = DXGK_PRESENT_SOURCE_INDEX;
    b.Window[1].Bytes = (UINT)ROUND_TO_PAGES(from->Allocation->Data.bytes);
  }
  b.Changed = TRUE;
  const UINT rects = p->SubRectCnt && p->pDstSubRects ? p->SubRectCnt : 1;
  for (i = p->MultipassOffset; i < rects; ++i) {
    const RECT rect = p->SubRectCnt && p->pDstSubRects ? p->pDstSubRects[i] : p->DstRect;
    if (!HeronInside(&rect, td)) return STATUS_ILLEGAL_INSTRUCTION;
    const UINT at = rect.top * td->pitch + rect.left * 4;
    const UINT row = (rect.right - rect.left) * 4, rows = rect.bottom - rect.top;
    ULONG words[7];
    UINT count;
    if (from) {
      const HeronAllocationData* fd = &from->Allocation->Data;
      RECT source;
      source.left = rect.left - p->DstRect.left + p->SrcRect.left;
      source.top = rect.top - p->DstRect.top + p->SrcRect.top;
      source.right = source.left + (rect.right - rect.left);
      source.bottom = source.top + (rect.bottom - rect.top);
      if (!HeronInside(&source, fd)) return STATUS_ILLEGAL_INSTRUCTION;
      words[0] = HCMD(HOP_RECTCOPY, 7, 0, 1);
      words[1] = at;
      words[2] = td->pitch;
      words[3] = source.top * fd->pitch + source.left * 4;
      words[4] = fd->pitch;
      words[5] = row;
      words[6] = rows;
      count = 7;
    } else {
      words[0] = HCMD(HOP_RECTFILL, 6, 0, 0);
      words[1] = at;
      words[2] = td->pitch;
      words[3] = row;
      words[4] = rows;
      words[5] = p->Color;
      count = 6;
    }
    if (!HeronFits(&b, count)) {
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
      break;
    }
    if (b.Changed) HeronSplit(&b);
    HeronPut(&b, words, count);
  }
  HeronCloseAll(&b);
  p->pDmaBuffer = b.At;
  p->pPatchLocationListOut = b.Patch;
  p->MultipassOffset = i;
  return status;
}
