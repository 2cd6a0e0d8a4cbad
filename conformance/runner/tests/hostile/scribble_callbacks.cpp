// Writes over the callbacks in place, where they are Dxgkrnl's.
#include "hostile.h"

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  const NTSTATUS status =
      conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
  RtlFillMemory(info, sizeof *info, 0xA5);
  RtlFillMemory(callbacks, sizeof *callbacks, 0xA5);
  *sources = *children = 0xA5A5A5A5;
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
}
