/* Render: the tokens of a command buffer, checked one by one, become what the engine does. */
#include "heron_build.h"

static const HERON_WINDOW* HeronWindow(const HERON_BUILD* b, UINT slot, UINT64 offset, UINT64 bytes,
                                       BOOLEAN write) {
  if (slot >= HERON_WINDOWS || !b->Window[slot].Open) return NULL;
  const HERON_WINDOW* w = &b->Window[slot];
  if ((offset & 3) || (bytes & 3) || !bytes || offset + bytes > w->Bytes) return NULL;
  return write && !w->Write ? NULL : w;
}

/* Looks at one token; `words` are what the engine shall do, `count` of them. */
static NTSTATUS HeronTranslate(HERON_BUILD* b, const ULONG* t, UINT bytes, ULONG* words,
                               UINT* count) {
  static const UCHAR size[] = {0, 20, 8, 20, 24, 16, 8};
  const UINT op = t[0] & 0xffff;
  *count = 0;
  if (op == 0 || op > HU_SPIN) return STATUS_ILLEGAL_INSTRUCTION;
  if (bytes != size[op]) return STATUS_INVALID_USER_BUFFER;
  switch (op) {
    case HU_BIND: {
      if (t[1] >= HERON_WINDOWS) return STATUS_INVALID_PARAMETER;
      if (t[2] >= b->ListSize || !b->List[t[2]].hDeviceSpecificAllocation)
        return STATUS_INVALID_HANDLE;
      const HERON_OPEN* open = b->List[t[2]].hDeviceSpecificAllocation;
      const UINT64 all = ROUND_TO_PAGES(open->Allocation->Data.bytes);
      if ((t[3] & 3) || (t[4] & 3) || !t[4] || (UINT64)t[3] + t[4] > all)
        return STATUS_INVALID_PARAMETER;
      if (b->Empty == b->ListSize) return STATUS_INVALID_PARAMETER; /* it could never be closed */
      HERON_WINDOW* w = &b->Window[t[1]];
      w->Open = TRUE;
      w->Write = b->List[t[2]].WriteOperation;
      w->Index = t[2];
      w->Offset = t[3];
      w->Bytes = t[4];
      b->Changed = TRUE;
      return STATUS_SUCCESS;
    }
    case HU_UNBIND:
      if (t[1] >= HERON_WINDOWS || !b->Window[t[1]].Open) return STATUS_INVALID_PARAMETER;
      b->Window[t[1]].Open = FALSE;
      b->Changed = TRUE;
      return STATUS_SUCCESS;
    case HU_FILL:
      if (!HeronWindow(b, t[1], t[2], t[3], TRUE)) return STATUS_PRIVILEGED_INSTRUCTION;
      words[0] = HCMD(HOP_FILL, 4, t[1], 0);
      words[1] = t[2];
      words[2] = t[3];
      words[3] = t[4];
      *count = 4;
      return STATUS_SUCCESS;
    case HU_COPY:
      if (!HeronWindow(b, t[1], t[2], t[5], TRUE) || !HeronWindow(b, t[3], t[4], t[5], FALSE))
        return STATUS_PRIVILEGED_INSTRUCTION;
      words[0] = HCMD(HOP_COPY, 4, t[1], t[3]);
      words[1] = t[2];
      words[2] = t[4];
      words[3] = t[5];
      *count = 4;
      return STATUS_SUCCESS;
    case HU_ADD:
      if (!HeronWindow(b, t[1], t[2], 4, TRUE)) return STATUS_PRIVILEGED_INSTRUCTION;
      words[0] = HCMD(HOP_ADD, 3, t[1], 0);
      words[1] = t[2];
      words[2] = t[3];
      *count = 3;
      return STATUS_SUCCESS;
    default: /* HU_SPIN */
      words[0] = HCMD(HOP_SPIN, 2, 0, 0);
      words[1] = t[1];
      *count = 2;
      return STATUS_SUCCESS;
  }
}

/* MultipassOffset is the offset of the first token that no buffer has yet. */
NTSTATUS HeronRender(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER r) {
  PAGED_CODE();
  const HERON_CONTEXT* context = hContext;
  HERON_BUILD b;
  ULONG token[HERON_MAX_TOKEN / 4], words[8];
  UINT offset = 0, bytes, count;
  NTSTATUS status = STATUS_SUCCESS;
  if (!context) return STATUS_INVALID_HANDLE;
  HeronBegin(&b, r->pDmaBuffer, r->DmaSize, r->pAllocationList, r->AllocationListSize,
             r->pPatchLocationListOut, r->PatchLocationListOutSize);

  while (offset < r->CommandLength) {
    status = HeronFetch(r, offset, token, &bytes);
    if (!NT_SUCCESS(status)) return status;
    status = HeronTranslate(&b, token, bytes, words, &count);
    if (!NT_SUCCESS(status)) return status;
    /* What only opens or closes windows takes no room yet. */
    if (count && offset >= r->MultipassOffset) {
      if (!HeronFits(&b, count)) {
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        break;
      }
      if (HCMD_OP(words[0]) != HOP_SPIN && b.Changed) HeronSplit(&b);
      HeronPut(&b, words, count);
    }
    offset += bytes;
  }
  if (status == STATUS_SUCCESS) {
    for (UINT slot = 0; slot < HERON_WINDOWS; ++slot)
      if (b.Window[slot].Open) return STATUS_ILLEGAL_INSTRUCTION; /* left open */
  }
  HeronCloseAll(&b);
  if (r->pDmaBufferPrivateData && r->DmaBufferPrivateDataSize >= sizeof(HERON_DMA_PRIVATE)) {
    HERON_DMA_PRIVATE* p = r->pDmaBufferPrivateData;
    p->Bytes = (UINT)(b.At - b.Start);
    p->Node = context->Node;
    p->Pass = r->MultipassOffset;
  }
  r->pDmaBuffer = b.At;
  r->pPatchLocationListOut = b.Patch;
  r->MultipassOffset = offset;
  return status;
}
