// Writes over everything above the structure it was given: the stack of its caller.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE, INOUT_PDXGKARG_RENDER args) {
  auto* bytes = reinterpret_cast<volatile UCHAR*>(args);
  for (ULONG i = 0; i < 4096; ++i) bytes[i] = 0xA5;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
