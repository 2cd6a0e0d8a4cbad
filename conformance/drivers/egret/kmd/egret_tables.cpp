// Paging buffers that change page tables, and have the TLB forget what it kept of them.
#include "egret_writer.h"

namespace {

ULONGLONG HardwareEntry(const DXGK_PTE& pte, ULONGLONG driver_protection) {
  if (!pte.Valid) return 0;
  ULONGLONG entry = EG_PTE_VALID;
  entry |= (driver_protection & EG_PTE_DRIVER_MASK) << EG_PTE_DRIVER_SHIFT;
  if (pte.Zero) return entry | EG_PTE_ZERO;
  const ULONGLONG address =
      HardwareAddress((UINT)pte.Segment, (ULONGLONG)pte.PageAddress << PAGE_SHIFT);
  if (address & EG_SYS_BIT) entry |= EG_PTE_SYSTEM;
  if (pte.CacheCoherent) entry |= EG_PTE_COHERENT;
  if (pte.ReadOnly) entry |= EG_PTE_READ_ONLY;
  return entry | (address & EG_PTE_ADDRESS);
}

// One of the arrays of an update: entries lie `stride` apart in the table, from `offset` on.
struct EntryArray {
  const DXGK_PTE* Entries;
  UINT Stride, Offset;
};

UINT ArraysOf(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, EntryArray arrays[2]) {
  if (update.PageTableLevel != 1) {
    // A leaf with 64 KB pages has entries of its own array if there is one.
    const DXGK_PTE* entries = update.pPageTableEntries;
    if (update.PageTableLevel == 0 && update.Flags.Use64KBPages && !entries)
      entries = update.pPageTableEntries64KB;
    arrays[0] = {entries, 8, 0};
    return entries ? 1 : 0;
  }
  UINT n = 0;
  if (update.pPageTableEntries) arrays[n++] = {update.pPageTableEntries, 16, 0};
  if (update.pPageTableEntries64KB) arrays[n++] = {update.pPageTableEntries64KB, 16, 8};
  return n;
}

ULONGLONG EntryOf(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update, const EntryArray& array,
                  UINT index) {
  return HardwareEntry(array.Entries[update.Flags.Repeat ? 0 : index],
                       update.PageTableLevel == 0 ? update.DriverProtection : 0);
}

// Tables of the paging process, before there is an engine that could write them.
NTSTATUS UpdateByCpu(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) {
  EntryArray arrays[2];
  const UINT count = ArraysOf(update, arrays);
  PUCHAR table = (PUCHAR)update.PageTableAddress.CpuVirtual;
  for (UINT a = 0; a < count; ++a)
    for (UINT i = 0; i < update.NumPageTableEntries; ++i)
      *(volatile ULONGLONG*)(table + (SIZE_T)(update.StartIndex + i) * arrays[a].Stride +
                             arrays[a].Offset) = EntryOf(update, arrays[a], i);
  KeMemoryBarrier();
  return STATUS_SUCCESS;
}

}  // namespace

// MultipassOffset: entries that are done, of both arrays one after the other.
NTSTATUS UpdatePageTable(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& update = args->UpdatePageTable;
  if (!args->pDmaBuffer || update.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
    return UpdateByCpu(update);
  EntryArray arrays[2];
  const UINT count = ArraysOf(update, arrays);
  const UINT each = update.NumPageTableEntries;
  const D3DGPU_PHYSICAL_ADDRESS& at = update.PageTableAddress.GpuPhysical;
  Writer writer(args);
  UINT done = args->MultipassOffset;
  while (done < count * each) {
    const EntryArray& array = arrays[done / each];
    const UINT first = done % each;
    const ULONGLONG address = HardwareAddress(at.SegmentId, at.SegmentOffset) +
                              (ULONGLONG)(update.StartIndex + first) * array.Stride + array.Offset;
    UINT n = each - first;
    UINT* c;
    if (update.Flags.Repeat) {
      c = writer.Command(EG_OP_PTEFILL, 8);
      if (!c) return writer.Full(done);
      Put64(c + 6, EntryOf(update, array, 0));
    } else {
      const UINT room = writer.DwordsLeft();
      if (room < 8) return writer.Full(done);
      n = Least(n, Least((room - 6) / 2, 512));
      c = writer.Command(EG_OP_PTES, 6 + 2 * n);
      for (UINT i = 0; i < n; ++i) Put64(c + 6 + 2 * i, EntryOf(update, array, first + i));
    }
    c[1] = n;
    Put64(c + 2, address);
    c[4] = array.Stride;
    c[5] = 0;
    done += n;
  }
  return writer.Done();
}

// A process has two spaces; which one a root is of is not asked.
NTSTATUS FlushTlb(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& flush = args->FlushTlb;
  const Process* process = (const Process*)flush.hProcess;
  Writer writer(args);
  if (writer.DwordsLeft() < (process ? 12u : 6u)) return writer.Full(0);
  for (UINT i = 0; i < (process ? 2u : 1u); ++i) {
    UINT* c = writer.Command(EG_OP_TLBINV, 6);
    c[1] = !process ? ~0u : i ? process->PrivilegedSpace() : process->ApplicationSpace();
    Put64(c + 2, flush.StartVirtualAddress);
    Put64(c + 4, flush.EndVirtualAddress);
  }
  return writer.Done();
}

// MultipassOffset: ranges that are done.
NTSTATUS CopyPageTableEntries(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& copy = args->CopyPageTableEntries;
  Writer writer(args);
  for (UINT i = args->MultipassOffset; i < copy.NumRanges; ++i) {
    const DXGK_BUILDPAGINGBUFFER_COPY_RANGE& range = copy.pRanges[i];
    if (!EmitCopy(writer, EG_OP_VCOPY, range.DstPageTableAddress + range.DstStartPteIndex * 8ull,
                  range.SrcPageTableAddress + range.SrcStartPteIndex * 8ull,
                  range.NumPageTableEntries * 8))
      return writer.Full(i);
  }
  return writer.Done();
}
