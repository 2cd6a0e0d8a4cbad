// Collects debug information under a lock that it cannot have at every level.
#include "hostile.h"

static KSPIN_LOCK g_lock;

static NTSTATUS collect(IN_CONST_HANDLE, IN_CONST_PDXGKARG_COLLECTDBGINFO) {
  KIRQL before;
  KeAcquireSpinLock(&g_lock, &before);
  KeReleaseSpinLock(&g_lock, before);
  return STATUS_SUCCESS;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiCollectDbgInfo = collect;
}
