// Does nothing wrong: a thread synchronizes with the interrupt while the DPC runs on the other
// processor, and each is inside of the driver for long.
#include "hostile.h"

static DXGKRNL_INTERFACE dxgkrnl;
static volatile LONG count;
static KEVENT wake;
static volatile LONG stopping;
static PVOID thread;

static void take_long(int steps) {
  for (int i = 0; i < steps; ++i) InterlockedIncrement(&count);
}

static BOOLEAN synchronized(PVOID) {
  take_long(2000);
  return TRUE;
}

static VOID synchronize(PVOID) {
  for (;;) {
    KeWaitForSingleObject(&wake, Executive, KernelMode, FALSE, nullptr);
    if (stopping) break;
    BOOLEAN result;
    dxgkrnl.DxgkCbSynchronizeExecution(dxgkrnl.DeviceHandle, synchronized, nullptr, 0, &result);
  }
  PsTerminateSystemThread(STATUS_SUCCESS);
}

static VOID dpc(IN_CONST_PVOID context) {
  KeSetEvent(&wake, 0, FALSE);
  take_long(300);
  conforming.DxgkDdiDpcRoutine(context);
}

static NTSTATUS start(IN_CONST_PVOID context, IN_PDXGK_START_INFO info,
                      IN_PDXGKRNL_INTERFACE callbacks, OUT_PULONG sources, OUT_PULONG children) {
  dxgkrnl = *callbacks;
  stopping = 0;
  KeInitializeEvent(&wake, SynchronizationEvent, FALSE);
  const NTSTATUS status =
      conforming.DxgkDdiStartDevice(context, info, callbacks, sources, children);
  if (!NT_SUCCESS(status)) return status;
  HANDLE handle;
  PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, synchronize, nullptr);
  ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, *PsThreadType, KernelMode, &thread, nullptr);
  ZwClose(handle);
  return status;
}

static NTSTATUS stop(IN_CONST_PVOID context) {
  stopping = 1;
  KeSetEvent(&wake, 0, FALSE);
  KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, nullptr);
  ObDereferenceObject(thread);
  return conforming.DxgkDdiStopDevice(context);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiStartDevice = start;
  table->DxgkDdiStopDevice = stop;
  table->DxgkDdiDpcRoutine = dpc;
}
