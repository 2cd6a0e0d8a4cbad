#include "conformance/host/nt/registry/registry.h"

#include <cstring>

#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/objects.h"
#include "conformance/sdk/ddi/nt/pool.h"
#include "conformance/sdk/ddi/nt/registry.h"
#include "conformance/sdk/ddi/nt/rtl.h"
#include "conformance/sdk/ddi/ntstatus.h"

namespace wddm::nt {
namespace {

using Registry = MemoryServices;

constexpr char16_t kServiceKey[] =
    u"\\REGISTRY\\MACHINE\\SYSTEM\\ControlSet001\\Services\\anydriver";

UNICODE_STRING string_of(const char16_t* text) {
  UNICODE_STRING string;
  RtlInitUnicodeString(&string, text);
  return string;
}

NTSTATUS try_open(const char16_t* path, HANDLE* handle, HANDLE root = nullptr,
                  ACCESS_MASK access = KEY_READ) {
  UNICODE_STRING name = string_of(path);
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE | OBJ_CASE_INSENSITIVE, root,
                             nullptr);
  return ZwOpenKey(handle, access, &attributes);
}

HANDLE open(const char16_t* path, ACCESS_MASK access = KEY_READ) {
  HANDLE handle = nullptr;
  EXPECT_EQ(try_open(path, &handle, nullptr, access), STATUS_SUCCESS);
  return handle;
}

ULONG dword(HANDLE key, const char16_t* name) {
  UNICODE_STRING string = string_of(name);
  alignas(8) UCHAR buffer[16];
  ULONG length = 0;
  EXPECT_EQ(
      ZwQueryValueKey(key, &string, KeyValuePartialInformation, buffer, sizeof buffer, &length),
      STATUS_SUCCESS);
  const auto* value = reinterpret_cast<KEY_VALUE_PARTIAL_INFORMATION*>(buffer);
  EXPECT_EQ(value->Type, REG_DWORD);
  EXPECT_EQ(value->DataLength, 4u);
  ULONG data = 0;
  std::memcpy(&data, value->Data, 4);
  return data;
}

TEST_F(Registry, SettingsAreSeenWhereverADriverLooks) {
  set_registry_dword("RenderOnly", 7);
  HANDLE device = nullptr;
  ASSERT_EQ(IoOpenDeviceRegistryKey(nullptr, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &device),
            STATUS_SUCCESS);
  EXPECT_EQ(dword(device, u"renderonly"), 7u);
  for (const char16_t* path :
       {kServiceKey, u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\x\\Parameters",
        u"\\Registry\\Machine\\System\\CurrentControlSet\\Control\\Class\\{1}\\0000"})
    EXPECT_EQ(dword(open(path), u"RenderOnly"), 7u);
}

TEST_F(Registry, SubkeyIsFoundRelativeToAHandle) {
  set_registry_dword("A", 1);
  HANDLE handle = nullptr;
  ASSERT_EQ(try_open(u"Parameters", &handle, open(kServiceKey)), STATUS_SUCCESS);
  EXPECT_EQ(dword(handle, u"A"), 1u);
}

TEST_F(Registry, AbsentKeyAndValueAreNotFound) {
  HANDLE handle = nullptr;
  EXPECT_EQ(try_open(u"\\Registry\\Machine\\Nothing", &handle), STATUS_OBJECT_NAME_NOT_FOUND);
  UNICODE_STRING name = string_of(u"Absent");
  ULONG length = 0;
  EXPECT_EQ(
      ZwQueryValueKey(open(kServiceKey), &name, KeyValuePartialInformation, nullptr, 0, &length),
      STATUS_OBJECT_NAME_NOT_FOUND);
}

TEST_F(Registry, ShortBuffersAreToldWhatIsNeeded) {
  set_registry_dword("Value", 0x11223344);
  UNICODE_STRING name = string_of(u"Value");
  HANDLE key = open(kServiceKey);
  UCHAR buffer[16];
  ULONG length = 0;
  EXPECT_EQ(ZwQueryValueKey(key, &name, KeyValuePartialInformation, nullptr, 0, &length),
            STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(length, 16u);
  std::memset(buffer, 0xee, sizeof buffer);
  EXPECT_EQ(ZwQueryValueKey(key, &name, KeyValuePartialInformation, buffer, 14, &length),
            STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(length, 16u);
  EXPECT_EQ(buffer[12], 0x44);
  EXPECT_EQ(buffer[13], 0x33);
  EXPECT_EQ(buffer[14], 0xee);
}

TEST_F(Registry, FullInformationHoldsNameAndData) {
  set_registry_dword("Odd", 9);
  UNICODE_STRING name = string_of(u"ODD");
  alignas(8) UCHAR buffer[64];
  ULONG length = 0;
  ASSERT_EQ(ZwQueryValueKey(open(kServiceKey), &name, KeyValueFullInformation, buffer,
                            sizeof buffer, &length),
            STATUS_SUCCESS);
  const auto* value = reinterpret_cast<KEY_VALUE_FULL_INFORMATION*>(buffer);
  EXPECT_EQ(std::u16string_view(value->Name, value->NameLength / 2), u"Odd");
  EXPECT_EQ(value->DataOffset % 4, 0u);
  EXPECT_EQ(buffer[value->DataOffset], 9);
  EXPECT_EQ(length, value->DataOffset + 4);
}

TEST_F(Registry, WrittenValuesAreReadBack) {
  HANDLE key = open(kServiceKey, KEY_ALL_ACCESS);
  UNICODE_STRING name = string_of(u"New");
  ULONG value = 77;
  ASSERT_EQ(ZwSetValueKey(key, &name, 0, REG_DWORD, &value, sizeof value), STATUS_SUCCESS);
  EXPECT_EQ(dword(key, u"New"), 77u);
  EXPECT_EQ(ZwDeleteValueKey(key, &name), STATUS_SUCCESS);
  EXPECT_EQ(ZwDeleteValueKey(key, &name), STATUS_OBJECT_NAME_NOT_FOUND);
}

TEST_F(Registry, ReadingRightsDoNotAllowToWrite) {
  UNICODE_STRING name = string_of(u"New");
  ULONG value = 77;
  EXPECT_EQ(ZwSetValueKey(open(kServiceKey), &name, 0, REG_DWORD, &value, sizeof value),
            STATUS_ACCESS_DENIED);
}

TEST_F(Registry, KeysAreCreatedOnceEnumeratedAndDeleted) {
  UNICODE_STRING name = string_of(u"Sub");
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE, open(kServiceKey), nullptr);
  HANDLE sub = nullptr;
  ULONG disposition = 0;
  ASSERT_EQ(ZwCreateKey(&sub, KEY_ALL_ACCESS, &attributes, 0, nullptr, 0, &disposition),
            STATUS_SUCCESS);
  EXPECT_EQ(disposition, REG_CREATED_NEW_KEY);
  ZwCreateKey(&sub, KEY_ALL_ACCESS, &attributes, 0, nullptr, 0, &disposition);
  EXPECT_EQ(disposition, REG_OPENED_EXISTING_KEY);
  alignas(8) UCHAR buffer[64];
  ULONG length = 0;
  ASSERT_EQ(
      ZwEnumerateKey(open(kServiceKey), 0, KeyBasicInformation, buffer, sizeof buffer, &length),
      STATUS_SUCCESS);
  const auto* basic = reinterpret_cast<KEY_BASIC_INFORMATION*>(buffer);
  EXPECT_EQ(std::u16string_view(basic->Name, basic->NameLength / 2), u"Sub");
  EXPECT_EQ(
      ZwEnumerateKey(open(kServiceKey), 1, KeyBasicInformation, buffer, sizeof buffer, &length),
      STATUS_NO_MORE_ENTRIES);
  EXPECT_EQ(ZwDeleteKey(sub), STATUS_SUCCESS);
  EXPECT_EQ(ZwFlushKey(sub), STATUS_KEY_DELETED);
}

HANDLE create(HANDLE root, const char16_t* path, ACCESS_MASK access = KEY_ALL_ACCESS) {
  UNICODE_STRING name = string_of(path);
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE, root, nullptr);
  HANDLE handle = nullptr;
  EXPECT_EQ(ZwCreateKey(&handle, access, &attributes, 0, nullptr, 0, nullptr), STATUS_SUCCESS);
  return handle;
}

TEST_F(Registry, DeletedKeysAreNotCounted) {
  HANDLE key = open(kServiceKey, KEY_ALL_ACCESS);
  static_cast<void>(create(key, u"Sub"));
  ASSERT_EQ(ZwDeleteKey(create(key, u"LongerName")), STATUS_SUCCESS);
  KEY_FULL_INFORMATION full;
  ULONG length = 0;
  ASSERT_EQ(ZwQueryKey(key, KeyFullInformation, &full, sizeof full, &length), STATUS_SUCCESS);
  EXPECT_EQ(full.SubKeys, 1u);
  EXPECT_EQ(full.MaxNameLen, 6u);
}

TEST_F(Registry, NodeInformationHasNoClass) {
  HANDLE sub = create(open(kServiceKey, KEY_ALL_ACCESS), u"Sub");
  alignas(8) UCHAR buffer[64];
  ULONG length = 0;
  ASSERT_EQ(ZwQueryKey(sub, KeyNodeInformation, buffer, sizeof buffer, &length), STATUS_SUCCESS);
  const auto* node = reinterpret_cast<KEY_NODE_INFORMATION*>(buffer);
  EXPECT_EQ(std::u16string_view(node->Name, node->NameLength / 2), u"Sub");
  EXPECT_EQ(node->ClassLength, 0u);
  EXPECT_EQ(length, FIELD_OFFSET(KEY_NODE_INFORMATION, Name) + 6u);
  EXPECT_EQ(ZwEnumerateKey(open(kServiceKey), 0, KeyNodeInformation, buffer, 8, &length),
            STATUS_BUFFER_TOO_SMALL);
}

TEST_F(Registry, DeletingAKeyNeedsTheRight) {
  HANDLE key = open(kServiceKey, KEY_ALL_ACCESS);
  EXPECT_EQ(ZwDeleteKey(create(key, u"Sub", KEY_READ | KEY_WRITE)), STATUS_ACCESS_DENIED);
  EXPECT_EQ(ZwDeleteKey(create(key, u"Sub", DELETE)), STATUS_SUCCESS);
}

TEST_F(Registry, ValuesAreEnumerated) {
  set_registry_dword("First", 1);
  set_registry_dword("Second", 2);
  alignas(8) UCHAR buffer[64];
  ULONG length = 0;
  HANDLE key = open(kServiceKey);
  ASSERT_EQ(ZwEnumerateValueKey(key, 1, KeyValueBasicInformation, buffer, sizeof buffer, &length),
            STATUS_SUCCESS);
  const auto* basic = reinterpret_cast<KEY_VALUE_BASIC_INFORMATION*>(buffer);
  EXPECT_EQ(std::u16string_view(basic->Name, basic->NameLength / 2), u"Second");
  EXPECT_EQ(ZwEnumerateValueKey(key, 2, KeyValueBasicInformation, buffer, sizeof buffer, &length),
            STATUS_NO_MORE_ENTRIES);
}

// What DriverEntry was given is freed when it has returned; a copy of it is not.
TEST_F(Registry, AFreedPathIsFound) {
  const std::u16string copy = kServiceKey;
  HANDLE key = nullptr;
  entry_path_is_gone(kServiceKey);
  EXPECT_EQ(try_open(copy.c_str(), &key), STATUS_SUCCESS);
  EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
  EXPECT_EQ(only_finding(), "");
  EXPECT_EQ(try_open(kServiceKey, &key), STATUS_SUCCESS);
  EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
  EXPECT_TRUE(only_finding().starts_with("BadParameter: the path is RegistryPath of DriverEntry"));
}

TEST_F(Registry, AFreedPathIsFoundInRtlToo) {
  entry_path_is_gone(kServiceKey);
  EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, const_cast<PWSTR>(kServiceKey)),
            STATUS_SUCCESS);
  EXPECT_TRUE(only_finding().starts_with("BadParameter"));
}

