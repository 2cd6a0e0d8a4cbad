// A driver that calls what no host offers, directly and through a pointer, and what only the host's
// C library offers.
#include <ntddk.h>

extern "C" {
NTSTATUS ZwInventedService(int a, const char* b);
NTSTATUS PoInventedToo(void);
int swprintf(WCHAR* buffer, const WCHAR* format, ...);
}

static NTSTATUS (*volatile by_pointer)(void) = PoInventedToo;

extern "C" NTSTATUS DriverEntry(DRIVER_OBJECT*, UNICODE_STRING*) {
  WCHAR buffer[8];
  if (ZwInventedService(1, "x") != STATUS_NOT_IMPLEMENTED) return 1;
  if (by_pointer() != STATUS_NOT_IMPLEMENTED) return 2;
  if (swprintf(buffer, L"%d", 1) != STATUS_NOT_IMPLEMENTED) return 3;
  return STATUS_SUCCESS;
}
