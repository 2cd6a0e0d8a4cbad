// Leaves a system thread behind when it is unloaded.
#include "hostile.h"

static VOID linger(PVOID) {
  LARGE_INTEGER second;
  second.QuadPart = -10'000'000;
  for (;;) KeDelayExecutionThread(KernelMode, FALSE, &second);
}

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  HANDLE thread = nullptr;
  if (NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, linger,
                                      nullptr))) {
    ZwClose(thread);
  }
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
}
