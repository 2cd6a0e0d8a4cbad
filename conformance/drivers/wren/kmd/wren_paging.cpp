// Paging buffers: work of the copy engine for the memory manager.
#include "wren_kmd.h"

struct WREN_WRITER {
  UCHAR* At;
  UINT Left;
};

// Room for `words`, or null if the buffer is used up.
static UINT* Put(WREN_WRITER* w, UINT Words) {
  if (w->Left < Words * 4) return NULL;
  UINT* place = (UINT*)w->At;
  w->At += Words * 4;
  w->Left -= Words * 4;
  return place;
}

static NTSTATUS MapPages(WREN_ADAPTER* A, DXGKARG_BUILDPAGINGBUFFER* Args, WREN_WRITER* w) {
  const auto& map = Args->MapApertureSegment;
  if (map.OffsetInPages >= WREN_APERTURE_PAGES ||
      map.NumberOfPages > WREN_APERTURE_PAGES - map.OffsetInPages)
    return STATUS_INVALID_PARAMETER;
  const UINT first = (UINT)map.OffsetInPages, pages = (UINT)map.NumberOfPages;
  const PFN_NUMBER* pfns = MmGetMdlPfnArray(map.pMdl) + map.MdlOffset;
  const UINT flags = WREN_PTE_PRESENT | (map.Flags.CacheCoherent ? WREN_PTE_SNOOP : 0);
  if (A->Recovering) {  // The GPU stands still, and is to be left alone.
    for (UINT i = 0; i < pages; i++) A->Gtt[first + i] = WrenPte(pfns[i], flags);
    return STATUS_SUCCESS;
  }
  if (!map.hAllocation && Args->MultipassOffset == 0) {
    // A DMA buffer, perhaps the very one in which the command below would lie. Where nothing was
    // mapped no engine looks, so it is done at once; the command keeps the order with those queued.
    for (UINT i = 0; i < pages; i++)
      if (A->Gtt[first + i] & WREN_PTE_PLACEHOLDER) A->Gtt[first + i] = WrenPte(pfns[i], flags);
  }
  while (Args->MultipassOffset < pages) {
    if (w->Left < 3 * 4) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const UINT done = Args->MultipassOffset;
    UINT count = pages - done;
    if (count > WREN_MAP_MOST) count = WREN_MAP_MOST;
    if (count > w->Left / 4 - 2) count = w->Left / 4 - 2;
    UINT* out = Put(w, 2 + count);
    out[0] = WREN_COMMAND(WREN_OP_MAP, 2 + count);
    out[1] = first + done;
    for (UINT i = 0; i < count; i++) out[2 + i] = WrenPte(pfns[done + i], flags);
    Args->MultipassOffset += count;
  }
  return STATUS_SUCCESS;
}

static NTSTATUS UnmapPages(WREN_ADAPTER* A, DXGKARG_BUILDPAGINGBUFFER* Args, WREN_WRITER* w) {
  const auto& unmap = Args->UnmapApertureSegment;
  if (unmap.OffsetInPages >= WREN_APERTURE_PAGES ||
      unmap.NumberOfPages > WREN_APERTURE_PAGES - unmap.OffsetInPages)
    return STATUS_INVALID_PARAMETER;
  const UINT first = (UINT)unmap.OffsetInPages, pages = (UINT)unmap.NumberOfPages;
  const UINT entry =
      WrenPte(unmap.DummyPage.QuadPart >> 12, WREN_PTE_PRESENT | WREN_PTE_PLACEHOLDER);
  if (A->Recovering) {
    for (UINT i = 0; i < pages; i++) A->Gtt[first + i] = entry;
    return STATUS_SUCCESS;
  }
  UINT* out = Put(w, 4);
  if (!out) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  out[0] = WREN_COMMAND(WREN_OP_UNMAP, 4);
  out[1] = first;
  out[2] = pages;
  out[3] = entry;
  return STATUS_SUCCESS;
}

