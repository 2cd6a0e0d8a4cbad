// Paging buffers that move contents, the aperture and context images.
#include "egret_writer.h"

namespace {

// MultipassOffset: units of EG_MAX_COPY that are done.
NTSTATUS TransferVirtual(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& t = args->TransferVirtual;
  Writer writer(args);
  for (UINT unit = args->MultipassOffset;; ++unit) {
    const ULONGLONG offset = (ULONGLONG)unit * EG_MAX_COPY;
    if (offset >= t.TransferSizeInBytes) return writer.Done();
    if (!EmitCopy(writer, EG_OP_VCOPY, t.DestinationVirtualAddress + offset,
                  t.SourceVirtualAddress + offset,
                  Least(t.TransferSizeInBytes - offset, EG_MAX_COPY)))
      return writer.Full(unit);
  }
}

NTSTATUS FillVirtual(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& f = args->FillVirtual;
  Writer writer(args);
  for (UINT unit = args->MultipassOffset;; ++unit) {
    const ULONGLONG offset = (ULONGLONG)unit * EG_MAX_COPY;
    if (offset >= f.FillSizeInBytes) return writer.Done();
    if (!EmitFill(writer, EG_OP_VFILL, f.DestinationVirtualAddress + offset,
                  Least(f.FillSizeInBytes - offset, EG_MAX_COPY), f.FillPattern))
      return writer.Full(unit);
  }
}

// One side of a physical transfer: contiguous in a segment, or pages of an MDL.
struct Place {
  UINT Segment;
  ULONGLONG Address;  // in a segment, with its base
  PMDL Mdl;
  UINT FirstPage;

  ULONGLONG At(ULONGLONG offset) const {
    if (Segment) return Address + offset;
    const PFN_NUMBER pfn = MmGetMdlPfnArray(Mdl)[FirstPage + (offset >> PAGE_SHIFT)];
    return EG_SYS_BIT | ((ULONGLONG)pfn << PAGE_SHIFT) | (offset & (PAGE_SIZE - 1));
  }
  UINT RunAt(ULONGLONG offset) const {
    return Segment ? EG_MAX_COPY : PAGE_SIZE - (UINT)(offset & (PAGE_SIZE - 1));
  }
};

// MultipassOffset: pages that are done.
NTSTATUS Transfer(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& t = args->Transfer;
  Place from = {t.Source.SegmentId, 0, nullptr, t.MdlOffset};
  Place to = {t.Destination.SegmentId, 0, nullptr, t.MdlOffset};
  if (from.Segment)
    from.Address = t.Source.SegmentAddress.QuadPart + t.TransferOffset;
  else
    from.Mdl = t.Source.pMdl;
  if (to.Segment)
    to.Address = t.Destination.SegmentAddress.QuadPart + t.TransferOffset;
  else
    to.Mdl = t.Destination.pMdl;
  Writer writer(args);
  for (ULONGLONG offset = (ULONGLONG)args->MultipassOffset << PAGE_SHIFT;
       offset < t.TransferSize;) {
    const UINT bytes = Least(t.TransferSize - offset, Least(from.RunAt(offset), to.RunAt(offset)));
    if (!EmitCopy(writer, EG_OP_PCOPY, to.At(offset), from.At(offset), bytes))
      return writer.Full((UINT)(offset >> PAGE_SHIFT));
    offset += bytes;
  }
  return writer.Done();
}

NTSTATUS Fill(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& f = args->Fill;
  Writer writer(args);
  for (UINT unit = args->MultipassOffset;; ++unit) {
    const ULONGLONG offset = (ULONGLONG)unit * EG_MAX_COPY;
    if (offset >= f.FillSize) return writer.Done();
    if (!EmitFill(writer, EG_OP_PFILL, f.Destination.SegmentAddress.QuadPart + offset,
                  Least(f.FillSize - offset, EG_MAX_COPY), f.FillPattern))
      return writer.Full(unit);
  }
}

NTSTATUS Touch(DXGKARG_BUILDPAGINGBUFFER* args, UINT segment, ULONGLONG address, bool write) {
  const ULONGLONG at = (segment ? address : EG_SYS_BIT | address) & ~3ull;
  Writer writer(args);
  if (write) return EmitCopy(writer, EG_OP_PCOPY, at, at, 4) ? writer.Done() : writer.Full(0);
  UINT* c = writer.Command(EG_OP_PROBE, 3);
  if (!c) return writer.Full(0);
  Put64(c + 1, at);
  return writer.Done();
}

// MultipassOffset: pages that are done.
NTSTATUS MapAperture(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& map = args->MapApertureSegment;
  Writer writer(args);
  UINT done = args->MultipassOffset;
  while (done < map.NumberOfPages) {
    const UINT room = writer.DwordsLeft();
    if (room < 6) return writer.Full(done);
    const UINT n = Least(map.NumberOfPages - done, Least((room - 4) / 2, 512));
    UINT* c = writer.Command(EG_OP_GART, 4 + 2 * n);
    c[1] = (UINT)map.OffsetInPages + done;
    c[2] = n;
    c[3] = 0;
    for (UINT i = 0; i < n; ++i) {
      const ULONGLONG entry =
          ((ULONGLONG)MmGetMdlPfnArray(map.pMdl)[map.MdlOffset + done + i] << PAGE_SHIFT) |
          EG_GART_VALID;
      Put64(c + 4 + 2 * i, entry);
      if (c[1] + i < EG_GART_PAGES) adapter.Gart[c[1] + i] = entry;
    }
    done += n;
  }
  return writer.Done();
}

NTSTATUS UnmapAperture(Adapter& adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& unmap = args->UnmapApertureSegment;
  const ULONGLONG entry = (unmap.DummyPage.QuadPart & ~(ULONGLONG)(PAGE_SIZE - 1)) | EG_GART_VALID;
  Writer writer(args);
  UINT* c = writer.Command(EG_OP_GARTFILL, 6);
  if (!c) return writer.Full(0);
  c[1] = (UINT)unmap.OffsetInPages;
  c[2] = (UINT)unmap.NumberOfPages;
  c[3] = 0;
  Put64(c + 4, entry);
  for (UINT i = c[1]; i < c[1] + c[2] && i < EG_GART_PAGES; ++i) adapter.Gart[i] = entry;
  return writer.Done();
}

// The image of a new context: no slot bound, pattern 0.
NTSTATUS InitContextResource(DXGKARG_BUILDPAGINGBUFFER* args) {
  const auto& d = args->InitContextResource.Destination;
  Writer writer(args);
  if (!d.SegmentId && !d.pMdl) {
    // By virtual address alone: the image and its first word.
    if (writer.DwordsLeft() < 5 + 5) return writer.Full(0);
    EmitFill(writer, EG_OP_VFILL, d.GpuVirtualAddress, EG_CONTEXT_BYTES, 0);
    UINT* c = writer.Command(EG_OP_VWRITE, 5);
    c[1] = 1;
    Put64(c + 2, d.GpuVirtualAddress);
    c[4] = EG_CONTEXT_MAGIC;
    return writer.Done();
  }
  const ULONGLONG at = d.SegmentId
                           ? (ULONGLONG)d.SegmentAddress.QuadPart
                           : EG_SYS_BIT | ((ULONGLONG)MmGetMdlPfnArray(d.pMdl)[0] << PAGE_SHIFT);
  if (writer.DwordsLeft() < 5 + 5) return writer.Full(0);
  EmitFill(writer, EG_OP_PFILL, at, EG_CONTEXT_BYTES, 0);
  EmitFill(writer, EG_OP_PFILL, at, 4, EG_CONTEXT_MAGIC);
  return writer.Done();
}

// MultipassOffset: dwords that are done.
NTSTATUS WriteVirtual(DXGKARG_BUILDPAGINGBUFFER* args, ULONGLONG to, const UCHAR* data,
                      UINT bytes) {
  const UINT dwords = (bytes + 3) / 4;
  Writer writer(args);
  UINT done = args->MultipassOffset;
  while (done < dwords) {
    const UINT room = writer.DwordsLeft();
    if (room < 5) return writer.Full(done);
    const UINT n = Least(dwords - done, Least(room - 4, 256));
    UINT* c = writer.Command(EG_OP_VWRITE, 4 + n);
    c[1] = n;
    Put64(c + 2, to + done * 4ull);
    c[3 + n] = 0;
    RtlCopyMemory(c + 4, data + done * 4, Least(bytes - done * 4, n * 4));
    done += n;
  }
  return writer.Done();
}

}  // namespace

