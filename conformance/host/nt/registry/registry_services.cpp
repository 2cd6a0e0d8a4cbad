// ZwOpenKey, ZwQueryValueKey and kin: the registry by handle.
//
// Sources: their reference pages. A buffer that does not hold the fixed part of a record gives
// STATUS_BUFFER_TOO_SMALL, one that holds it but not everything STATUS_BUFFER_OVERFLOW with as much
// as fits; both tell the length needed.
// Left out: class names, title indices, write times (always 0), key names of KeyNameInformation.
#include <algorithm>
#include <cstring>

#include "conformance/host/nt/io/kernel_objects.h"
#include "conformance/host/nt/registry/registry.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/core/slab.h"
#include "conformance/sdk/ddi/nt/registry.h"
#include "conformance/sdk/ddi/ntstatus.h"

namespace wddm::nt {
namespace {

Slab<OpenKey> g_open_keys;
const char16_t* g_entry_path = nullptr;  // once it is freed

void destroy(void* body) {
  g_open_keys.give(static_cast<OpenKey*>(body));
}
const ObjectType kKeyType{"key", destroy};

constexpr ULONG kMaximumAllowed = 0x02000000;
constexpr ULONG kNoClass = 0xffffffff;  // as an offset

std::u16string_view view(const UNICODE_STRING* string) {
  if (!string || !string->Buffer) return {};
  return {string->Buffer, string->Length / sizeof(WCHAR)};
}

// The key behind a handle, if it may be used for `needed`.
NTSTATUS key_for(const Service& service, HANDLE handle, ULONG needed, RegistryKey** key) {
  OpenKey* open = open_key_of(handle);
  if (!open) {
    service.report(FindingKind::BadHandle, "not a handle of a key");
    return STATUS_INVALID_HANDLE;
  }
  if (open->key->deleted()) return STATUS_KEY_DELETED;
  const ULONG generic =
      needed & (KEY_SET_VALUE | KEY_CREATE_SUB_KEY) ? GENERIC_WRITE : GENERIC_READ;
  if (!(open->access & (needed | generic | GENERIC_ALL | kMaximumAllowed)))
    return STATUS_ACCESS_DENIED;
  *key = open->key;
  return STATUS_SUCCESS;
}

NTSTATUS root_of(const Service& service, POBJECT_ATTRIBUTES attributes, RegistryKey** root) {
  *root = nullptr;
  if (!attributes || attributes->Length != sizeof(OBJECT_ATTRIBUTES) || !attributes->ObjectName)
    return STATUS_INVALID_PARAMETER;
  tell_of_freed_path(service, attributes->ObjectName->Buffer);
  if (!attributes->RootDirectory) {
    return view(attributes->ObjectName).starts_with(u'\\') ? STATUS_SUCCESS
                                                           : STATUS_OBJECT_PATH_SYNTAX_BAD;
  }
  OpenKey* open = open_key_of(attributes->RootDirectory);
  if (!open) {
    service.report(FindingKind::BadHandle, "RootDirectory is not a handle of a key");
    return STATUS_INVALID_HANDLE;
  }
  if (open->key->deleted()) return STATUS_KEY_DELETED;
  *root = open->key;
  return STATUS_SUCCESS;
}

// Writes a record piece by piece, as far as the caller's buffer goes.
class Record {
 public:
  Record(void* buffer, ULONG capacity, ULONG fixed)
      : to_(static_cast<std::uint8_t*>(buffer)), capacity_(capacity), fixed_(fixed) {}
  void put(const void* data, std::size_t bytes) {
    if (at_ < capacity_)
      std::memcpy(to_ + at_, data, std::min<std::size_t>(bytes, capacity_ - at_));
    at_ += bytes;
  }
  void put(ULONG value) { put(&value, sizeof value); }
  void pad_to(std::size_t end) {
    while (at_ < end) put("", 1);
  }
  [[nodiscard]] bool too_small() const { return capacity_ < fixed_; }
  NTSTATUS finish(PULONG needed) const {
    if (needed) *needed = static_cast<ULONG>(at_);
    if (too_small()) return STATUS_BUFFER_TOO_SMALL;
    return at_ > capacity_ ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
  }

