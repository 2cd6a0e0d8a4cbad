// Asks for buffers and lists of no size and of every size, in turn.
#include "hostile.h"

static NTSTATUS create(IN_CONST_HANDLE device, INOUT_PDXGKARG_CREATECONTEXT args) {
  static bool greedy;
  const NTSTATUS status = conforming.DxgkDdiCreateContext(device, args);
  greedy = !greedy;
  const UINT size = greedy ? ~0u : 0;
  args->ContextInfo.DmaBufferSize = size;
  args->ContextInfo.DmaBufferSegmentSet = size;
  args->ContextInfo.DmaBufferPrivateDataSize = size;
  args->ContextInfo.AllocationListSize = size;
  args->ContextInfo.PatchLocationListSize = size;
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiCreateContext = create;
}
