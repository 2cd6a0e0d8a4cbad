// The one place that touches what user mode can change or unmap at any time.
#include "kestrel_kmd.h"

NTSTATUS KstCopyFromUser(PVOID to, const VOID* from, SIZE_T bytes) {
  NTSTATUS status = STATUS_SUCCESS;
  __try {
    RtlCopyMemory(to, from, bytes);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    status = STATUS_INVALID_PARAMETER;
  }
  return status;
}
