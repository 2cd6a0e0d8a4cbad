// Writes behind a pool block.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE context, INOUT_PDXGKARG_RENDER args) {
  constexpr ULONG kTag = 'tsoH';
  auto* block = static_cast<volatile UCHAR*>(ExAllocatePoolWithTag(NonPagedPoolNx, 40, kTag));
  if (block != nullptr) {
    block[40] = 0x55;
    ExFreePoolWithTag(const_cast<UCHAR*>(block), kTag);
  }
  return conforming.DxgkDdiRender(context, args);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
