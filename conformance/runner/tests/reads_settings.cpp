// DriverEntry tells by its status whether its settings are those that a test has asked for.
#include <ntddk.h>

static NTSTATUS query(HANDLE key, PCWSTR name, KEY_VALUE_PARTIAL_INFORMATION* value, ULONG bytes) {
  UNICODE_STRING text;
  ULONG needed = 0;
  RtlInitUnicodeString(&text, name);
  return ZwQueryValueKey(key, &text, KeyValuePartialInformation, value, bytes, &needed);
}

extern "C" NTSTATUS DriverEntry(PDRIVER_OBJECT, PUNICODE_STRING RegistryPath) {
  OBJECT_ATTRIBUTES attributes;
  HANDLE key = nullptr;
  InitializeObjectAttributes(&attributes, RegistryPath, OBJ_KERNEL_HANDLE, nullptr, nullptr);
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return STATUS_UNSUCCESSFUL;
  alignas(8) UCHAR room[128] = {};
  auto* const value = reinterpret_cast<KEY_VALUE_PARTIAL_INFORMATION*>(room);
  NTSTATUS status = query(key, L"Mode", value, sizeof room);
  const bool text = NT_SUCCESS(status) && value->Type == REG_SZ &&
                    value->DataLength == sizeof(L"fast") &&
                    RtlCompareMemory(value->Data, L"fast", sizeof(L"fast")) == sizeof(L"fast");
  status = query(key, L"Level", value, sizeof room);
  const bool number = NT_SUCCESS(status) && value->Type == REG_DWORD && value->Data[0] == 3;
  ZwClose(key);
  RTL_OSVERSIONINFOW version = {};
  version.dwOSVersionInfoSize = sizeof version;
  RtlGetVersion(&version);
  if (!text || !number) return STATUS_NOT_FOUND;
  return version.dwBuildNumber == 22621 ? STATUS_CANCELLED : STATUS_REVISION_MISMATCH;
}