 private:
  std::uint8_t* to_;
  std::size_t capacity_;
  std::size_t fixed_;
  std::size_t at_ = 0;
};

ULONG bytes_of(const std::u16string& name) {
  return static_cast<ULONG>(name.size() * sizeof(WCHAR));
}

NTSTATUS put_value(const RegistryValue& value, KEY_VALUE_INFORMATION_CLASS kind, void* buffer,
                   ULONG length, PULONG needed) {
  const ULONG name_bytes = bytes_of(value.name);
  const auto data_bytes = static_cast<ULONG>(value.data.size());
  ULONG fixed = 0;
  switch (kind) {
    case KeyValueBasicInformation:
      fixed = FIELD_OFFSET(KEY_VALUE_BASIC_INFORMATION, Name);
      break;
    case KeyValueFullInformation:
      fixed = FIELD_OFFSET(KEY_VALUE_FULL_INFORMATION, Name);
      break;
    case KeyValuePartialInformation:
      fixed = FIELD_OFFSET(KEY_VALUE_PARTIAL_INFORMATION, Data);
      break;
    case KeyValuePartialInformationAlign64:
      fixed = 2 * sizeof(ULONG);
      break;
    default:
      return STATUS_INVALID_PARAMETER;
  }
  Record record(length < fixed ? nullptr : buffer, length < fixed ? 0 : length, fixed);
  if (kind != KeyValuePartialInformationAlign64) record.put(ULONG{0});  // TitleIndex
  record.put(value.type);
  const ULONG data_offset = (fixed + name_bytes + 3) & ~3u;
  if (kind == KeyValueFullInformation) record.put(data_offset);
  if (kind != KeyValueBasicInformation) record.put(data_bytes);
  if (kind == KeyValueFullInformation || kind == KeyValueBasicInformation) {
    record.put(name_bytes);
    record.put(value.name.data(), name_bytes);
  }
  if (kind == KeyValueFullInformation) record.pad_to(data_offset);
  if (kind != KeyValueBasicInformation) record.put(value.data.data(), data_bytes);
  return record.finish(needed);
}

NTSTATUS put_full_key(const RegistryKey& key, void* buffer, ULONG length, PULONG needed) {
  KEY_FULL_INFORMATION full{};
  full.ClassOffset = kNoClass;
  for (const auto& subkey : key.subkeys()) {
    if (subkey->deleted()) continue;
    ++full.SubKeys;
    full.MaxNameLen = std::max(full.MaxNameLen, bytes_of(subkey->name()));
  }
  full.Values = static_cast<ULONG>(key.values().size());
  for (const RegistryValue& value : key.values()) {
    full.MaxValueNameLen = std::max(full.MaxValueNameLen, bytes_of(value.name));
    full.MaxValueDataLen = std::max(full.MaxValueDataLen, static_cast<ULONG>(value.data.size()));
  }
  constexpr ULONG kFixed = FIELD_OFFSET(KEY_FULL_INFORMATION, Class);
  Record record(length < kFixed ? nullptr : buffer, length < kFixed ? 0 : length, kFixed);
  record.put(&full, kFixed);
  return length < kFixed ? (record.finish(needed), STATUS_BUFFER_TOO_SMALL) : record.finish(needed);
}

NTSTATUS put_key(const RegistryKey& key, KEY_INFORMATION_CLASS kind, void* buffer, ULONG length,
                 PULONG needed) {
  if (kind == KeyFullInformation) return put_full_key(key, buffer, length, needed);
  if (kind != KeyBasicInformation && kind != KeyNodeInformation) return STATUS_INVALID_PARAMETER;
  const bool node = kind == KeyNodeInformation;
  const ULONG fixed =
      node ? FIELD_OFFSET(KEY_NODE_INFORMATION, Name) : FIELD_OFFSET(KEY_BASIC_INFORMATION, Name);
  Record record(length < fixed ? nullptr : buffer, length < fixed ? 0 : length, fixed);
  const LARGE_INTEGER never{};
  record.put(&never, sizeof never);
  record.put(ULONG{0});  // TitleIndex
  if (node) {
    record.put(kNoClass);  // ClassOffset
    record.put(ULONG{0});  // ClassLength
  }
  record.put(bytes_of(key.name()));
  record.put(key.name().data(), bytes_of(key.name()));
  return length < fixed ? (record.finish(needed), STATUS_BUFFER_TOO_SMALL) : record.finish(needed);
}

}  // namespace

OpenKey* open_key_of(void* handle) {
  return static_cast<OpenKey*>(handle_body(reinterpret_cast<std::uint64_t>(handle), &kKeyType));
}

void* open_handle(RegistryKey& key, std::uint32_t access) {
  OpenKey* open = g_open_keys.take();
  *open = {&key, access};
  object_create(kKeyType, open, false);
  const std::uint64_t handle = handle_open(open);
  static_cast<void>(object_dereference(open));  // the handle's reference is left
  return reinterpret_cast<void*>(handle);
}

void registry_boot() {
  g_open_keys.forget();
  g_entry_path = nullptr;
}

void entry_path_is_gone(const char16_t* path) {
  g_entry_path = path;
}

void tell_of_freed_path(const Service& service, const char16_t* path) {
  if (g_entry_path == nullptr || path != g_entry_path) return;
  service.report(FindingKind::BadParameter,
                 "the path is RegistryPath of DriverEntry, which is freed when that has returned");
}

}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

