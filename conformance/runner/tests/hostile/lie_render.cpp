// Says that it wrote to places outside of the buffers it got.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE context, INOUT_PDXGKARG_RENDER args) {
  static UINT calls;
  const NTSTATUS status = conforming.DxgkDdiRender(context, args);
  switch (calls++ % 4) {
    case 0:
      args->pDmaBuffer = nullptr;
      args->pPatchLocationListOut = nullptr;
      break;
    case 1:
      args->pDmaBuffer = reinterpret_cast<VOID*>(~0ull);
      args->pPatchLocationListOut = reinterpret_cast<D3DDDI_PATCHLOCATIONLIST*>(~0ull);
      break;
    case 2:
      // As far away as 32 bits can say nothing of.
      args->pDmaBuffer = static_cast<UCHAR*>(args->pDmaBuffer) + (1ull << 32);
      args->pPatchLocationListOut += args->PatchLocationListOutSize * 2;
      break;
    default:
      args->MultipassOffset = ~0u;
      return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
  }
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
