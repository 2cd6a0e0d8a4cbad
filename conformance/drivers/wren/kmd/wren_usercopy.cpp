// The one place that touches what user mode can change or unmap at any time.
#include "wren_kmd.h"

BOOLEAN WrenCopyFromUser(VOID* To, const VOID* From, SIZE_T Bytes) {
  BOOLEAN good = TRUE;
  __try {
    RtlCopyMemory(To, From, Bytes);
  } __except (EXCEPTION_EXECUTE_HANDLER) {
    good = FALSE;
  }
  return good;
}