// Where byte `at` of one side of a transfer lies, as the copy engine names it.
static ULONG64 Side(UINT Segment, LARGE_INTEGER Address, MDL* Mdl, UINT TransferOffset,
                    UINT MdlOffset, SIZE_T At) {
  if (Segment) return (ULONG64)Address.QuadPart + TransferOffset + At;
  const ULONG64 pfn = MmGetMdlPfnArray(Mdl)[MdlOffset + (At >> 12)];
  return (pfn << 12) | (At & (PAGE_SIZE - 1)) | (ULONG64)WREN_PHYSICAL << 32;
}

// A page for each command; MultipassOffset counts them.
template <class T>
static NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER* Args, const T& transfer, UINT MdlOffset,
                         WREN_WRITER* w) {
  for (;;) {
    const SIZE_T at = (SIZE_T)Args->MultipassOffset << 12;
    if (at >= transfer.TransferSize) return STATUS_SUCCESS;
    SIZE_T bytes = transfer.TransferSize - at;
    if (bytes > PAGE_SIZE) bytes = PAGE_SIZE;
    UINT* out = Put(w, 6);
    if (!out) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const ULONG64 to = Side(transfer.Destination.SegmentId, transfer.Destination.SegmentAddress,
                            transfer.Destination.pMdl, transfer.TransferOffset, MdlOffset, at);
    const ULONG64 from = Side(transfer.Source.SegmentId, transfer.Source.SegmentAddress,
                              transfer.Source.pMdl, transfer.TransferOffset, MdlOffset, at);
    out[0] = WREN_COMMAND(WREN_OP_PCOPY, 6);
    out[1] = (UINT)to;
    out[2] = (UINT)(to >> 32);
    out[3] = (UINT)from;
    out[4] = (UINT)(from >> 32);
    out[5] = (UINT)bytes;
    Args->MultipassOffset++;
  }
}

static NTSTATUS Touch(UINT Op, UINT Segment, PHYSICAL_ADDRESS Address, WREN_WRITER* w) {
  UINT* out = Put(w, 3);
  if (!out) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  out[0] = WREN_COMMAND(Op, 3);
  out[1] = (UINT)Address.QuadPart;
  out[2] = (UINT)(Address.QuadPart >> 32) | (Segment ? 0 : WREN_PHYSICAL);
  return STATUS_SUCCESS;
}

NTSTATUS WrenBuildPagingBuffer(IN_CONST_HANDLE hAdapter, IN_PDXGKARG_BUILDPAGINGBUFFER Args) {
  PAGED_CODE();
  WREN_ADAPTER* A = (WREN_ADAPTER*)hAdapter;
  WREN_WRITER w = {(UCHAR*)Args->pDmaBuffer, Args->DmaSize};
  NTSTATUS status = STATUS_SUCCESS;
  switch (Args->Operation) {
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      status = MapPages(A, Args, &w);
      break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      status = UnmapPages(A, Args, &w);
      break;
    case DXGK_OPERATION_TRANSFER:
      status = Transfer(Args, Args->Transfer, Args->Transfer.MdlOffset, &w);
      break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
      status = Transfer(Args, Args->SpecialLockTransfer, 0, &w);
      break;
    case DXGK_OPERATION_FILL: {
      UINT* out = Args->Fill.FillSize ? Put(&w, 5) : NULL;
      if (!Args->Fill.FillSize) break;
      if (!out) {
        status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
        break;
      }
      out[0] = WREN_COMMAND(WREN_OP_PFILL, 5);
      out[1] = (UINT)Args->Fill.Destination.SegmentAddress.QuadPart;
      out[2] = (UINT)(Args->Fill.Destination.SegmentAddress.QuadPart >> 32);
      out[3] = (UINT)Args->Fill.FillSize;
      out[4] = Args->Fill.FillPattern;
      break;
    }
    case DXGK_OPERATION_READ_PHYSICAL:
      status =
          Touch(WREN_OP_PEEK, Args->ReadPhysical.SegmentId, Args->ReadPhysical.PhysicalAddress, &w);
      break;
    case DXGK_OPERATION_WRITE_PHYSICAL:
      status = Touch(WREN_OP_POKE, Args->WritePhysical.SegmentId,
                     Args->WritePhysical.PhysicalAddress, &w);
      break;
    default:
      break;  // Nothing to be done for contents that are dropped, nor for later versions.
  }
  Args->pDmaBuffer = w.At;
  return status;
}
