// Good capabilities, and segments that overlap, wrap around, or are larger than any memory.
#include "hostile.h"

static NTSTATUS query(IN_CONST_HANDLE adapter, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  const NTSTATUS status = conforming.DxgkDdiQueryAdapterInfo(adapter, args);
  if (args->Type != DXGKQAITYPE_QUERYSEGMENT3) return status;
  auto* out = static_cast<DXGK_QUERYSEGMENTOUT3*>(args->pOutputData);
  if (out->pSegmentDescriptor != nullptr) {
    for (UINT i = 0; i < out->NbSegment; ++i) {
      out->pSegmentDescriptor[i].BaseAddress.QuadPart = -4096;
      out->pSegmentDescriptor[i].Size = ~0ull;
      out->pSegmentDescriptor[i].CommitLimit = ~0ull;
    }
  }
  out->NbSegment += 3;
  out->PagingBufferSegmentId = 77;
  out->PagingBufferSize = ~0u;
  out->PagingBufferPrivateDataSize = ~0u;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiQueryAdapterInfo = query;
}
