// Fills the patch-location list with indices, slots and offsets of its own invention.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE context, INOUT_PDXGKARG_RENDER args) {
  D3DDDI_PATCHLOCATIONLIST* const first = args->pPatchLocationListOut;
  const NTSTATUS status = conforming.DxgkDdiRender(context, args);
  for (UINT i = 0; i < args->PatchLocationListOutSize; ++i) {
    first[i].AllocationIndex = i * 0x9E3779B9u;
    first[i].Value = i * 0x85EBCA6Bu;
    first[i].AllocationOffset = ~i;
    first[i].PatchOffset = i * 0xC2B2AE35u;
    first[i].SplitOffset = ~(i * 0x27D4EB2Fu);
  }
  args->pPatchLocationListOut = first + args->PatchLocationListOutSize;
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