TEST_F(Registry, ClosedHandleIsFound) {
  HANDLE key = open(kServiceKey);
  EXPECT_EQ(ZwClose(key), STATUS_SUCCESS);
  EXPECT_EQ(ZwFlushKey(key), STATUS_INVALID_HANDLE);
  EXPECT_EQ(only_finding(), "BadHandle: not a handle of a key");
}

TEST_F(Registry, HandleLeftOpenIsALeak) {
  (void)open(kServiceKey);
  report_leaks();
  EXPECT_NE(only_finding().find("ObjectLeak"), std::string::npos);
  EXPECT_NE(only_finding().find("key"), std::string::npos);
}

TEST_F(Registry, ServicesNeedPassiveLevel) {
  const AtIrql apc(kApc);
  HANDLE key = nullptr;
  (void)IoOpenDeviceRegistryKey(nullptr, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key);
  EXPECT_EQ(only_finding(), "IrqlTooHigh: called at IRQL 1, allowed are 0 to 0");
}

RTL_QUERY_REGISTRY_TABLE direct(const char16_t* name, void* to, ULONG flags = 0) {
  RTL_QUERY_REGISTRY_TABLE entry{};
  entry.Flags = RTL_QUERY_REGISTRY_DIRECT | flags;
  entry.Name = const_cast<PWSTR>(name);
  entry.EntryContext = to;
  return entry;
}

