#include "c_inline.h"

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  ULONG (*twice)(ULONG) = Twice;
  UNREFERENCED_PARAMETER(DriverObject);
  UNREFERENCED_PARAMETER(RegistryPath);
  return twice(2) == TwiceElsewhere(2) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
