// Paging buffers: everything is done by commands of the copy engine.
#include "kestrel_kmd.h"

#define KST_MOST_ENTRIES 120u  // of the table of the aperture, in one command

struct PagingWriter {
  DXGKARG_BUILDPAGINGBUFFER* Args;
  ULONG* At;
  ULONG Left;  // words
};

// Room for a command with its header; null: there is none.
static ULONG* Take(PagingWriter* w, ULONG op, ULONG words) {
  if (w->Left < words) return NULL;
  ULONG* packet = w->At;
  packet[0] = KST_HEADER(op, words);
  w->At += words;
  w->Left -= words;
  return packet;
}

static void PutAddress(ULONG* at, ULONGLONG address, BOOLEAN system) {
  at[0] = (ULONG)(address >> 32) | (system ? KST_SYSTEM : 0);
  at[1] = (ULONG)address;
}

static BOOLEAN PutCopy(PagingWriter* w, ULONGLONG to, BOOLEAN to_system, ULONGLONG from,
                       BOOLEAN from_system, ULONG bytes) {
  ULONG* p = Take(w, KST_OP_PCOPY, 6);
  if (!p) return FALSE;
  PutAddress(p + 1, to, to_system);
  PutAddress(p + 3, from, from_system);
  p[5] = bytes;
  return TRUE;
}

static BOOLEAN PutFill(PagingWriter* w, ULONGLONG to, BOOLEAN system, ULONG bytes, ULONG value) {
  ULONG* p = Take(w, KST_OP_PFILL, 5);
  if (!p) return FALSE;
  PutAddress(p + 1, to, system);
  p[3] = bytes;
  p[4] = value;
  return TRUE;
}

// MultipassOffset counts pages.
static NTSTATUS Transfer(PagingWriter* w) {
  DXGKARG_BUILDPAGINGBUFFER* args = w->Args;
  auto* t = &args->Transfer;
  if (!t->Source.SegmentId && !t->Destination.SegmentId) return STATUS_INVALID_PARAMETER;
  if (t->Source.SegmentId && t->Destination.SegmentId) {
    // One packet, which minds that the ranges may overlap.
    return PutCopy(w, t->Destination.SegmentAddress.QuadPart + t->TransferOffset, FALSE,
                   t->Source.SegmentAddress.QuadPart + t->TransferOffset, FALSE,
                   (ULONG)t->TransferSize)
               ? STATUS_SUCCESS
               : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  BOOLEAN in = !t->Source.SegmentId;
  PPFN_NUMBER pfn = MmGetMdlPfnArray(in ? t->Source.pMdl : t->Destination.pMdl) + t->MdlOffset;
  ULONGLONG local =
      (in ? t->Destination.SegmentAddress.QuadPart : t->Source.SegmentAddress.QuadPart) +
      t->TransferOffset;
  ULONG pages = (ULONG)BYTES_TO_PAGES(t->TransferSize);
  ULONG page = args->MultipassOffset;
  while (page < pages) {
    ULONG run = 1;
    while (page + run < pages && pfn[page + run] == pfn[page] + run) run++;
    ULONGLONG offset = (ULONGLONG)page << PAGE_SHIFT, system = (ULONGLONG)pfn[page] << PAGE_SHIFT;
    ULONG bytes = (ULONG)min((ULONGLONG)run << PAGE_SHIFT, t->TransferSize - offset);
    const BOOLEAN fits = in ? PutCopy(w, local + offset, FALSE, system, TRUE, bytes)
                            : PutCopy(w, system, TRUE, local + offset, FALSE, bytes);
    if (!fits) {
      args->MultipassOffset = page;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    page += run;
  }
  args->MultipassOffset = page;
  return STATUS_SUCCESS;
}

static NTSTATUS MapAperture(PagingWriter* w) {
  DXGKARG_BUILDPAGINGBUFFER* args = w->Args;
  auto* m = &args->MapApertureSegment;
  if (m->SegmentId != KST_SEGMENT_APERTURE ||
      m->OffsetInPages + m->NumberOfPages > KST_GART_ENTRIES)
    return STATUS_INVALID_PARAMETER;
  PPFN_NUMBER pfn = MmGetMdlPfnArray(m->pMdl) + m->MdlOffset;
  ULONG flags = KST_GART_VALID | (m->Flags.CacheCoherent ? KST_GART_SNOOP : 0);
  ULONG page = args->MultipassOffset, pages = (ULONG)m->NumberOfPages;
  while (page < pages) {
    ULONG room = w->Left < 4 ? 0 : (w->Left - 2) / 2;
    ULONG count = min(min(pages - page, room), KST_MOST_ENTRIES);
    if (!count) {
      args->MultipassOffset = page;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    }
    ULONG* p = Take(w, KST_OP_GART, 2 + count * 2);
    p[1] = (ULONG)m->OffsetInPages + page;
    for (ULONG i = 0; i < count; i++)
      PutAddress(p + 2 + i * 2, ((ULONGLONG)pfn[page + i] << PAGE_SHIFT) | flags, FALSE);
    page += count;
  }
  args->MultipassOffset = page;
  return STATUS_SUCCESS;
}

static NTSTATUS UnmapAperture(PagingWriter* w) {
  auto* u = &w->Args->UnmapApertureSegment;
  if (u->SegmentId != KST_SEGMENT_APERTURE ||
      u->OffsetInPages + u->NumberOfPages > KST_GART_ENTRIES)
    return STATUS_INVALID_PARAMETER;
  ULONG* p = Take(w, KST_OP_GARTFILL, 5);
  if (!p) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  p[1] = (ULONG)u->OffsetInPages;
  p[2] = (ULONG)u->NumberOfPages;
  PutAddress(p + 3, u->DummyPage.QuadPart | KST_GART_VALID, FALSE);
  return STATUS_SUCCESS;
}

NTSTATUS KstBuildPagingBuffer(IN_CONST_HANDLE, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  PagingWriter w = {args, (ULONG*)args->pDmaBuffer, args->DmaSize / 4};
  NTSTATUS status = STATUS_SUCCESS;
  BOOLEAN fits = TRUE;
  switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
      status = Transfer(&w);
      break;
    case DXGK_OPERATION_FILL:
      fits = PutFill(&w, args->Fill.Destination.SegmentAddress.QuadPart, FALSE,
                     (ULONG)args->Fill.FillSize, args->Fill.FillPattern);
      break;
    case DXGK_OPERATION_DISCARD_CONTENT:
      break;                              // nothing is kept beside the memory
    case DXGK_OPERATION_READ_PHYSICAL: {  // a word onto itself: read, and in order with what comes
      ULONGLONG at = args->ReadPhysical.PhysicalAddress.QuadPart;
      fits = PutCopy(&w, at, !args->ReadPhysical.SegmentId, at, !args->ReadPhysical.SegmentId, 4);
      break;
    }
    case DXGK_OPERATION_WRITE_PHYSICAL:
      fits = PutFill(&w, args->WritePhysical.PhysicalAddress.QuadPart,
                     !args->WritePhysical.SegmentId, 4, 0);
      break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      status = MapAperture(&w);
      break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      status = UnmapAperture(&w);
      break;
    default:
      return STATUS_NOT_SUPPORTED;
  }
  if (!fits) status = STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  args->pDmaBuffer = w.At;
  return status;
}