NTSTATUS ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                   POBJECT_ATTRIBUTES ObjectAttributes) {
  NT_SERVICE(ZwOpenKey);
  RegistryKey* root = nullptr;
  if (const NTSTATUS status = root_of(service, ObjectAttributes, &root); status != STATUS_SUCCESS)
    return status;
  bool created = false;
  RegistryKey* key = find_key(root, view(ObjectAttributes->ObjectName), false, &created);
  if (!key) return STATUS_OBJECT_NAME_NOT_FOUND;
  *KeyHandle = open_handle(*key, DesiredAccess);
  return STATUS_SUCCESS;
}

NTSTATUS ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess,
                     POBJECT_ATTRIBUTES ObjectAttributes, ULONG, PUNICODE_STRING, ULONG,
                     PULONG Disposition) {
  NT_SERVICE(ZwCreateKey);
  RegistryKey* root = nullptr;
  if (const NTSTATUS status = root_of(service, ObjectAttributes, &root); status != STATUS_SUCCESS)
    return status;
  // Only the last key of the path is made.
  const std::u16string_view path = view(ObjectAttributes->ObjectName);
  const auto last = path.rfind(u'\\');
  bool created = false;
  if (last != std::u16string_view::npos && last != 0 &&
      !find_key(root, path.substr(0, last), false, &created))
    return STATUS_OBJECT_NAME_NOT_FOUND;
  RegistryKey* key = find_key(root, path, true, &created);
  *KeyHandle = open_handle(*key, DesiredAccess);
  if (Disposition) *Disposition = created ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
  return STATUS_SUCCESS;
}

NTSTATUS ZwDeleteKey(HANDLE KeyHandle) {
  NT_SERVICE(ZwDeleteKey);
  OpenKey* open = open_key_of(KeyHandle);
  if (!open) {
    service.report(FindingKind::BadHandle, "not a handle of a key");
    return STATUS_INVALID_HANDLE;
  }
  if (open->key->deleted()) return STATUS_KEY_DELETED;
  if (!(open->access & (DELETE | GENERIC_ALL | kMaximumAllowed)) || open->key == &driver_key())
    return STATUS_ACCESS_DENIED;
  const auto& subkeys = open->key->subkeys();
  if (std::any_of(subkeys.begin(), subkeys.end(), [](const auto& key) { return !key->deleted(); }))
    return STATUS_CANNOT_DELETE;
  open->key->mark_deleted();
  return STATUS_SUCCESS;
}