TEST_F(Registry, DirectQueryStoresNumbersAndDefaults) {
  set_registry_dword("Given", 5);
  ULONG given = 0, missing = 0, fallback = 6;
  RTL_QUERY_REGISTRY_TABLE table[4] = {
      direct(u"Given", &given), direct(u"Missing", &missing), direct(u"Missing", &missing), {}};
  table[2].DefaultType = REG_DWORD;
  table[2].DefaultData = &fallback;
  table[2].DefaultLength = sizeof fallback;
  ASSERT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"mydriver", table, nullptr, nullptr),
            STATUS_SUCCESS);
  EXPECT_EQ(given, 5u);
  EXPECT_EQ(missing, 6u);
}

TEST_F(Registry, DirectQueryChecksTheType) {
  set_registry_dword("Given", 5);
  ULONG given = 0;
  RTL_QUERY_REGISTRY_TABLE table[2] = {direct(u"Given", &given, RTL_QUERY_REGISTRY_TYPECHECK), {}};
  table[0].DefaultType = REG_SZ << RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"d", table, nullptr, nullptr),
            STATUS_OBJECT_TYPE_MISMATCH);
}

TEST_F(Registry, DirectQueryAllocatesStrings) {
  char16_t text[] = u"abc";
  RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, u"d", u"Text", REG_SZ, text, sizeof text);
  UNICODE_STRING result{};
  RTL_QUERY_REGISTRY_TABLE table[2] = {direct(u"Text", &result), {}};
  ASSERT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"d", table, nullptr, nullptr),
            STATUS_SUCCESS);
  EXPECT_EQ(std::u16string_view(result.Buffer, result.Length / 2), u"abc");
  RtlFreeUnicodeString(&result);
  EXPECT_EQ(pool_usage().blocks, 0u);
}

