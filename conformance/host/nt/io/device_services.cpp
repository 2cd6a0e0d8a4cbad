// Device stacks, device interfaces and files. There is no file system and there are no other
// devices: opening any name fails as if nothing of that name existed.
#include <cstring>
#include <string>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/io/kernel_objects.h"

using namespace wddm::nt;

namespace {

constexpr ULONG kInterfaceTag = 0x6d4e6f49;  // 'IoNm'

NTSTATUS no_such_name(PHANDLE handle, PIO_STATUS_BLOCK status) {
  *handle = nullptr;
  *status = {};
  status->Status = STATUS_OBJECT_NAME_NOT_FOUND;
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS no_such_file(const Service& service) {
  service.report(FindingKind::BadHandle, "not an open handle of a file");
  return STATUS_INVALID_HANDLE;
}

void append_hex(std::u16string& text, std::uint64_t value, int digits) {
  for (int digit = digits - 1; digit >= 0; --digit)
    text += u"0123456789abcdef"[(value >> (4 * digit)) & 15];
}

std::u16string interface_name(const GUID& guid) {
  std::u16string text = u"\\??\\PCI#0002#{";
  append_hex(text, guid.Data1, 8);
  text += u'-';
  append_hex(text, guid.Data2, 4);
  text += u'-';
  append_hex(text, guid.Data3, 4);
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == 0 || i == 2) text += u'-';
    append_hex(text, guid.Data4[i], 2);
  }
  return text + u'}';
}

}  // namespace

PDEVICE_OBJECT IoGetRelatedDeviceObject(PFILE_OBJECT FileObject) {
  NT_SERVICE(IoGetRelatedDeviceObject);
  return FileObject->DeviceObject;
}

PDEVICE_OBJECT IoGetAttachedDeviceReference(PDEVICE_OBJECT DeviceObject) {
  NT_SERVICE(IoGetAttachedDeviceReference);
  while (DeviceObject->AttachedDevice != nullptr) DeviceObject = DeviceObject->AttachedDevice;
  if (!object_reference(DeviceObject))
    service.report(FindingKind::BadParameter, "not a device object");
  return DeviceObject;
}

NTSTATUS IoGetDeviceObjectPointer(PUNICODE_STRING, ACCESS_MASK, PFILE_OBJECT* FileObject,
                                  PDEVICE_OBJECT* DeviceObject) {
  NT_SERVICE(IoGetDeviceObjectPointer);
  *FileObject = nullptr;
  *DeviceObject = nullptr;
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS IoRegisterDeviceInterface(PDEVICE_OBJECT, const GUID* InterfaceClassGuid, PUNICODE_STRING,
                                   PUNICODE_STRING SymbolicLinkName) {
  NT_SERVICE(IoRegisterDeviceInterface);
  const std::u16string name = interface_name(*InterfaceClassGuid);
  const auto bytes = static_cast<USHORT>(name.size() * sizeof(WCHAR));
  void* buffer = ExAllocatePoolWithTag(PagedPool, bytes + sizeof(WCHAR), kInterfaceTag);
  if (buffer == nullptr) return STATUS_INSUFFICIENT_RESOURCES;
  std::memcpy(buffer, name.c_str(), bytes + sizeof(WCHAR));
  *SymbolicLinkName = {bytes, static_cast<USHORT>(bytes + sizeof(WCHAR)),
                       static_cast<PWCH>(buffer)};
  return STATUS_SUCCESS;
}

NTSTATUS IoSetDeviceInterfaceState(PUNICODE_STRING, BOOLEAN) {
  NT_SERVICE(IoSetDeviceInterfaceState);
  return STATUS_SUCCESS;
}

VOID IoInvalidateDeviceState(PDEVICE_OBJECT) {
  NT_SERVICE(IoInvalidateDeviceState);
}

NTSTATUS ZwCreateFile(PHANDLE FileHandle, ACCESS_MASK, POBJECT_ATTRIBUTES,
                      PIO_STATUS_BLOCK IoStatusBlock, PLARGE_INTEGER, ULONG, ULONG, ULONG, ULONG,
                      PVOID, ULONG) {
  NT_SERVICE(ZwCreateFile);
  return no_such_name(FileHandle, IoStatusBlock);
}

NTSTATUS ZwOpenFile(PHANDLE FileHandle, ACCESS_MASK, POBJECT_ATTRIBUTES,
                    PIO_STATUS_BLOCK IoStatusBlock, ULONG, ULONG) {
  NT_SERVICE(ZwOpenFile);
  return no_such_name(FileHandle, IoStatusBlock);
}

NTSTATUS ZwReadFile(HANDLE, HANDLE, PIO_APC_ROUTINE, PVOID, PIO_STATUS_BLOCK, PVOID, ULONG,
                    PLARGE_INTEGER, PULONG) {
  NT_SERVICE(ZwReadFile);
  return no_such_file(service);
}

NTSTATUS ZwWriteFile(HANDLE, HANDLE, PIO_APC_ROUTINE, PVOID, PIO_STATUS_BLOCK, PVOID, ULONG,
                     PLARGE_INTEGER, PULONG) {
  NT_SERVICE(ZwWriteFile);
  return no_such_file(service);
}
