// Page tables, which the CPU writes in system memory, and paging buffers of the copy engine.
#include "plover_kmd.h"

static ULONG64 PagePlace(const DXGK_PTE* p) {
  const ULONG64 at = p->PageAddress << PAGE_SHIFT;
  return p->Segment ? PLOVER_MEMORY_BASE + at : at | PLOVER_PTE_SYSTEM;
}

// The first word of an entry of any level.
static ULONG64 EntryWord(const DXGK_PTE* p, UINT level) {
  if (p->Zero) return PLOVER_PTE_VALID | PLOVER_PTE_ZERO;
  if (!p->Valid) return 0;
  ULONG64 word = PLOVER_PTE_VALID | PagePlace(p);
  if (level == 0) {
    if (p->ReadOnly) word |= PLOVER_PTE_READ_ONLY;
    if (p->NoExecute) word |= PLOVER_PTE_NO_EXECUTE;
    if (p->CacheCoherent) word |= PLOVER_PTE_COHERENT;
  }
  return word;
}

static NTSTATUS UpdatePageTable(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* u) {
  if (u->UpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL || u->PageTableLevel >= PLOVER_LEVELS)
    return STATUS_INVALID_PARAMETER;
  volatile ULONG64* table = (volatile ULONG64*)u->PageTableAddress.CpuVirtual;
  static const UINT bytes[PLOVER_LEVELS] = PLOVER_ENTRY_BYTES;
  const UINT words = bytes[u->PageTableLevel] / 8;
  for (UINT i = 0; i < u->NumPageTableEntries; ++i) {
    volatile ULONG64* at = table + (SIZE_T)(u->StartIndex + i) * words;
    const ULONG64 word =
        EntryWord(&u->pPageTableEntries[u->Flags.Repeat ? 0 : i], u->PageTableLevel);
    if (words == 2) at[1] = word ? u->DriverProtection : 0;
    at[0] = word;  // one store: the MMU sees the old entry or the new one
  }
  KeMemoryBarrier();
  return STATUS_SUCCESS;
}

// Appends commands to the paging buffer, all of them or none.
static NTSTATUS Append(DXGKARG_BUILDPAGINGBUFFER* args, const PloverCommand* commands, UINT count) {
  const UINT bytes = count * sizeof *commands;
  if (!args->pDmaBuffer || args->DmaSize < bytes) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  RtlCopyMemory(args->pDmaBuffer, commands, bytes);
  args->pDmaBuffer = (UCHAR*)args->pDmaBuffer + bytes;
  args->DmaSize -= bytes;
  return STATUS_SUCCESS;
}

// Without a paging buffer the flush is done at once.
static NTSTATUS FlushTlb(Adapter* a, DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_FLUSHTLB* flush = &args->FlushTlb;
  const Process* p = FindAs<Process>(flush->hProcess);
  const UINT space = p ? p->Space : ~0u;
  const PloverCommand c = {PLOVER_OP_FLUSH_TLB, space, flush->StartVirtualAddress, 0,
                           flush->EndVirtualAddress};
  if (args->pDmaBuffer) return Append(args, &c, 1);
  Write32(a, PLOVER_TLB_INVALIDATE, space);
  return STATUS_SUCCESS;
}

static NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL* t = &args->TransferVirtual;
  const PloverCommand c = {PLOVER_OP_COPY, 0, t->DestinationVirtualAddress, t->SourceVirtualAddress,
                           t->TransferSizeInBytes};
  return Append(args, &c, 1);
}

static NTSTATUS Fill(DXGKARG_BUILDPAGINGBUFFER* args, ULONG64 at, ULONG64 bytes, UINT pattern) {
  const PloverCommand c = {PLOVER_OP_FILL, pattern, at, 0, bytes};
  return Append(args, &c, 1);
}

static NTSTATUS Signal(DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE* s = &args->SignalMonitoredFence;
  const PloverCommand c[2] = {
      {PLOVER_OP_WRITE64, 0, s->MonitoredFenceGpuVa, s->MonitoredFenceValue, 0},
      {PLOVER_OP_NOTIFY, 0, 0, 0, 0},
  };
  return Append(args, c, 2);
}

NTSTATUS PloverBuildPagingBuffer(IN_CONST_HANDLE hAdapter, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  switch (args->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return UpdatePageTable(&args->UpdatePageTable);
    case DXGK_OPERATION_FLUSH_TLB:
      return FlushTlb((Adapter*)hAdapter, args);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return Transfer(args);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return Fill(args, args->FillVirtual.DestinationVirtualAddress,
                  args->FillVirtual.FillSizeInBytes, args->FillVirtual.FillPattern);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:  // nothing saved yet
      return Fill(args, args->InitContextResource.Destination.GpuVirtualAddress,
                  sizeof(PloverSaveArea), 0);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      return Signal(args);
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL:
      return STATUS_SUCCESS;  // nothing of the hardware depends on it
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

VOID PloverSetRootPageTable(IN_CONST_HANDLE hAdapter, IN_CONST_PDXGKARG_SETROOTPAGETABLE args) {
  Adapter* a = (Adapter*)hAdapter;
  Context* c = FindAs<Context>(args->hContext);
  if (!c || args->Address.SegmentId) return;
  c->Root = args->Address.SegmentOffset;
  c->RootEntries = args->NumEntries;
  if (a->Powered && c->Parent->Parent) Write32(a, PLOVER_TLB_INVALIDATE, c->Parent->Parent->Space);
}

// Nobody asks: the root of four levels has one size.
SIZE_T PloverGetRootPageTableSize(IN_CONST_HANDLE, INOUT_PDXGKARG_GETROOTPAGETABLESIZE args) {
  static const UINT bits[PLOVER_LEVELS] = PLOVER_INDEX_BITS;
  args->NumberOfPte = 1u << bits[PLOVER_LEVELS - 1];
  return PAGE_SIZE;
}
