// Answers every question of the adapter with garbage of the right size.
#include "hostile.h"

static NTSTATUS query(IN_CONST_HANDLE, IN_CONST_PDXGKARG_QUERYADAPTERINFO args) {
  RtlFillMemory(args->pOutputData, args->OutputDataSize, 0xFF);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiQueryAdapterInfo = query;
}
