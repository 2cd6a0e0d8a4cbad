// Paging buffers. Everything that pages runs in the address space of the system context, so
// operations by physical address never come.
#include "merlin_kmd.h"

namespace {
struct Writer {
  UINT* at;
  UINT* end;
  bool room(UINT words) const { return static_cast<SIZE_T>(end - at) >= words; }
  void put(UINT word) { *at++ = word; }
  void put64(UINT64 value) {
    put(static_cast<UINT>(value));
    put(static_cast<UINT>(value >> 32));
  }
};
}  // namespace

// Each returns whether all of it is written; `done` counts what is, in steps of its own.
static bool MerlinFill(Writer* w, const DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL* f, UINT* done) {
  for (UINT64 at = static_cast<UINT64>(*done) * MC_MAX_COPY; at < f->FillSizeInBytes;
       at += MC_MAX_COPY) {
    if (!w->room(MC_FILL_WORDS)) return false;
    const UINT64 rest = f->FillSizeInBytes - at;
    w->put(MC_HEADER(MC_FILL, MC_FILL_WORDS));
    w->put64(f->DestinationVirtualAddress + at);
    w->put(static_cast<UINT>(rest < MC_MAX_COPY ? rest : MC_MAX_COPY));
    w->put(f->FillPattern);
    ++*done;
  }
  return true;
}

static bool MerlinCopy(Writer* w, UINT64 to, UINT64 from, UINT64 bytes, UINT* done) {
  for (UINT64 at = static_cast<UINT64>(*done) * MC_MAX_COPY; at < bytes; at += MC_MAX_COPY) {
    if (!w->room(MC_COPY_WORDS)) return false;
    const UINT64 rest = bytes - at;
    w->put(MC_HEADER(MC_COPY, MC_COPY_WORDS));
    w->put64(to + at);
    w->put64(from + at);
    w->put(static_cast<UINT>(rest < MC_MAX_COPY ? rest : MC_MAX_COPY));
    ++*done;
  }
  return true;
}

static bool MerlinCopyEntries(Writer* w, const DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES* c,
                              UINT* done) {
  for (; *done < c->NumRanges; ++*done) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE* r = &c->pRanges[*done];
    UINT none = 0;
    if (!MerlinCopy(w, r->DstPageTableAddress + 8ull * r->DstStartPteIndex,
                    r->SrcPageTableAddress + 8ull * r->SrcStartPteIndex,
                    8ull * r->NumPageTableEntries, &none))
      return false;
  }
  return true;
}

static bool MerlinUpdate(Writer* w, const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* u, UINT gpu,
                         UINT* done) {
  const UINT64 table = u->PageTableAddress.GpuVirtual + 8ull * u->StartIndex;
  if (u->Flags.Repeat) {
    if (!w->room(MC_PTE_FILL_WORDS)) return false;
    w->put(MC_HEADER(MC_PTE_FILL, MC_PTE_FILL_WORDS));
    w->put64(table);
    w->put(u->NumPageTableEntries);
    w->put64(MerlinEntry(u->pPageTableEntries, u->PageTableLevel, u->DriverProtection, gpu));
    return true;
  }
  while (*done < u->NumPageTableEntries) {
    if (!w->room(MC_PTE_WRITE_WORDS + 2)) return false;
    UINT count = static_cast<UINT>((w->end - w->at - MC_PTE_WRITE_WORDS) / 2);
    if (count > u->NumPageTableEntries - *done) count = u->NumPageTableEntries - *done;
    if (count > 1024) count = 1024;
    w->put(MC_HEADER(MC_PTE_WRITE, MC_PTE_WRITE_WORDS + 2 * count));
    w->put64(table + 8ull * *done);
    for (UINT i = 0; i < count; i++)
      w->put64(MerlinEntry(&u->pPageTableEntries[*done + i], u->PageTableLevel, u->DriverProtection,
                           gpu));
    *done += count;
  }
  return true;
}

