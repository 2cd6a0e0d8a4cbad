// Tells a system thread at StopDevice to end, and does not wait until it has.
#include "hostile.h"

static KEVENT ends;

static VOID work(PVOID) {
  KeWaitForSingleObject(&ends, Executive, KernelMode, FALSE, nullptr);
}

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  HANDLE thread = nullptr;
  KeInitializeEvent(&ends, NotificationEvent, FALSE);
  if (NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, work,
                                      nullptr))) {
    ZwClose(thread);
  }
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

static NTSTATUS stop(IN_CONST_PVOID context) {
  KeSetEvent(&ends, IO_NO_INCREMENT, FALSE);
  return conforming.DxgkDdiStopDevice(context);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiStopDevice = stop;
}
