// Paging operations on the aperture, and on resources of contexts.
#include "../context.h"
#include "../kmd_addressing.h"
#include "kmd_paging.h"
#include "paging_writer.h"

namespace reference_kmd {

NTSTATUS PagingBuilder::map_aperture(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& map = operation->MapApertureSegment;
  note_mapping(map.hAllocation, map.SegmentId, map.OffsetInPages * UINT64{PAGE_SIZE});
  for (SIZE_T page = operation->MultipassOffset; page < map.NumberOfPages; ++page) {
    if (!writer->has_room(HW_WORDS_APERTURE_MAP)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    writer->put_command(HW_COMMAND(HW_OP_APERTURE_MAP, HW_WORDS_APERTURE_MAP, 0, 0));
    writer->put(static_cast<ULONG>(map.OffsetInPages + page));
    writer->put64(page_address(map.pMdl, map.MdlOffset, page));
    operation->MultipassOffset = static_cast<UINT>(page + 1);
  }
  return STATUS_SUCCESS;
}

// The same with pages that follow each other, or a list of them. The CPU needs no view of them.
NTSTATUS PagingBuilder::map_aperture2(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& map = operation->MapApertureSegment2;
  note_mapping(map.hAllocation, map.SegmentId, map.OffsetInPages * UINT64{PAGE_SIZE});
  for (SIZE_T page = operation->MultipassOffset; page < map.NumberOfPages; ++page) {
    if (!writer->has_room(HW_WORDS_APERTURE_MAP)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const SIZE_T at = map.AdlOffset + page;
    const DXGK_PAGE_NUMBER frame =
        map.Adl.Flags.Contiguous ? map.Adl.BasePageNumber + at : map.Adl.Pages[at];
    writer->put_command(HW_COMMAND(HW_OP_APERTURE_MAP, HW_WORDS_APERTURE_MAP, 0, 0));
    writer->put(static_cast<ULONG>(map.OffsetInPages + page));
    writer->put64(frame << PAGE_SHIFT);
    operation->MultipassOffset = static_cast<UINT>(page + 1);
  }
  return STATUS_SUCCESS;
}

// Other parts of the aperture may be in use meanwhile: only the entries of the range are written.
NTSTATUS PagingBuilder::unmap_aperture(const DXGKARG_BUILDPAGINGBUFFER& operation, Writer* writer) {
  const auto& unmap = operation.UnmapApertureSegment;
  if (unmap.NumberOfPages == 0) return STATUS_SUCCESS;
  if (!writer->has_room(HW_WORDS_APERTURE_FILL)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  writer->put_command(HW_COMMAND(HW_OP_APERTURE_FILL, HW_WORDS_APERTURE_FILL, 0, 0));
  writer->put(static_cast<ULONG>(unmap.OffsetInPages));
  writer->put(static_cast<ULONG>(unmap.NumberOfPages));
  writer->put64(unmapped_entry(unmap.DummyPage));
  return STATUS_SUCCESS;
}

// A context image as a context begins with: all zero behind the magic number.
NTSTATUS PagingBuilder::init_context_resource(const DXGKARG_BUILDPAGINGBUFFER& operation,
                                              Writer* writer) {
  const auto& target = operation.InitContextResource.Destination;
  if (!writer->has_room(HW_WORDS_PAGING_FILL, 2)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const ULONG space = target.SegmentId == 0 ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
  const ULONGLONG address = target.SegmentId == 0
                                ? page_address(target.pMdl, 0, 0)
                                : static_cast<ULONGLONG>(target.SegmentAddress.QuadPart);
  // Of context allocations the driver's handle is the context; without addresses of their own they
  // are not used, and have none.
  if (uses_gpu_virtual_addresses() && operation.InitContextResource.hAllocation != nullptr) {
    static_cast<Context*>(operation.InitContextResource.hAllocation)->note_image(address);
  }
  const ULONG sizes[] = {sizeof(HwContextImage), sizeof(ULONG)};
  const ULONG patterns[] = {0, HW_CONTEXT_MAGIC};
  for (ULONG i = 0; i < 2; ++i) {
    writer->put_command(HW_COMMAND(HW_OP_PAGING_FILL, HW_WORDS_PAGING_FILL, 0, space));
    writer->put(sizes[i]);
    writer->put(patterns[i]);
    write_address(writer, space, address);
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
