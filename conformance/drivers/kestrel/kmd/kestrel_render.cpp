// From the commands of user mode to a DMA buffer and its patch-location list.
//
// Commands keep their form. The driver checks each, and says which slots are bound where: at every
// command that uses one there is a split point, and all others are released there. All is checked
// before anything is written, in every pass.
#include "kestrel_kmd.h"

struct RenderState {
  const ULONG* Words;  // our copy of the command buffer
  ULONG Count;
  const D3DDDI_PATCHLOCATIONLIST* In;
  ULONG InCount;
  USHORT* InOf;  // of each word the number of the element that patches it, from 1
  ULONG NullIndex;
  KstTable* Opens;
  DXGKARG_RENDER* Args;
  // Of this pass.
  ULONG Bytes, Patches;
  ULONG Bound;  // bit n: slot n
};

static ULONG OpWords(ULONG op) {
  switch (op) {
    case KST_OP_RELEASE:
    case KST_OP_SPIN:
      return 2;
    case KST_OP_SIGNAL:
    case KST_OP_WAIT:
      return 3;
    case KST_OP_ADD:
      return 4;
    case KST_OP_FILL:
      return 5;
    case KST_OP_COPY:
      return 6;
  }
  return 0;
}

// The element that gives the address at `word`; checks that the access stays inside.
static NTSTATUS CheckAddress(RenderState* s, ULONG word, ULONGLONG bytes, BOOLEAN write,
                             const D3DDDI_PATCHLOCATIONLIST** out) {
  ULONG number = s->InOf[word];
  if (!number) return STATUS_PRIVILEGED_INSTRUCTION;  // an address of user mode's own
  const D3DDDI_PATCHLOCATIONLIST* p = &s->In[number - 1];
  const DXGK_ALLOCATIONLIST* entry = &s->Args->pAllocationList[p->AllocationIndex];
  KstObject object;
  if (!KstTableGet(s->Opens, entry->hDeviceSpecificAllocation, &object))
    return STATUS_INVALID_HANDLE;
  if (p->SlotId >= KST_SLOTS || (p->AllocationOffset & 3) || (bytes & 3))
    return STATUS_INVALID_PARAMETER;
  if (p->AllocationOffset > object.Bytes || bytes > object.Bytes - p->AllocationOffset)
    return STATUS_PRIVILEGED_INSTRUCTION;
  if (write && !entry->WriteOperation) return STATUS_INVALID_PARAMETER;
  *out = p;
  return STATUS_SUCCESS;
}

static void AddPatch(RenderState* s, ULONG allocation, ULONG slot, ULONG driver, ULONG offset,
                     ULONG at, ULONG split) {
  D3DDDI_PATCHLOCATIONLIST* p = &s->Args->pPatchLocationListOut[s->Patches++];
  RtlZeroMemory(p, sizeof(*p));
  p->AllocationIndex = allocation;
  p->SlotId = slot;
  p->DriverId = driver;
  p->AllocationOffset = offset;
  p->PatchOffset = at;
  p->SplitOffset = split;
}

// Slots that are bound and not named by `keep` are released at the packet at `at`.
static void ReleaseOthers(RenderState* s, ULONG keep, ULONG at) {
  for (ULONG slot = 0; slot < KST_SLOTS; slot++) {
    if ((s->Bound & ~keep) >> slot & 1) AddPatch(s, s->NullIndex, slot, 0, 0, at, at);
  }
  s->Bound &= keep;
}

static ULONG Bits(ULONG x) {
  ULONG n = 0;
  for (; x; x &= x - 1) n++;
  return n;
}

// A command as it was checked: its words, and the elements for its operands.
struct Checked {
  ULONG Op, Length;
  ULONG Uses;
  const D3DDDI_PATCHLOCATIONLIST* Use[2];
};

