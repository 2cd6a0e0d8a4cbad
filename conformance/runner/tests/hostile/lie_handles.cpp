// Gives out no handles, and says that all went well.
#include "hostile.h"

static NTSTATUS create_allocation(IN_CONST_HANDLE, INOUT_PDXGKARG_CREATEALLOCATION args) {
  for (UINT i = 0; i < args->NumAllocations; ++i) args->pAllocationInfo[i].hAllocation = nullptr;
  return STATUS_SUCCESS;
}

static NTSTATUS open_allocation(IN_CONST_HANDLE, IN_CONST_PDXGKARG_OPENALLOCATION args) {
  for (UINT i = 0; i < args->NumAllocations; ++i)
    args->pOpenAllocation[i].hDeviceSpecificAllocation = nullptr;
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiCreateAllocation = create_allocation;
  table->DxgkDdiOpenAllocation = open_allocation;
}
