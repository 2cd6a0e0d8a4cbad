// A driver that starts as it should and does its deed then.
#pragma once

#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;

static void deed();

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  const NTSTATUS status =
      conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
  if (NT_SUCCESS(status)) deed();
  return status;
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
}
