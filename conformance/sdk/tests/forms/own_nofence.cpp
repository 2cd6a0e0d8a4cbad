// What older kits lack on x64, and drivers therefore define, in words that take it for granted.
#include <ntddk.h>

__forceinline ULONG READ_REGISTER_NOFENCE_ULONG(_In_ volatile ULONG* Register) {
  return READ_REGISTER_ULONG(Register);
}

__forceinline VOID WRITE_REGISTER_NOFENCE_ULONG(_In_ volatile ULONG* Register, _In_ ULONG Value) {
  WRITE_REGISTER_ULONG(Register, Value);
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT DriverObject, PUNICODE_STRING RegistryPath) {
  UNREFERENCED_PARAMETER(RegistryPath);
  volatile ULONG* const registers = reinterpret_cast<volatile ULONG*>(DriverObject);
  WRITE_REGISTER_NOFENCE_ULONG(registers, READ_REGISTER_NOFENCE_ULONG(registers + 1));
  WRITE_REGISTER_NOFENCE_USHORT(reinterpret_cast<volatile USHORT*>(DriverObject), 2);
  return STATUS_SUCCESS;
}
