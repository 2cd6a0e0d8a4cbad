// Describes allocations without a handle, of every size and in segments that aren't there.
#include "hostile.h"

static NTSTATUS create(IN_CONST_HANDLE adapter, INOUT_PDXGKARG_CREATEALLOCATION args) {
  static UINT calls;
  const NTSTATUS status = conforming.DxgkDdiCreateAllocation(adapter, args);
  for (UINT i = 0; i < args->NumAllocations; ++i) {
    DXGK_ALLOCATIONINFO& info = args->pAllocationInfo[i];
    switch (calls++ % 4) {
      case 0:
        info.Size = ~static_cast<SIZE_T>(0);
        break;
      case 1:
        info.Alignment = ~0u;
        break;
      case 2:
        info.SupportedReadSegmentSet = info.SupportedWriteSegmentSet = info.EvictionSegmentSet =
            0xFFFFFFFC;
        info.PreferredSegment.Value = ~0u;
        break;
      default:
        info.Size = 0;
        info.SupportedWriteSegmentSet = 0;
        break;
    }
  }
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiCreateAllocation = create;
}
