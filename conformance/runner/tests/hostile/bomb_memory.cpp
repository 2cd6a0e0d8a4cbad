// Takes all the memory there is, of each kind.
#include "hostile.h"

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  const NTSTATUS status =
      conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
  PHYSICAL_ADDRESS none, highest;
  none.QuadPart = 0;
  highest.QuadPart = ~0ull >> 1;
  for (SIZE_T bytes = 1 << 24; bytes >= PAGE_SIZE; bytes /= 2) {
    while (MmAllocateContiguousMemory(bytes, highest) != nullptr) {
    }
    while (MmAllocatePagesForMdl(none, highest, none, bytes) != nullptr) {
    }
    while (ExAllocatePoolWithTag(NonPagedPoolNx, bytes, 'tsoH') != nullptr) {
    }
  }
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
}
