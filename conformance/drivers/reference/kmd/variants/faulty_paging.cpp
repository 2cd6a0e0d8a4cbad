#include "../paging/paging_writer.h"
#include "../segment_layout.h"
#include "faulty.h"

namespace reference_kmd {

namespace {

// No GPU address has this bit.
constexpr ULONGLONG kUnresolved = 1ull << 63;

void resolve(UCHAR* place) {
  ULONGLONG address;
  RtlCopyMemory(&address, place, sizeof address);
  address &= ~kUnresolved;
  RtlCopyMemory(place, &address, sizeof address);
}

}  // namespace

ULONGLONG ContiguousPagingBuilder::page_address(const MDL* mdl, SIZE_T first, SIZE_T n) const {
  return PagingBuilder::page_address(mdl, first, 0) + n * PAGE_SIZE;
}

ULONGLONG ClearingPagingBuilder::unmapped_entry(PHYSICAL_ADDRESS) const {
  return HW_APERTURE_INVALID;
}

ULONGLONG LatePagingBuilder::address_field(ULONGLONG address) const {
  return address | kUnresolved;
}

void LatePagingBuilder::patch(const DXGKARG_PATCH& request) {
  UCHAR* at = static_cast<UCHAR*>(request.pDmaBuffer) + request.DmaBufferSubmissionStartOffset;
  UCHAR* end = static_cast<UCHAR*>(request.pDmaBuffer) + request.DmaBufferSubmissionEndOffset;
  while (at < end) {
    ULONG first;
    RtlCopyMemory(&first, at, sizeof first);
    switch (HW_COMMAND_OPCODE(first)) {
      case HW_OP_PAGING_COPY:
        resolve(at + 2 * sizeof(ULONG));
        resolve(at + 4 * sizeof(ULONG));
        break;
      case HW_OP_PAGING_FILL:
        resolve(at + 3 * sizeof(ULONG));
        break;
      case HW_OP_PAGING_READ:
      case HW_OP_PAGING_WRITE:
        resolve(at + 2 * sizeof(ULONG));
        break;
      default:
        break;
    }
    at += HW_COMMAND_WORDS(first) * sizeof(ULONG);
  }
}

// By the GPU, through the other's BAR.
NTSTATUS BroadcastingPagingBuilder::update_page_table(DXGKARG_BUILDPAGINGBUFFER* operation,
                                                      Writer* writer) {
  const NTSTATUS status = VirtualPagingBuilder::update_page_table(operation, writer);
  const auto& update = operation->UpdatePageTable;
  const auto& place = update.PageTableAddress.GpuPhysical;
  if (!NT_SUCCESS(status) || update.UpdateMode != DXGK_PAGETABLEUPDATE_GPU_PHYSICAL ||
      segment_role(place.SegmentId) != UMD_SEGMENT_LOCAL || format_.peer_memory() == 0) {
    return status;
  }
  if (!writer->has_room(HW_WORDS_PAGING_COPY)) return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  const UINT entry = format_.words_per_entry(update.PageTableLevel) * sizeof(ULONGLONG);
  const UINT64 offset = place.SegmentOffset + static_cast<UINT64>(update.StartIndex) * entry;
  writer->put_command(
      HW_COMMAND(HW_OP_PAGING_COPY, HW_WORDS_PAGING_COPY, HW_SPACE_GPU, HW_SPACE_SYSTEM));
  writer->put(update.NumPageTableEntries * entry);
  writer->put64(HW_LOCAL_BASE + offset);
  writer->put64(format_.peer_memory() + offset);
  return status;
}

const Process* OnceInstallingPagingBuilder::owner_of_entries(
    const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE& update) const {
  const Process* owner = VirtualPagingBuilder::owner_of_entries(update);
  if (owner == nullptr) return nullptr;
  for (const Process*& installed : installed_) {
    if (installed == owner) return nullptr;
    if (installed != nullptr) continue;
    installed = owner;
    break;
  }
  return owner;
}

}  // namespace reference_kmd