NTSTATUS ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
  NT_SERVICE(ZwDeleteValueKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_SET_VALUE, &key);
  if (status != STATUS_SUCCESS) return status;
  return key->remove(view(ValueName)) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName,
                         KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                         PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
  NT_SERVICE(ZwQueryValueKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_QUERY_VALUE, &key);
  if (status != STATUS_SUCCESS) return status;
  const RegistryValue* value = key->value(view(ValueName));
  if (!value) return STATUS_OBJECT_NAME_NOT_FOUND;
  return put_value(*value, KeyValueInformationClass, KeyValueInformation, Length, ResultLength);
}

NTSTATUS ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG, ULONG Type, PVOID Data,
                       ULONG DataSize) {
  NT_SERVICE(ZwSetValueKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_SET_VALUE, &key);
  if (status == STATUS_SUCCESS) key->set(view(ValueName), Type, Data, DataSize);
  return status;
}

NTSTATUS ZwEnumerateKey(HANDLE KeyHandle, ULONG Index, KEY_INFORMATION_CLASS KeyInformationClass,
                        PVOID KeyInformation, ULONG Length, PULONG ResultLength) {
  NT_SERVICE(ZwEnumerateKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_ENUMERATE_SUB_KEYS, &key);
  if (status != STATUS_SUCCESS) return status;
  for (const auto& subkey : key->subkeys())
    if (!subkey->deleted() && Index-- == 0)
      return put_key(*subkey, KeyInformationClass, KeyInformation, Length, ResultLength);
  return STATUS_NO_MORE_ENTRIES;
}

NTSTATUS ZwEnumerateValueKey(HANDLE KeyHandle, ULONG Index,
                             KEY_VALUE_INFORMATION_CLASS KeyValueInformationClass,
                             PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
  NT_SERVICE(ZwEnumerateValueKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_QUERY_VALUE, &key);
  if (status != STATUS_SUCCESS) return status;
  if (Index >= key->values().size()) return STATUS_NO_MORE_ENTRIES;
  return put_value(key->values()[Index], KeyValueInformationClass, KeyValueInformation, Length,
                   ResultLength);
}

NTSTATUS ZwQueryKey(HANDLE KeyHandle, KEY_INFORMATION_CLASS KeyInformationClass,
                    PVOID KeyInformation, ULONG Length, PULONG ResultLength) {
  NT_SERVICE(ZwQueryKey);
  RegistryKey* key = nullptr;
  const NTSTATUS status = key_for(service, KeyHandle, KEY_QUERY_VALUE, &key);
  if (status != STATUS_SUCCESS) return status;
  return put_key(*key, KeyInformationClass, KeyInformation, Length, ResultLength);
}

NTSTATUS ZwFlushKey(HANDLE KeyHandle) {
  NT_SERVICE(ZwFlushKey);
  RegistryKey* key = nullptr;
  return key_for(service, KeyHandle, KEY_QUERY_VALUE, &key);
}

NTSTATUS IoOpenDeviceRegistryKey(PDEVICE_OBJECT, ULONG DevInstKeyType, ACCESS_MASK DesiredAccess,
                                 PHANDLE DeviceRegKey) {
  NT_SERVICE(IoOpenDeviceRegistryKey);
  if (!(DevInstKeyType & (PLUGPLAY_REGKEY_DEVICE | PLUGPLAY_REGKEY_DRIVER)))
    return STATUS_INVALID_PARAMETER;
  *DeviceRegKey = open_handle(driver_key(), DesiredAccess);
  return STATUS_SUCCESS;
}

}  // extern "C"
