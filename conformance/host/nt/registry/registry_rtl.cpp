// RtlQueryRegistryValues and its siblings: the registry by path.
//
// Sources: their reference pages and that of RTL_QUERY_REGISTRY_TABLE. Environment variables are
// not expanded: REG_EXPAND_SZ passes as REG_SZ.
#include <algorithm>
#include <cstring>
#include <string>

#include "conformance/host/nt/memory/pool.h"
#include "conformance/host/nt/registry/registry.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/sdk/ddi/nt/registry.h"
#include "conformance/sdk/ddi/ntstatus.h"

namespace wddm::nt {
namespace {

constexpr std::uint32_t kStringTag = 0x67727453;  // 'Strg'
constexpr ULONG kKinds = ~(RTL_REGISTRY_HANDLE | RTL_REGISTRY_OPTIONAL);

std::u16string_view view(PCWSTR text) {
  return text ? std::u16string_view(text) : u"";
}

// Null if the key does not exist and is not to be made.
RegistryKey* key_at(const Service& service, ULONG relative_to, PCWSTR path, bool create) {
  bool created = false;
  if (relative_to & RTL_REGISTRY_HANDLE) {
    OpenKey* open = open_key_of(const_cast<WCHAR*>(path));
    if (!open) service.report(FindingKind::BadHandle, "not a handle of a key");
    return open ? open->key : nullptr;
  }
  tell_of_freed_path(service, path);
  std::u16string full;
  switch (relative_to & kKinds) {
    case RTL_REGISTRY_ABSOLUTE:
      break;
    case RTL_REGISTRY_SERVICES:
      full = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\";
      break;
    case RTL_REGISTRY_CONTROL:
      full = u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\";
      break;
    default:
      return nullptr;
  }
  full += view(path);
  return find_key(nullptr, full, create, &created);
}

struct Found {
  const WCHAR* name;
  ULONG type;
  const void* data;
  ULONG bytes;
};

bool is_string(ULONG type) {
  return type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ;
}

ULONG string_bytes(const void* text) {
  return static_cast<ULONG>((std::u16string_view(static_cast<const char16_t*>(text)).size() + 1) *
                            sizeof(WCHAR));
}

NTSTATUS store_string(const Service& service, const Found& found, UNICODE_STRING* to) {
  if (found.bytes > 0xffff) return STATUS_BUFFER_TOO_SMALL;
  if (!to->Buffer) {
    to->Buffer = static_cast<PWCH>(
        pool_allocate({PoolKind::Paged, PoolFill::Zero, PoolOwner::Driver, kStringTag, found.bytes},
                      {service.name(), service.caller()}));
    if (!to->Buffer) return STATUS_NO_MEMORY;
    to->MaximumLength = static_cast<USHORT>(found.bytes);
  }
  if (found.bytes > to->MaximumLength) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(to->Buffer, found.data, found.bytes);
  // The terminator is stored but not counted.
  const bool terminated =
      found.bytes >= sizeof(WCHAR) && to->Buffer[found.bytes / sizeof(WCHAR) - 1] == 0;
  to->Length = static_cast<USHORT>(found.bytes - (terminated ? sizeof(WCHAR) : 0));
  return STATUS_SUCCESS;
}

// Larger than a ULONG: the first LONG of the buffer says its size, negated if the value is to be
// stored without type and length before it.
NTSTATUS store_bytes(const Found& found, void* to) {
  LONG size = 0;
  std::memcpy(&size, to, sizeof size);
  if (size < 0) {
    if (found.bytes > 0 - static_cast<ULONG>(size)) return STATUS_BUFFER_TOO_SMALL;
    std::memcpy(to, found.data, found.bytes);
    return STATUS_SUCCESS;
  }
  if (found.bytes + 2 * sizeof(ULONG) > static_cast<ULONG>(size)) return STATUS_BUFFER_TOO_SMALL;
  const ULONG header[2] = {found.bytes, found.type};
  std::memcpy(to, header, sizeof header);
  std::memcpy(static_cast<char*>(to) + sizeof header, found.data, found.bytes);
  return STATUS_SUCCESS;
}

NTSTATUS store(const Service& service, const RTL_QUERY_REGISTRY_TABLE& entry, const Found& found) {
  const ULONG expected = entry.DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
  if ((entry.Flags & RTL_QUERY_REGISTRY_TYPECHECK) && expected != found.type)
    return STATUS_OBJECT_TYPE_MISMATCH;
  if (!entry.EntryContext) return STATUS_INVALID_PARAMETER;
  if (is_string(found.type))
    return store_string(service, found, static_cast<UNICODE_STRING*>(entry.EntryContext));
  if (found.bytes > sizeof(ULONG)) return store_bytes(found, entry.EntryContext);
  std::memcpy(entry.EntryContext, found.data, found.bytes);
  return STATUS_SUCCESS;
}

// One value to where the entry wants it: a buffer, or one or more calls.
NTSTATUS deliver_value(const Service& service, const RTL_QUERY_REGISTRY_TABLE& entry,
                       const Found& found, void* context) {
  if (entry.Flags & RTL_QUERY_REGISTRY_DIRECT) return store(service, entry, found);
  const auto call = [&](ULONG type, const void* data, ULONG bytes) {
    return entry.QueryRoutine(const_cast<PWSTR>(found.name), type, const_cast<void*>(data), bytes,
                              context, entry.EntryContext);
  };
  if (found.type == REG_MULTI_SZ && !(entry.Flags & RTL_QUERY_REGISTRY_NOEXPAND)) {
    const auto* text = static_cast<const WCHAR*>(found.data);
    const WCHAR* const end = text + found.bytes / sizeof(WCHAR);
    while (text < end && *text) {
      const ULONG bytes = string_bytes(text);
      const NTSTATUS status = call(REG_SZ, text, bytes);
      if (!NT_SUCCESS(status)) return status;
      text += bytes / sizeof(WCHAR);
    }
    return STATUS_SUCCESS;
  }
  const bool expanded = found.type == REG_EXPAND_SZ && !(entry.Flags & RTL_QUERY_REGISTRY_NOEXPAND);
  return call(expanded ? REG_SZ : found.type, found.data, found.bytes);
}

NTSTATUS deliver_default(const Service& service, const RTL_QUERY_REGISTRY_TABLE& entry,
                         void* context) {
  if (entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) return STATUS_OBJECT_NAME_NOT_FOUND;
  const ULONG type = entry.DefaultType & 0xffffff;
  if (type == REG_NONE || !entry.DefaultData) return STATUS_SUCCESS;
  ULONG bytes = entry.DefaultLength;
  if (bytes == 0 && is_string(type)) bytes = string_bytes(entry.DefaultData);
  return deliver_value(service, entry, {entry.Name, type, entry.DefaultData, bytes}, context);
}

NTSTATUS query_entry(const Service& service, RegistryKey* key,
                     const RTL_QUERY_REGISTRY_TABLE& entry, void* context) {
  if (entry.Flags & RTL_QUERY_REGISTRY_NOVALUE)
    return entry.QueryRoutine(nullptr, REG_NONE, nullptr, 0, context, entry.EntryContext);
  if (!entry.Name) {
    // All values of the key; a copy, because the routine may change them.
    const std::vector<RegistryValue> values = key ? key->values() : std::vector<RegistryValue>{};
    for (const RegistryValue& value : values) {
      const NTSTATUS status = deliver_value(service, entry,
                                            {value.name.c_str(), value.type, value.data.data(),
                                             static_cast<ULONG>(value.data.size())},
                                            context);
      if (!NT_SUCCESS(status)) return status;
    }
    return STATUS_SUCCESS;
  }
  const RegistryValue* value = key ? key->value(view(entry.Name)) : nullptr;
  if (!value) return deliver_default(service, entry, context);
  const RegistryValue copy = *value;
  const NTSTATUS status = deliver_value(
      service, entry,
      {entry.Name, copy.type, copy.data.data(), static_cast<ULONG>(copy.data.size())}, context);
  if (NT_SUCCESS(status) && (entry.Flags & RTL_QUERY_REGISTRY_DELETE))
    static_cast<void>(key->remove(view(entry.Name)));
  return status;
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

extern "C" {

NTSTATUS RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path, PRTL_QUERY_REGISTRY_TABLE QueryTable,
                                PVOID Context, PVOID) {
  NT_SERVICE(RtlQueryRegistryValues);
  RegistryKey* const top = key_at(service, RelativeTo, Path, false);
  if (!top && !(RelativeTo & RTL_REGISTRY_OPTIONAL)) return STATUS_OBJECT_NAME_NOT_FOUND;
  RegistryKey* key = top;
  for (const RTL_QUERY_REGISTRY_TABLE* entry = QueryTable;
       entry->QueryRoutine ||
       (entry->Flags & (RTL_QUERY_REGISTRY_SUBKEY | RTL_QUERY_REGISTRY_DIRECT));
       ++entry) {
    const bool direct = (entry->Flags & RTL_QUERY_REGISTRY_DIRECT) != 0;
    if (direct && (!entry->Name || entry->QueryRoutine)) {
      service.report(FindingKind::BadParameter, "a direct entry has no Name, or a QueryRoutine");
      return STATUS_INVALID_PARAMETER;
    }
    if (entry->Flags & (RTL_QUERY_REGISTRY_TOPKEY | RTL_QUERY_REGISTRY_SUBKEY)) key = top;
    if (entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) {
      bool created = false;
      key = top && entry->Name ? find_key(top, view(entry->Name), false, &created) : nullptr;
      if (!key && (entry->Flags & RTL_QUERY_REGISTRY_REQUIRED)) return STATUS_OBJECT_NAME_NOT_FOUND;
      if (!entry->QueryRoutine) continue;
      RTL_QUERY_REGISTRY_TABLE all = *entry;
      all.Name = nullptr;
      const NTSTATUS status = query_entry(service, key, all, Context);
      if (!NT_SUCCESS(status)) return status;
      continue;
    }
    const NTSTATUS status = query_entry(service, key, *entry, Context);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName, ULONG ValueType,
                               PVOID ValueData, ULONG ValueLength) {
  NT_SERVICE(RtlWriteRegistryValue);
  RegistryKey* key = key_at(service, RelativeTo, Path, true);
  if (!key) return STATUS_OBJECT_NAME_NOT_FOUND;
  key->set(view(ValueName), ValueType, ValueData, ValueLength);
  return STATUS_SUCCESS;
}

NTSTATUS RtlDeleteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName) {
  NT_SERVICE(RtlDeleteRegistryValue);
  RegistryKey* key = key_at(service, RelativeTo, Path, false);
  return key && key->remove(view(ValueName)) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS RtlCheckRegistryKey(ULONG RelativeTo, PWSTR Path) {
  NT_SERVICE(RtlCheckRegistryKey);
  return key_at(service, RelativeTo, Path, false) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS RtlCreateRegistryKey(ULONG RelativeTo, PWSTR Path) {
  NT_SERVICE(RtlCreateRegistryKey);
  return key_at(service, RelativeTo, Path, true) ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

}  // extern "C"
