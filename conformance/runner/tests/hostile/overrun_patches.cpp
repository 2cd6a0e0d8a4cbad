// Writes behind the end of the patch-location list that Render is given.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE, INOUT_PDXGKARG_RENDER args) {
  auto* const end = reinterpret_cast<volatile UCHAR*>(args->pPatchLocationListOut +
                                                      args->PatchLocationListOutSize);
  end[16] = 1;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
