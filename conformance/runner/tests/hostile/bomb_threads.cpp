// Makes threads until there are no more to be had.
#include "hostile.h"

static KEVENT never;

static VOID wait_for_ever(PVOID) {
  KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
}

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  KeInitializeEvent(&never, NotificationEvent, FALSE);
  HANDLE thread = nullptr;
  while (NT_SUCCESS(PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr,
                                         wait_for_ever, nullptr))) {
  }
  return conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
}
