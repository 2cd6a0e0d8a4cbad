// Paging operations of which there is always one more pass to come, each with work to be done.
#include "../../../drivers/reference/device/hw.h"
#include "hostile.h"

static NTSTATUS build(IN_CONST_HANDLE, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  *static_cast<UINT*>(args->pDmaBuffer) = HW_COMMAND(HW_OP_NOP, 1, 0, 0);
  args->pDmaBuffer = static_cast<UINT*>(args->pDmaBuffer) + 1;
  ++args->MultipassOffset;
  return STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiBuildPagingBuffer = build;
}
