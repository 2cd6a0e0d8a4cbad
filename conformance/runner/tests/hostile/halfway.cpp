// DriverEntry takes resources, fails, and gives nothing back.
#include <ntddk.h>

static VOID wait_for_ever(PVOID event) {
  KeWaitForSingleObject(event, Executive, KernelMode, FALSE, nullptr);
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING) {
  auto* event = static_cast<KEVENT*>(ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(KEVENT), 'tsoH'));
  HANDLE thread = nullptr;
  KeInitializeEvent(event, NotificationEvent, FALSE);
  PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, nullptr, nullptr, nullptr, wait_for_ever, event);
  return STATUS_INSUFFICIENT_RESOURCES;
}