static NTSTATUS CheckOperands(RenderState* s, ULONG at, Checked* out) {
  const ULONG* c = s->Words + at;
  NTSTATUS status = STATUS_SUCCESS;
  out->Uses = out->Op == KST_OP_COPY ? 2 : out->Op == KST_OP_FILL || out->Op == KST_OP_ADD;
  if (out->Op == KST_OP_FILL) status = CheckAddress(s, at + 1, c[3], TRUE, &out->Use[0]);
  if (out->Op == KST_OP_ADD) status = CheckAddress(s, at + 1, 4, TRUE, &out->Use[0]);
  if (out->Op == KST_OP_COPY) {
    status = CheckAddress(s, at + 1, c[5], TRUE, &out->Use[0]);
    if (NT_SUCCESS(status)) status = CheckAddress(s, at + 3, c[5], FALSE, &out->Use[1]);
  }
  if (!NT_SUCCESS(status)) return status;
  // Two operands of one command may not disagree about what a slot holds.
  if (out->Uses == 2 && out->Use[0]->SlotId == out->Use[1]->SlotId &&
      out->Use[0]->AllocationIndex != out->Use[1]->AllocationIndex)
    return STATUS_INVALID_PARAMETER;
  // Slots are released by an entry that names nothing.
  if (out->Uses && s->NullIndex == ~0u) return STATUS_INVALID_PARAMETER;
  return STATUS_SUCCESS;
}

static NTSTATUS Check(RenderState* s, ULONG at, Checked* out) {
  const ULONG* c = s->Words + at;
  RtlZeroMemory(out, sizeof(*out));
  if (!KST_IS_COMMAND(c[0])) return STATUS_ILLEGAL_INSTRUCTION;
  out->Op = KST_OP(c[0]);
  out->Length = KST_WORDS(c[0]);
  if (out->Op >= KST_OP_PFILL && out->Op <= KST_OP_GARTFILL) return STATUS_PRIVILEGED_INSTRUCTION;
  if (out->Op != KST_OP_NOP && (!OpWords(out->Op) || OpWords(out->Op) != out->Length))
    return STATUS_ILLEGAL_INSTRUCTION;
  if (out->Length > s->Count - at) return STATUS_INVALID_USER_BUFFER;
  if (out->Op == KST_OP_RELEASE && c[1] >= KST_SLOTS) return STATUS_INVALID_PARAMETER;
  if ((out->Op == KST_OP_SIGNAL || out->Op == KST_OP_WAIT) && c[1] >= KST_SEMAPHORES)
    return STATUS_INVALID_PARAMETER;
  return CheckOperands(s, at, out);
}

// The address as far as it is known: where the allocation lies now, Patch says again.
static void EmitAddress(RenderState* s, ULONG* field, const D3DDDI_PATCHLOCATIONLIST* p, ULONG at,
                        ULONG split) {
  const DXGK_ALLOCATIONLIST* entry = &s->Args->pAllocationList[p->AllocationIndex];
  const ULONGLONG address =
      entry->SegmentId ? entry->PhysicalAddress.QuadPart + p->AllocationOffset : 0;
  field[0] = (ULONG)(address >> 32);
  field[1] = (ULONG)address;
  AddPatch(s, p->AllocationIndex, p->SlotId, p->DriverId, p->AllocationOffset, at, split);
}

// FALSE: there is no room for it and for the end of the pass.
static BOOLEAN Emit(RenderState* s, ULONG at, const Checked* command) {
  const ULONG* c = s->Words + at;
  const ULONG bytes = command->Length * 4;
  ULONG keep = 0;
  for (ULONG i = 0; i < command->Uses; i++) keep |= 1u << command->Use[i]->SlotId;
  // Where one slot changes there is a split point, so all that are bound are told of there.
  const BOOLEAN splits = command->Uses || (command->Op == KST_OP_RELEASE && (s->Bound >> c[1] & 1));
  const ULONG released = splits ? s->Bound & ~keep : 0;
  const ULONG after = (s->Bound & ~released) | keep;
  // Behind it the pass may have to end: one word, and all slots are released.
  if (s->Bytes + bytes + 4 > s->Args->DmaSize) return FALSE;
  if (s->Patches + Bits(released) + command->Uses + Bits(after) > s->Args->PatchLocationListOutSize)
    return FALSE;
  ULONG* dma = (ULONG*)((PUCHAR)s->Args->pDmaBuffer + s->Bytes);
  RtlCopyMemory(dma, c, bytes);
  ReleaseOthers(s, splits ? keep : ~0u, s->Bytes);
  for (ULONG i = 0; i < command->Uses; i++)
    EmitAddress(s, dma + 1 + i * 2, command->Use[i], s->Bytes + 4 + i * 8, s->Bytes);
  s->Bound = after;
  s->Bytes += bytes;
  return TRUE;
}

