// Waits for an event that nobody sets.
#include "hostile.h"

static NTSTATUS render(IN_CONST_HANDLE, INOUT_PDXGKARG_RENDER) {
  KEVENT never;
  KeInitializeEvent(&never, NotificationEvent, FALSE);
  return KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, nullptr);
}

void make_hostile(DRIVER_INITIALIZATION_DATA* table) {
  table->DxgkDdiRender = render;
}
