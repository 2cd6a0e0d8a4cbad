// Copies to where nothing is: the fault is in the function that copies.
#include "hostile.h"

static volatile SIZE_T g_bytes = 64;

static NTSTATUS preempt(IN_CONST_HANDLE, IN_CONST_PDXGKARG_PREEMPTCOMMAND args) {
  UCHAR bytes[64] = {static_cast<UCHAR>(args->NodeOrdinal)};
  RtlCopyMemory(reinterpret_cast<void*>(0xDEAD00000000ull), bytes, g_bytes);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiPreemptCommand = preempt;
}
