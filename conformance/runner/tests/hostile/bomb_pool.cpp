// Takes the whole pool in blocks large and small when it is first asked to page.
#include "hostile.h"

static NTSTATUS build(IN_CONST_HANDLE adapter, IN_PDXGKARG_BUILDPAGINGBUFFER args) {
  static bool done;
  for (SIZE_T bytes = 1 << 26; !done && bytes >= 8; bytes -= bytes > 4096 ? bytes / 2 : 8) {
    while (ExAllocatePoolWithTag(NonPagedPoolNx, bytes, 'tsoH') != nullptr) {
    }
  }
  done = true;
  return conforming.DxgkDdiBuildPagingBuffer(adapter, args);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiBuildPagingBuffer = build;
}
