// Paging operations that never end, or end outside of their buffer.
#include "hostile.h"

static NTSTATUS build(IN_CONST_HANDLE adapter, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  static UINT calls;
  const NTSTATUS status = conforming.DxgkDdiBuildPagingBuffer(adapter, args);
  switch (calls++ % 3) {
    case 0:
      args->pDmaBuffer = reinterpret_cast<VOID*>(~0ull);
      return status;
    case 1:
      args->pDmaBuffer = nullptr;
      args->pDmaBufferPrivateData = nullptr;
      return status;
    default:
      args->MultipassOffset = calls;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiBuildPagingBuffer = build;
}
