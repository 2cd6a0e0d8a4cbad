// Paging buffers. All of it runs when the GPU gets there, but what the CPU is asked to write at
// once.
//
// No allocation has AccessedPhysically, so nothing is ever at an address of a segment, and none of
// the operations by physical address comes. MultipassOffset counts entries, or ranges of a copy.
#include "tern_kmd.h"

static ULONG64 entry_of(const DXGK_PTE* pte, UINT level, ULONG64 driver_protection) {
  ULONG64 entry;
  if (!pte->Valid) return 0;
  entry = TERN_PTE_VALID | TERN_PTE_LEVEL(level);
  if (level == 0) {
    entry |= TERN_PTE_DRIVER(driver_protection);
    if (pte->ReadOnly) entry |= TERN_PTE_READ_ONLY;
  }
  if (pte->Zero) return entry | TERN_PTE_ZERO;
  entry |= pte->Segment == 0 ? TERN_PTE_SYSTEM : 0;
  if (level == 0 && tern_big_pages && pte->Segment == TERN_SEGMENT_LOCAL) entry |= TERN_PTE_BLOCK;
  // The address is a number of pages.
  return entry |
         (((tern_gpu_address((UINT)pte->Segment, pte->PageAddress << 12) & ~TERN_SYSTEM) >> 12) &
          TERN_PTE_FRAME_MASK);
}

// Room for so many words at the cursor, or NULL.
static ULONG64* room(const DXGKARG_BUILDPAGINGBUFFER* args, SIZE_T words) {
  return args->DmaSize / 8 >= words ? (ULONG64*)args->pDmaBuffer : NULL;
}
static NTSTATUS wrote(DXGKARG_BUILDPAGINGBUFFER* args, SIZE_T words) {
  args->pDmaBuffer = (PUCHAR)args->pDmaBuffer + words * 8;
  args->DmaSize -= (UINT)(words * 8);
  return STATUS_SUCCESS;
}

static void update_with_cpu(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* update) {
  ULONG64* table = (ULONG64*)update->PageTableAddress.CpuVirtual;
  UINT i;
  for (i = 0; i < update->NumPageTableEntries; ++i) {
    const DXGK_PTE* pte = &update->pPageTableEntries[update->Flags.Repeat ? 0 : i];
    table[update->StartIndex + i] = entry_of(pte, update->PageTableLevel, update->DriverProtection);
  }
}

static NTSTATUS update_page_table(DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* update = &args->UpdatePageTable;
  const UINT level = update->PageTableLevel;
  ULONG64 address = update->PageTableAddress.GpuVirtual;
  UINT flags = TERN_TABLE_VIRTUAL;
  if (update->UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
    update_with_cpu(update);
    return STATUS_SUCCESS;
  }
  if (update->UpdateMode == DXGK_PAGETABLEUPDATE_GPU_PHYSICAL) {
    const D3DGPU_PHYSICAL_ADDRESS* place = &update->PageTableAddress.GpuPhysical;
    address = tern_gpu_address(place->SegmentId, place->SegmentOffset) & ~TERN_SYSTEM;
    flags = place->SegmentId == 0 ? TERN_TABLE_SYSTEM : TERN_TABLE_LOCAL;
  }
  if (update->Flags.Repeat) {
    ULONG64* word = room(args, 5);
    if (word == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    word[0] = TERN_COMMAND(TERN_PTE_FILL, 5, flags, 0);
    word[1] = address;
    word[2] = update->StartIndex;
    word[3] = update->NumPageTableEntries;
    word[4] = entry_of(update->pPageTableEntries, level, update->DriverProtection);
    return wrote(args, 5);
  }
  while (args->MultipassOffset < update->NumPageTableEntries) {
    const UINT left = update->NumPageTableEntries - args->MultipassOffset;
    const UINT fit = args->DmaSize / 8 > 3 ? args->DmaSize / 8 - 3 : 0;
    const UINT count = left < fit ? left : fit;
    ULONG64* word = (ULONG64*)args->pDmaBuffer;
    UINT i;
    if (count == 0) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    word[0] = TERN_COMMAND(TERN_PTE_WRITE, 3 + count, flags, 0);
    word[1] = address;
    word[2] = update->StartIndex + args->MultipassOffset;
    for (i = 0; i < count; ++i) {
      word[3 + i] = entry_of(&update->pPageTableEntries[args->MultipassOffset + i], level,
                             update->DriverProtection);
    }
    args->MultipassOffset += count;
    wrote(args, 3 + count);
  }
  return STATUS_SUCCESS;
}

static NTSTATUS copy_entries(DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES* copy = &args->CopyPageTableEntries;
  for (; args->MultipassOffset < copy->NumRanges; ++args->MultipassOffset) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE* range = &copy->pRanges[args->MultipassOffset];
    ULONG64* word = room(args, 4);
    if (word == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    word[0] = TERN_COMMAND(TERN_PTE_COPY, 4, 0, 0);
    word[1] = range->DstPageTableAddress + 8ull * range->DstStartPteIndex;
    word[2] = range->SrcPageTableAddress + 8ull * range->SrcStartPteIndex;
    word[3] = range->NumPageTableEntries;
    wrote(args, 4);
  }
  return STATUS_SUCCESS;
}

// Nobody says whether the last address is part of the range: its page is flushed.
static NTSTATUS flush_tlb(DXGKARG_BUILDPAGINGBUFFER* args) {
  const DXGK_BUILDPAGINGBUFFER_FLUSHTLB* flush = &args->FlushTlb;
  const TernProcess* process = (const TernProcess*)flush->hProcess;
  const BOOLEAN all = flush->StartVirtualAddress == 0 && flush->EndVirtualAddress == 0;
  ULONG64* word = room(args, 6);
  if (word == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  // Of which of its spaces the root tells; flushing both is allowed.
  word[0] = TERN_COMMAND(TERN_TLB_FLUSH, 3, 0, process == NULL ? 0 : process->Space);
  word[3] = TERN_COMMAND(TERN_TLB_FLUSH, 3, 0, process == NULL ? 0 : TERN_KERNEL_SPACE(process));
  word[1] = word[4] = flush->StartVirtualAddress;
  word[2] = word[5] = all ? ~0ull : flush->EndVirtualAddress;
  return wrote(args, 6);
}

static NTSTATUS move(DXGKARG_BUILDPAGINGBUFFER* args, UINT op, ULONG64 to, ULONG64 second,
                     ULONG64 third) {
  ULONG64* word = room(args, 4);
  if (word == NULL) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  word[0] = TERN_COMMAND(op, 4, TERN_BY_DRIVER, 0);
  word[1] = to;
  word[2] = second;
  word[3] = third;
  return wrote(args, 4);
}

NTSTATUS TernBuildPagingBuffer(HANDLE hAdapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  UNREFERENCED_PARAMETER(hAdapter);
  switch (args->Operation) {
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return update_page_table(args);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return copy_entries(args);
    case DXGK_OPERATION_FLUSH_TLB:
      return flush_tlb(args);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return move(args, TERN_FILL, args->FillVirtual.DestinationVirtualAddress,
                  args->FillVirtual.FillSizeInBytes, args->FillVirtual.FillPattern);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return move(args, TERN_COPY, args->TransferVirtual.DestinationVirtualAddress,
                  args->TransferVirtual.SourceVirtualAddress,
                  args->TransferVirtual.TransferSizeInBytes);
    default:  // notifications of which nothing follows
      return STATUS_SUCCESS;
  }
}
