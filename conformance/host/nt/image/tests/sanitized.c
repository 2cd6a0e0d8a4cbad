// A driver that looks as if a sanitizer had instrumented it: it calls a run time that no program
// has, be it built with a sanitizer or without.
#include <ntddk.h>

void __asan_invented(void);

NTSTATUS DriverEntry(DRIVER_OBJECT* driver, UNICODE_STRING* path) {
  UNREFERENCED_PARAMETER(driver);
  UNREFERENCED_PARAMETER(path);
  __asan_invented();
  return STATUS_SUCCESS;
}
