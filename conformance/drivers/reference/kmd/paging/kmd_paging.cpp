#include "kmd_paging.h"

#include "paging_writer.h"

namespace reference_kmd {

NTSTATUS PagingBuilder::build(DXGKARG_BUILDPAGINGBUFFER* operation) {
  // Without a buffer there is nothing that could be put into it.
  Writer writer(operation->pDmaBuffer, operation->pDmaBuffer != nullptr ? operation->DmaSize : 0,
                padding_);
  NTSTATUS status = STATUS_SUCCESS;
  switch (operation->Operation) {
    case DXGK_OPERATION_TRANSFER:
      status = transfer(operation, &writer);
      break;
    case DXGK_OPERATION_SPECIAL_LOCK_TRANSFER:
      status = special_lock_transfer(operation, &writer);
      break;
    case DXGK_OPERATION_FILL:
      status = fill(*operation, &writer);
      break;
    case DXGK_OPERATION_DISCARD_CONTENT:
      status = STATUS_SUCCESS;  // neither driver nor GPU keeps anything about a location
      break;
    case DXGK_OPERATION_READ_PHYSICAL:
      status = touch(HW_OP_PAGING_READ, operation->ReadPhysical.SegmentId,
                     operation->ReadPhysical.PhysicalAddress, &writer);
      break;
    case DXGK_OPERATION_WRITE_PHYSICAL:
      status = touch(HW_OP_PAGING_WRITE, operation->WritePhysical.SegmentId,
                     operation->WritePhysical.PhysicalAddress, &writer);
      break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT:
      status = map_aperture(operation, &writer);
      break;
    case DXGK_OPERATION_MAP_APERTURE_SEGMENT2:
      status = map_aperture2(operation, &writer);
      break;
    case DXGK_OPERATION_UNMAP_APERTURE_SEGMENT:
      status = unmap_aperture(*operation, &writer);
      break;
    case DXGK_OPERATION_INIT_CONTEXT_RESOURCE:
      status = init_context_resource(*operation, &writer);
      break;
    default:
      status = build_other(operation, &writer);
      break;
  }
  operation->pDmaBuffer = writer.next();
  return status;
}

ULONGLONG PagingBuilder::page_address(const MDL* mdl, SIZE_T first, SIZE_T n) const {
  const PFN_NUMBER* pages = MmGetMdlPfnArray(const_cast<MDL*>(mdl));
  return static_cast<ULONGLONG>(pages[first + n]) << PAGE_SHIFT;
}

ULONGLONG PagingBuilder::unmapped_entry(PHYSICAL_ADDRESS dummy_page) const {
  return static_cast<ULONGLONG>(dummy_page.QuadPart);
}

void PagingBuilder::write_address(Writer* writer, ULONG space, ULONGLONG address) const {
  writer->put64(space == HW_SPACE_GPU ? address_field(address) : address);
}

// Segment addresses contain BaseAddress; TransferOffset applies to them and not to MDLs.
NTSTATUS PagingBuilder::transfer(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& t = operation->Transfer;
  if (t.Flags.Swizzle || t.Flags.Unswizzle) return convert(operation, writer);
  const Side from = {static_cast<ULONGLONG>(t.Source.SegmentAddress.QuadPart) + t.TransferOffset,
                     t.Source.SegmentId == 0 ? t.Source.pMdl : nullptr, t.MdlOffset};
  const Side to = {static_cast<ULONGLONG>(t.Destination.SegmentAddress.QuadPart) + t.TransferOffset,
                   t.Destination.SegmentId == 0 ? t.Destination.pMdl : nullptr, t.MdlOffset};
  return copy(&operation->MultipassOffset, from, to, t.TransferSize, writer);
}

NTSTATUS PagingBuilder::special_lock_transfer(DXGKARG_BUILDPAGINGBUFFER* operation,
                                              Writer* writer) {
  const auto& t = operation->SpecialLockTransfer;
  const Side from = {static_cast<ULONGLONG>(t.Source.SegmentAddress.QuadPart) + t.TransferOffset,
                     t.Source.SegmentId == 0 ? t.Source.pMdl : nullptr, 0};
  const Side to = {static_cast<ULONGLONG>(t.Destination.SegmentAddress.QuadPart) + t.TransferOffset,
                   t.Destination.SegmentId == 0 ? t.Destination.pMdl : nullptr, 0};
  return copy(&operation->MultipassOffset, from, to, t.TransferSize, writer);
}

NTSTATUS PagingBuilder::copy(UINT* multipass, const Side& from, const Side& to, SIZE_T size,
                             Writer* writer) {
  const bool scattered = from.mdl != nullptr || to.mdl != nullptr;
  // Within GPU memory one command moves everything: the hardware copes with ranges that overlap.
  const SIZE_T step = scattered ? PAGE_SIZE : size;
  for (SIZE_T done = static_cast<SIZE_T>(*multipass) * PAGE_SIZE; done < size; done += step) {
    if (!writer->has_room(HW_WORDS_PAGING_COPY)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const SIZE_T page = done / PAGE_SIZE;
    const ULONG source_space = from.mdl != nullptr ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
    const ULONG target_space = to.mdl != nullptr ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
    writer->put_command(
        HW_COMMAND(HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, source_space, target_space));
    writer->put(static_cast<ULONG>(min(step, size - done)));
    write_address(writer, source_space,
                  from.mdl != nullptr ? page_address(from.mdl, from.first_page, page)
                                      : from.segment_address + done);
    write_address(
        writer, target_space,
        to.mdl != nullptr ? page_address(to.mdl, to.first_page, page) : to.segment_address + done);
    if (scattered) *multipass = static_cast<UINT>(page + 1);
  }
  return STATUS_SUCCESS;
}

NTSTATUS PagingBuilder::fill(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer) {
  const auto& f = operation.Fill;
  if (f.FillSize == 0) return STATUS_SUCCESS;
  if (!writer->has_room(HW_WORDS_PAGING_FILL)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  writer->put_command(HW_COMMAND(HW_OP_PAGING_FILL, HW_WORDS_PAGING_FILL, 0, HW_SPACE_GPU));
  writer->put(static_cast<ULONG>(f.FillSize));
  writer->put(f.FillPattern);
  write_address(writer, HW_SPACE_GPU,
                static_cast<ULONGLONG>(f.Destination.SegmentAddress.QuadPart));
  return STATUS_SUCCESS;
}

// One byte is enough for what these are for, and lies within the segment wherever it is.
NTSTATUS PagingBuilder::touch(ULONG opcode, UINT segment, PHYSICAL_ADDRESS address,
                              Writer* writer) {
  if (!writer->has_room(HW_WORDS_PAGING_TOUCH)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const ULONG space = segment == 0 ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
  writer->put_command(HW_COMMAND(opcode, HW_WORDS_PAGING_TOUCH, space, 0));
  writer->put(1);
  write_address(writer, space, static_cast<ULONGLONG>(address.QuadPart));
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
