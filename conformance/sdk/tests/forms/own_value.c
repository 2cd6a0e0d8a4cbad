/* Defines one of the two names that it is given, whatever it was given. */
#include <ntddk.h>

#define OWN_VALUE 1
#ifndef ASKED_FOR
#define ASKED_FOR 1
#endif

NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  UNREFERENCED_PARAMETER(DriverObject);
  UNREFERENCED_PARAMETER(RegistryPath);
  return OWN_VALUE + ASKED_FOR == 3 ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL;
}
