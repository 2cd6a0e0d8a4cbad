/* Paging buffers and the remapping table of the aperture, which the CPU writes by registers. */
#include "heron_kmd.h"

NTSTATUS HeronAcquireSwizzlingRange(IN_CONST_HANDLE h, INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_GRAPHICS_UNSWIZZLING_APERTURE_UNSUPPORTED;
}

NTSTATUS HeronReleaseSwizzlingRange(IN_CONST_HANDLE h, IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE p) {
  PAGED_CODE();
  UNREFERENCED_PARAMETER(h);
  UNREFERENCED_PARAMETER(p);
  return STATUS_SUCCESS;
}

/* The aperture is remapped by registers: the engine isn't in the range meanwhile. */
VOID HeronSetGart(HERON_ADAPTER* a, SIZE_T page, ULONG64 entry) {
  a->Gart[page] = entry;
  if (!a->Powered || a->Resetting) return; /* HeronProgram brings it there */
  HeronWrite(a, HREG_GART + (ULONG)page * 8 + 4, (ULONG)(entry >> 32));
  HeronWrite(a, HREG_GART + (ULONG)page * 8, (ULONG)entry);
}

static BOOLEAN HeronEmit(DXGKARG_BUILDPAGINGBUFFER* b, const ULONG* words, UINT count) {
  const UINT bytes = count * sizeof(ULONG);
  if (b->DmaSize < bytes) return FALSE;
  RtlCopyMemory(b->pDmaBuffer, words, bytes);
  b->pDmaBuffer = (PUCHAR)b->pDmaBuffer + bytes;
  b->DmaSize -= bytes;
  return TRUE;
}

static BOOLEAN HeronEmitCopy(DXGKARG_BUILDPAGINGBUFFER* b, UINT flags, UINT64 to, UINT64 from,
                             UINT bytes) {
  const ULONG words[6] = {HCMD(HOP_PCOPY, 6, flags, 0), (ULONG)to, (ULONG)(to >> 32), (ULONG)from,
                          (ULONG)(from >> 32),          bytes};
  return HeronEmit(b, words, 6);
}

typedef struct _HERON_PLACE { /* one side of a transfer */
  MDL* Mdl;
  UINT FirstPage;
  UINT64 Address;
} HERON_PLACE;

/* Bytes from `offset` on that lie together, at most `bytes`; where they begin. */
static UINT HeronRun(const HERON_PLACE* place, UINT64 offset, UINT bytes, UINT64* address) {
  if (!place->Mdl) {
    *address = place->Address + offset;
    return bytes;
  }
  const PFN_NUMBER* pfn = MmGetMdlPfnArray(place->Mdl) + place->FirstPage;
  SIZE_T page = (SIZE_T)(offset >> PAGE_SHIFT);
  UINT run = PAGE_SIZE - (UINT)(offset & (PAGE_SIZE - 1));
  *address = ((UINT64)pfn[page] << PAGE_SHIFT) + (offset & (PAGE_SIZE - 1));
  while (run < bytes && pfn[page + 1] == pfn[page] + 1) {
    run += PAGE_SIZE;
    ++page;
  }
  return min(run, bytes);
}

/* MultipassOffset is the number of pages that earlier buffers have moved. */
static NTSTATUS HeronTransfer(DXGKARG_BUILDPAGINGBUFFER* b) {
  HERON_PLACE from = {NULL, b->Transfer.MdlOffset, 0}, to = {NULL, b->Transfer.MdlOffset, 0};
  UINT flags = 0;
  if (b->Transfer.Source.SegmentId == 0) {
    from.Mdl = b->Transfer.Source.pMdl;
    flags |= HP_FROM_SYSTEM;
  } else {
    from.Address = (UINT64)b->Transfer.Source.SegmentAddress.QuadPart + b->Transfer.TransferOffset;
  }
  if (b->Transfer.Destination.SegmentId == 0) {
    to.Mdl = b->Transfer.Destination.pMdl;
    flags |= HP_TO_SYSTEM;
  } else {
    to.Address =
        (UINT64)b->Transfer.Destination.SegmentAddress.QuadPart + b->Transfer.TransferOffset;
  }
  UINT64 done = (UINT64)b->MultipassOffset << PAGE_SHIFT;
  while (done < b->Transfer.TransferSize) {
    UINT64 source, destination;
    UINT bytes = (UINT)min(b->Transfer.TransferSize - done, (SIZE_T)0x40000000);
    bytes = HeronRun(&from, done, bytes, &source);
    bytes = HeronRun(&to, done, bytes, &destination);
    if (!HeronEmitCopy(b, flags, destination, source, bytes)) {
      b->MultipassOffset = (UINT)(done >> PAGE_SHIFT);
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    done += bytes;
  }
  return STATUS_SUCCESS;
}

NTSTATUS HeronBuildPagingBuffer(IN_CONST_HANDLE hAdapter, IN_PDXGKARG_BUILDPAGINGBUFFER b) {
  PAGED_CODE();
  HERON_ADAPTER* a = hAdapter;
  switch (b->Operation) {
    case DXGK_OPERATION_TRANSFER:
      return HeronTransfer(b);
    case DXGK_OPERATION_FILL: {
      const UINT64 at = (UINT64)b->Fill.Destination.SegmentAddress.QuadPart;
      const ULONG words[5] = {HCMD(HOP_PFILL, 5, 0, 0), (ULONG)at, (ULONG)(at >> 32),
                              (ULONG)b->Fill.FillSize, b->Fill.FillPattern};
      if (b->Fill.FillSize == 0 || HeronEmit(b, words, 5)) return STATUS_SUCCESS;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    case DXGK_OPERATION_DISCARD_CONTENT:
      return STATUS_SUCCESS;
    case DXGK_OPERATION_READ_PHYSICAL:
    case DXGK_OPERATION_WRITE_PHYSICAL: {
      const BOOLEAN write = b->Operation == DXGK_OPERATION_WRITE_PHYSICAL;
      const UINT64 at = (UINT64)(write ? b->WritePhysical.PhysicalAddress.QuadPart
                                       : b->ReadPhysical.PhysicalAddress.QuadPart);
      const ULONG words[3] = {HCMD(HOP_PTOUCH, 3, write, 0), (ULONG)at, (ULONG)(at >> 32)};
      return HeronEmit(b, words, 3) ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT: {
      const PFN_NUMBER* pfn =
          MmGetMdlPfnArray(b->MapApertureSegment.pMdl) + b->MapApertureSegment.MdlOffset;
      const ULONG64 snoop = b->MapApertureSegment.Flags.CacheCoherent ? HGART_SNOOP : 0;
      for (SIZE_T i = 0; i < b->MapApertureSegment.NumberOfPages; ++i)
        HeronSetGart(a, b->MapApertureSegment.OffsetInPages + i,
                     ((ULONG64)pfn[i] << PAGE_SHIFT) | HGART_VALID | snoop);
      return STATUS_SUCCESS;
    }
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      for (SIZE_T i = 0; i < b->UnmapApertureSegment.NumberOfPages; ++i)
        HeronSetGart(a, b->UnmapApertureSegment.OffsetInPages + i,
                     (ULONG64)b->UnmapApertureSegment.DummyPage.QuadPart | HGART_VALID);
      return STATUS_SUCCESS;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: /* nobody locks with an alternate address here */
    default:
      return STATUS_SUCCESS;
  }
}