static NTSTATUS Translate(RenderState* s) {
  DXGKARG_RENDER* args = s->Args;
  for (ULONG i = 0; i < s->InCount; i++) {  // in any order
    const D3DDDI_PATCHLOCATIONLIST* p = &s->In[i];
    if (p->AllocationIndex >= args->AllocationListSize || (p->PatchOffset & 3) ||
        p->PatchOffset / 4 >= s->Count)
      return STATUS_INVALID_PARAMETER;
    s->InOf[p->PatchOffset / 4] = (USHORT)(i + 1);
  }
  s->NullIndex = ~0u;
  for (ULONG i = 0; i < args->AllocationListSize; i++) {
    if (!args->pAllocationList[i].hDeviceSpecificAllocation) {
      s->NullIndex = i;
      break;
    }
  }
  const ULONG first = args->MultipassOffset / 4;
  Checked command;
  ULONG at;
  for (at = 0; at < s->Count; at += command.Length) {
    NTSTATUS status = Check(s, at, &command);
    if (!NT_SUCCESS(status)) return status;
    if (at < first && at + command.Length > first) return STATUS_INVALID_USER_BUFFER;
  }
  NTSTATUS status = STATUS_SUCCESS;
  for (at = first; at < s->Count && NT_SUCCESS(status);) {
    status = Check(s, at, &command);
    if (!NT_SUCCESS(status)) return status;
    if (Emit(s, at, &command))
      at += command.Length;
    else
      status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  if (s->Bound) {
    ULONG end = s->Bytes;
    *(ULONG*)((PUCHAR)args->pDmaBuffer + end) = KST_HEADER(KST_OP_NOP, 1);
    ReleaseOthers(s, 0, end);
    s->Bytes += 4;
  }
  args->MultipassOffset = at * 4;
  if (args->pDmaBufferPrivateData && args->DmaBufferPrivateDataSize >= sizeof(KstDmaPrivate)) {
    KstDmaPrivate* p = (KstDmaPrivate*)args->pDmaBufferPrivateData;
    RtlZeroMemory(p, sizeof(*p));
    p->Magic = KST_DMA_MAGIC;
    args->pDmaBufferPrivateData = p + 1;
  }
  args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + s->Bytes;
  args->pPatchLocationListOut += s->Patches;
  return status;
}

NTSTATUS KstRender(IN_CONST_HANDLE hContext, INOUT_PDXGKARG_RENDER args) {
  KstContext* context = (KstContext*)hContext;
  SIZE_T bytes = args->CommandLength, in = args->PatchLocationListInSize;
  if (!bytes || (bytes & 3) || bytes > 0x100000 || in > 0xfffe || args->MultipassOffset >= bytes)
    return STATUS_INVALID_USER_BUFFER;
  SIZE_T list = sizeof(D3DDDI_PATCHLOCATIONLIST) * in, index = sizeof(USHORT) * (bytes / 4);
  PUCHAR copy = (PUCHAR)ExAllocatePoolWithTag(PagedPool, bytes + list + index, KST_TAG);
  if (!copy) return STATUS_NO_MEMORY;
  RtlZeroMemory(copy + bytes + list, index);
  NTSTATUS status = KstCopyFromUser(copy, args->pCommand, bytes);
  if (NT_SUCCESS(status) && in)
    status = KstCopyFromUser(copy + bytes, args->pPatchLocationListIn, list);
  if (NT_SUCCESS(status)) {
    RenderState s;
    RtlZeroMemory(&s, sizeof(s));
    s.Words = (ULONG*)copy;
    s.Count = (ULONG)(bytes / 4);
    s.In = (D3DDDI_PATCHLOCATIONLIST*)(copy + bytes);
    s.InCount = (ULONG)in;
    s.InOf = (USHORT*)(copy + bytes + list);
    s.Opens = &context->Device->Adapter->Opens;
    s.Args = args;
    status = Translate(&s);
  }
  ExFreePoolWithTag(copy, KST_TAG);
  return status;
}
