// Transfers between the order of tiles, which video memory has, and that of the CPU.
//
// Through a swizzling range the CPU sees them in its own order meanwhile (segments.cpp).
#include "../kmd_allocation.h"
#include "kmd_paging.h"
#include "paging_writer.h"
#include "tiles.h"

namespace reference_kmd {

NTSTATUS PagingBuilder::convert(DXGKARG_BUILDPAGINGBUFFER* operation, Writer* writer) {
  const auto& t = operation->Transfer;
  const bool in = t.Flags.Swizzle;
  const MDL* const mdl = in ? t.Source.pMdl : t.Destination.pMdl;
  const PHYSICAL_ADDRESS segment = in ? t.Destination.SegmentAddress : t.Source.SegmentAddress;
  const SIZE_T pages = static_cast<const Allocation*>(t.hAllocation)->size() / PAGE_SIZE;
  const ULONG source = in ? HW_SPACE_SYSTEM : HW_SPACE_GPU;
  const ULONG target = in ? HW_SPACE_GPU : HW_SPACE_SYSTEM;
  for (SIZE_T i = operation->MultipassOffset; i < t.TransferSize / PAGE_SIZE; ++i) {
    if (!writer->has_room(HW_WORDS_PAGING_COPY)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
    const SIZE_T tile = tile_of(t.TransferOffset / PAGE_SIZE + i, pages);
    const ULONGLONG stored = static_cast<ULONGLONG>(segment.QuadPart) + tile * PAGE_SIZE;
    const ULONGLONG linear = page_address(mdl, t.MdlOffset, i);
    writer->put_command(HW_COMMAND(HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, source, target));
    writer->put(PAGE_SIZE);
    write_address(writer, source, in ? linear : stored);
    write_address(writer, target, in ? stored : linear);
    operation->MultipassOffset = static_cast<UINT>(i + 1);
  }
  return STATUS_SUCCESS;
}

}  // namespace reference_kmd
