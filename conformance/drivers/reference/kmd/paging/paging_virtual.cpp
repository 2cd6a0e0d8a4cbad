// Paging operations on content, by GPU virtual address.
#include "../context.h"
#include "../kmd_allocation.h"
#include "../kmd_process.h"
#include "kmd_paging_virtual.h"
#include "paging_writer.h"

namespace reference_kmd {

namespace {

// More than any memory has, and less than a command can say.
constexpr UINT64 kStep = 1u << 30;

}  // namespace

NTSTATUS VirtualPagingBuilder::build_other(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  switch (operation->Operation) {
    case DXGK_OPERATION_VIRTUAL_TRANSFER:
      return transfer_virtual(operation, writer);
    case DXGK_OPERATION_VIRTUAL_FILL:
      return fill_virtual(operation, writer);
    case DXGK_OPERATION_UPDATE_PAGE_TABLE:
      return update_page_table(operation, writer);
    case DXGK_OPERATION_FLUSH_TLB:
      return flush_tlb(*operation, writer);
    case DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES:
      return copy_entries(operation, writer);
    case DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION:
      return update_context_allocation(*operation, writer);
    case DXGK_OPERATION_NOTIFY_RESIDENCY:
      notify_residency(*operation);
      return STATUS_SUCCESS;
    default:
      return STATUS_NOT_SUPPORTED;
  }
}

ULONG VirtualPagingBuilder::space_of(bool in_64kb_pages) const {
  return in_64kb_pages ? HW_SPACE_VIRTUAL_64KB : HW_SPACE_VIRTUAL;
}

// The offset in the allocation is in the addresses already. The hardware finds every page itself,
// once it knows how large they are.
NTSTATUS VirtualPagingBuilder::transfer_virtual(DXGKARG_BUILDPAGINGBUFFER* operation,
                                                Writer* writer) const {
  const auto& t = operation->TransferVirtual;
  const ULONG source = space_of(t.Flags.Src64KBPages != 0);
  const ULONG destination = space_of(t.Flags.Dst64KBPages != 0);
  for (UINT64 done = operation->MultipassOffset * kStep; done < t.TransferSizeInBytes;
       done += kStep) {
    if (!writer->has_room(HW_WORDS_PAGING_COPY)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    writer->put_command(HW_COMMAND(HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, source, destination));
    writer->put(static_cast<ULONG>(min(kStep, t.TransferSizeInBytes - done)));
    writer->put64(t.SourceVirtualAddress + done);
    writer->put64(t.DestinationVirtualAddress + done);
    ++operation->MultipassOffset;
  }
  return STATUS_SUCCESS;
}

NTSTATUS VirtualPagingBuilder::fill_virtual(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& f = operation->FillVirtual;
  for (UINT64 done = operation->MultipassOffset * kStep; done < f.FillSizeInBytes; done += kStep) {
    if (!writer->has_room(HW_WORDS_PAGING_FILL)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    writer->put_command(HW_COMMAND(HW_OP_PAGING_FILL, HW_WORDS_PAGING_FILL, 0, HW_SPACE_VIRTUAL));
    writer->put(static_cast<ULONG>(min(kStep, f.FillSizeInBytes - done)));
    writer->put(f.FillPattern);
    writer->put64(f.DestinationVirtualAddress + done);
    ++operation->MultipassOffset;
  }
  return STATUS_SUCCESS;
}

// The end of the range is taken to belong to it: flushing more is allowed.
NTSTATUS VirtualPagingBuilder::flush_tlb(const DXGKARG_BUILDPAGINGBUFFER& operation,
                                         Writer* writer) {
  const auto& f = operation.FlushTlb;
  const bool everything = f.StartVirtualAddress == 0 && f.EndVirtualAddress == 0;
  const auto* process = static_cast<const Process*>(f.hProcess);
  if (!writer->has_room(HW_WORDS_TLB_FLUSH)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  writer->put_command(HW_COMMAND(HW_OP_TLB_FLUSH, HW_WORDS_TLB_FLUSH, 0, 0));
  writer->put(process != nullptr ? process->space() : 0);
  writer->put64(f.StartVirtualAddress);
  writer->put64(everything ? ~0ull : f.EndVirtualAddress);
  return STATUS_SUCCESS;
}

// The private data are those of Adapter::write_root; they stand in the buffer, and are not needed
// when it runs.
NTSTATUS VirtualPagingBuilder::update_context_allocation(const DXGKARG_BUILDPAGINGBUFFER& operation,
                                                         Writer* writer) {
  const auto& u = operation.UpdateContextAllocation;
  ImageUpdate update;
  if (u.DriverPrivateDataSize != sizeof update ||
      u.ContextAllocationSize < sizeof(HwContextImage)) {
    return STATUS_INVALID_PARAMETER;
  }
  if (!writer->has_room(HW_WORDS_WRITE_ENTRIES(3))) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  RtlCopyMemory(&update, u.pDriverPrivateData, sizeof update);
  writer->put_command(
      HW_COMMAND(HW_OP_WRITE_ENTRIES, HW_WORDS_WRITE_ENTRIES(3), HW_SPACE_VIRTUAL, 0));
  writer->put(0);
  writer->put64(u.ContextAllocation + FIELD_OFFSET(HwContextImage, root));
  writer->put64(update.root.address);
  writer->put64(update.root.entries);
  writer->put64(update.status);
  return STATUS_SUCCESS;
}

// Only noted: what was built before may not have run yet. The image of a context is told of like an
// allocation.
void VirtualPagingBuilder::notify_residency(const DXGKARG_BUILDPAGINGBUFFER& operation) const {
  const auto& n = operation.NotifyResidency;
  auto* placed = static_cast<PlacedObject*>(n.hAllocation);
  if (placed == nullptr) return;
  const HardwarePlace place =
      format_.place_in(n.PhysicalAddress.SegmentId, n.PhysicalAddress.SegmentOffset);
  placed->note_residency(n.Resident != 0, place.address);
}

// Context images in an aperture move by maps alone.
void VirtualPagingBuilder::note_mapping(HANDLE allocation, UINT segment, UINT64 offset) const {
  auto* placed = static_cast<PlacedObject*>(allocation);
  if (placed != nullptr) placed->note_mapping(format_.place_in(segment, offset).address);
}

}  // namespace reference_kmd