NTSTATUS EgretBuildPagingBuffer(IN_CONST_HANDLE handle, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  PAGED_CODE();
  Adapter& adapter = *(Adapter*)handle;
  switch (args->Operation) {
    case DXGK_OPERATION_TRANSFER:
      return Transfer(args);
    case DXGK_OPERATION_FILL:
      return Fill(args);
    case DXGK_OPERATION_DISCARD_CONTENT:
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
      return STATUS_SUCCESS;  // nothing is kept of where allocations lie
    case DXGK_OPERATION_READ_PHYSICAL:
      return Touch(args, args->ReadPhysical.SegmentId,
                   (ULONGLONG)args->ReadPhysical.PhysicalAddress.QuadPart, false);
    case DXGK_OPERATION_WRITE_PHYSICAL:
      return Touch(args, args->WritePhysical.SegmentId,
                   (ULONGLONG)args->WritePhysical.PhysicalAddress.QuadPart, true);
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      return MapAperture(adapter, args);
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      return UnmapAperture(adapter, args);
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return TransferVirtual(args);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return FillVirtual(args);
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
      return InitContextResource(args);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return UpdatePageTable(args);
    case DXGK_OPERATION_FLUSH_TLB:
      return FlushTlb(args);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION: {
      // Where in the image, and what.
      const auto& update = args->UpdateContextAllocation;
      ULONGLONG image[2];
      if (update.DriverPrivateDataSize != sizeof(image)) return STATUS_SUCCESS;
      RtlCopyMemory(image, update.pDriverPrivateData, sizeof(image));
      if (image[0] + 8 > update.ContextAllocationSize) return STATUS_SUCCESS;
      return WriteVirtual(args, update.ContextAllocation + image[0], (const UCHAR*)&image[1], 8);
    }
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return CopyPageTableEntries(args);
    case DXGK_OPERATION_SIGNAL_MONITORED_FENCE:
      return WriteVirtual(args, args->SignalMonitoredFence.MonitoredFenceGpuVa,
                          (const UCHAR*)&args->SignalMonitoredFence.MonitoredFenceValue, 8);
    default:
      return STATUS_NOT_SUPPORTED;
  }
}
