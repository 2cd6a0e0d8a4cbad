/* The one place that reads what user mode may change or unmap at any time. */
#include "heron_kmd.h"

NTSTATUS HeronFetch(const DXGKARG_RENDER* r, UINT offset, ULONG* token, UINT* bytes) {
  NTSTATUS status = STATUS_SUCCESS;
  const UINT left = r->CommandLength - offset;
  if (left < 4) return STATUS_INVALID_USER_BUFFER;
  __try {
    const UCHAR* from = (const UCHAR*)r->pCommand + offset;
    RtlCopyMemory(token, from, 4);
    *bytes = token[0] >> 16;
    if (*bytes < 8 || *bytes > HERON_MAX_TOKEN || (*bytes & 3) || *bytes > left)
      status = STATUS_INVALID_USER_BUFFER;
    else
      RtlCopyMemory(token + 1, from + 4, *bytes - 4);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    status = STATUS_INVALID_PARAMETER;
  }
  return status;
}