TEST_F(Registry, RequiredValueMustBeThere) {
  ULONG value = 0;
  RTL_QUERY_REGISTRY_TABLE table[2] = {direct(u"Missing", &value, RTL_QUERY_REGISTRY_REQUIRED), {}};
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"d", table, nullptr, nullptr),
            STATUS_OBJECT_NAME_NOT_FOUND);
}

NTSTATUS collect(PWSTR name, ULONG type, PVOID data, ULONG length, PVOID context, PVOID) {
  auto& seen = *static_cast<std::vector<std::u16string>*>(context);
  if (type == REG_SZ)
    seen.emplace_back(static_cast<char16_t*>(data), length / 2 - 1);
  else
    seen.emplace_back(name);
  return STATUS_SUCCESS;
}

TEST_F(Registry, CallbackGetsEveryStringOfAList) {
  char16_t list[] = u"one\0two\0";
  RtlWriteRegistryValue(RTL_REGISTRY_SERVICES, u"d", u"List", REG_MULTI_SZ, list, sizeof list);
  std::vector<std::u16string> seen;
  RTL_QUERY_REGISTRY_TABLE table[2] = {};
  table[0].QueryRoutine = collect;
  table[0].Name = const_cast<PWSTR>(u"List");
  ASSERT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"d", table, &seen, nullptr),
            STATUS_SUCCESS);
  EXPECT_EQ(seen, (std::vector<std::u16string>{u"one", u"two"}));
}

TEST_F(Registry, CallbackGetsAllValuesOfAKey) {
  set_registry_dword("A", 1);
  set_registry_dword("B", 2);
  std::vector<std::u16string> seen;
  RTL_QUERY_REGISTRY_TABLE table[2] = {};
  table[0].QueryRoutine = collect;
  ASSERT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, u"d", table, &seen, nullptr),
            STATUS_SUCCESS);
  EXPECT_EQ(seen, (std::vector<std::u16string>{u"A", u"B"}));
}

TEST_F(Registry, KeysAreCheckedAndCreatedByPath) {
  PWSTR path = const_cast<PWSTR>(u"\\Registry\\Machine\\Software\\Vendor");
  EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, path), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(RtlCreateRegistryKey(RTL_REGISTRY_ABSOLUTE, path), STATUS_SUCCESS);
  EXPECT_EQ(RtlCheckRegistryKey(RTL_REGISTRY_ABSOLUTE, path), STATUS_SUCCESS);
}

TEST_F(Registry, ClearingForgetsEverything) {
  set_registry_dword("A", 1);
  clear_registry();
  EXPECT_EQ(driver_key().values().size(), 0u);
}

}  // namespace
}  // namespace wddm::nt