// The first tables of the paging process: by the CPU, at once.
static void MerlinUpdateByCpu(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE* u, UINT gpu) {
  volatile UINT64* table =
      static_cast<volatile UINT64*>(u->PageTableAddress.CpuVirtual) + u->StartIndex;
  for (UINT i = 0; i < u->NumPageTableEntries; i++)
    table[i] = MerlinEntry(&u->pPageTableEntries[u->Flags.Repeat ? 0 : i], u->PageTableLevel,
                           u->DriverProtection, gpu);
  KeMemoryBarrier();
}

NTSTATUS MerlinBuildPagingBuffer(IN_CONST_HANDLE adapter, IN_PDXGKARG_BUILDPAGINGBUFFER b) {
  PAGED_CODE();
  if (!adapter || !b) return STATUS_INVALID_PARAMETER;
  MerlinContext* context = static_cast<MerlinContext*>(b->hSystemContext);
  const UINT gpu = context ? context->gpu->index : 0;
  if (b->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE &&
      b->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
    MerlinUpdateByCpu(&b->UpdatePageTable, gpu);
    return STATUS_SUCCESS;
  }
  if (!b->pDmaBuffer) return STATUS_INVALID_PARAMETER;
  // Submission may name no context, and then only this tells whose ring it is for.
  if (b->DmaBufferPrivateDataSize < sizeof(MerlinPagingRecord))
    return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const MerlinPagingRecord record = {MERLIN_MAGIC_PAGING, gpu};
  Writer w;
  w.at = static_cast<UINT*>(b->pDmaBuffer);
  w.end = w.at + b->DmaSize / sizeof(UINT);
  bool all = true;
  switch (b->Operation) {
    case DXGK_OPERATION_VIRTUAL_FILL:
      all = MerlinFill(&w, &b->FillVirtual, &b->MultipassOffset);
      break;
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      all = MerlinCopy(&w, b->TransferVirtual.DestinationVirtualAddress,
                       b->TransferVirtual.SourceVirtualAddress,
                       b->TransferVirtual.TransferSizeInBytes, &b->MultipassOffset);
      break;
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      all = MerlinUpdate(&w, &b->UpdatePageTable, gpu, &b->MultipassOffset);
      break;
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      all = MerlinCopyEntries(&w, &b->CopyPageTableEntries, &b->MultipassOffset);
      break;
    case DXGK_OPERATION_FLUSH_TLB: {
      const DXGK_BUILDPAGINGBUFFER_FLUSHTLB* f = &b->FlushTlb;
      const bool whole = f->StartVirtualAddress == 0 && f->EndVirtualAddress == 0;
      // Both address spaces of the process: which one it is only their roots would tell.
      const UINT spaces = f->hProcess ? 2 : 1;
      if (!(all = w.room(spaces * MC_TLB_FLUSH_WORDS))) break;
      for (UINT i = 0; i < spaces; i++) {
        w.put(MC_HEADER(MC_TLB_FLUSH, MC_TLB_FLUSH_WORDS));
        w.put(f->hProcess ? 2 * static_cast<MerlinProcess*>(f->hProcess)->space + i : ~0u);
        w.put64(whole ? 0 : f->StartVirtualAddress >> 12);
        w.put64(whole ? ~0ull : f->EndVirtualAddress >> 12);
      }
      break;
    }
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      if (!(all = w.room(MC_STORE64_WORDS))) break;
      w.put(MC_HEADER(MC_STORE64, MC_STORE64_WORDS));
      w.put64(b->SignalMonitoredFence.MonitoredFenceGpuVa);
      w.put64(b->SignalMonitoredFence.MonitoredFenceValue);
      break;
    // The aperture stands for system memory, which the page tables reach; nothing is mapped into
    // it.
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
    // Nothing of these leaves a trace on this hardware.
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
      break;
    default:
      return STATUS_INVALID_PARAMETER;
  }
  if (w.at != static_cast<UINT*>(b->pDmaBuffer)) {
    RtlCopyMemory(b->pDmaBufferPrivateData, &record, sizeof(record));
    b->pDmaBufferPrivateData = static_cast<PUCHAR>(b->pDmaBufferPrivateData) + sizeof(record);
    b->pDmaBuffer = w.at;
  }
  return all ? STATUS_SUCCESS : STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}
