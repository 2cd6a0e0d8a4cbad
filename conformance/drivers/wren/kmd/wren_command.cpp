// The commands of user mode, and what each becomes in a DMA buffer.
//
// Each command of user mode becomes a group that is whole in itself: LOADI where it has a value,
// the command, and a MARK for each slot that it used, which tells the memory manager that the slot
// is empty again. So a DMA buffer may be split before any group, and nothing is bound between two.
#include "wren_kmd.h"

// The reference for the address at `word` of the command buffer: `bytes` from there are used.
static NTSTATUS Refer(const WREN_TRANSLATION* t, UINT* Patch, UINT Word, ULONG64 Bytes,
                      BOOLEAN Write, WREN_REFERENCE* Out) {
  if (*Patch >= t->PatchCount) return STATUS_INVALID_PARAMETER;
  const D3DDDI_PATCHLOCATIONLIST* in = &t->Patches[(*Patch)++];
  if (in->PatchOffset != Word * 4 || in->Reserved || in->SlotId >= WREN_SLOTS ||
      in->AllocationIndex >= t->ListSize || t->Command[Word] != 0)
    return STATUS_INVALID_PARAMETER;
  const DXGK_ALLOCATIONLIST* element = &t->List[in->AllocationIndex];
  const WREN_OPEN* open = (const WREN_OPEN*)element->hDeviceSpecificAllocation;
  if (!open) return STATUS_INVALID_HANDLE;
  if (Write && !element->WriteOperation) return STATUS_INVALID_PARAMETER;
  if ((in->AllocationOffset & 3) || Bytes == 0 ||
      in->AllocationOffset + Bytes > open->Allocation->Bytes)
    return STATUS_INVALID_PARAMETER;
  Out->Index = in->AllocationIndex;
  Out->Slot = in->SlotId;
  Out->Offset = in->AllocationOffset;
  return STATUS_SUCCESS;
}

// Translates the command at dword `at`; `Group` is all zeros.
NTSTATUS WrenTranslate(const WREN_TRANSLATION* t, UINT At, UINT* Next, UINT* Patch,
                       WREN_GROUP* Group) {
  const UINT* in = &t->Command[At];
  const UINT left = t->CommandWords - At;
  const UINT op = in[0] & 0xff, words = (in[0] >> 8) & 0xff;
  if (op >= WREN_OP_MAP) return STATUS_PRIVILEGED_INSTRUCTION;
  if ((in[0] >> 16) || words == 0) return STATUS_ILLEGAL_INSTRUCTION;
  if (words > left) return STATUS_INVALID_USER_BUFFER;
  *Next = At + words;
  UINT* out = Group->Words;
  NTSTATUS status = STATUS_SUCCESS;
  UINT uses = 0;
  switch (op) {
    case WREN_UC_NOP:
      return STATUS_SUCCESS;
    case WREN_UC_FILL:
    case WREN_UC_ADD: {
      const BOOLEAN fill = op == WREN_UC_FILL;
      if (words != (fill ? 4u : 3u)) return STATUS_ILLEGAL_INSTRUCTION;
      const ULONG64 bytes = fill ? 4ull * in[2] : 4;
      status = Refer(t, Patch, At + 1, bytes, TRUE, &Group->References[0]);
      if (!NT_SUCCESS(status)) return status;
      out[0] = WREN_COMMAND(WREN_OP_LOADI, 2);
      out[1] = fill ? in[3] : in[2];
      out[2] = WREN_COMMAND(fill ? WREN_OP_FILL : WREN_OP_ADD, fill ? 3 : 2);
      if (fill) out[4] = in[2];
      Group->References[0].At = 3;
      Group->Count = fill ? 5 : 4;
      uses = 1;
      break;
    }
    case WREN_UC_COPY: {
      if (words != 4) return STATUS_ILLEGAL_INSTRUCTION;
      if (in[3] & 3) return STATUS_INVALID_PARAMETER;
      status = Refer(t, Patch, At + 1, in[3], TRUE, &Group->References[0]);
      if (NT_SUCCESS(status)) status = Refer(t, Patch, At + 2, in[3], FALSE, &Group->References[1]);
      if (!NT_SUCCESS(status)) return status;
      WREN_REFERENCE *to = &Group->References[0], *from = &Group->References[1];
      // One slot holds one allocation.
      if (to->Slot == from->Slot && to->Index != from->Index) return STATUS_INVALID_PARAMETER;
      out[0] = WREN_COMMAND(WREN_OP_COPY, 4);
      out[3] = in[3];
      to->At = 1;
      from->At = 2;
      Group->Count = 4;
      uses = 2;
      break;
    }
    case WREN_UC_DELAY:
      if (words != 2) return STATUS_ILLEGAL_INSTRUCTION;
      out[0] = WREN_COMMAND(WREN_OP_DELAY, 2);
      out[1] = in[1];
      Group->Count = 2;
      return STATUS_SUCCESS;
    case WREN_UC_SIGNAL:
    case WREN_UC_WAIT:
      if (words != 3) return STATUS_ILLEGAL_INSTRUCTION;
      // Only the 3D engine can be stopped in a wait.
      if (op == WREN_UC_WAIT && t->Node != WREN_NODE_3D) return STATUS_ILLEGAL_INSTRUCTION;
      if (in[1] >= WREN_SEMAPHORES) return STATUS_INVALID_PARAMETER;
      out[0] = WREN_COMMAND(op == WREN_UC_WAIT ? WREN_OP_WAIT : WREN_OP_SIGNAL, 3);
      out[1] = in[1];
      out[2] = in[2];
      Group->Count = 3;
      return STATUS_SUCCESS;
    default:
      return STATUS_ILLEGAL_INSTRUCTION;
  }
  if (t->Null == ~0u) return STATUS_INVALID_PARAMETER;
  Group->ReferenceCount = uses;
  const UINT first = Group->Count;
  const BOOLEAN same = uses == 2 && Group->References[0].Slot == Group->References[1].Slot;
  for (UINT i = 0; i < (same ? 1 : uses); i++) {
    WREN_REFERENCE* mark = &Group->References[Group->ReferenceCount];
    // All at one split point: none of them is bound behind it.
    Group->Splits[Group->ReferenceCount++] = first;
    out[Group->Count++] = WREN_COMMAND(WREN_OP_MARK, 2);
    mark->At = Group->Count++;
    mark->Index = t->Null;
    mark->Slot = Group->References[i].Slot;
    mark->Offset = 0;
  }
  return STATUS_SUCCESS;
}
