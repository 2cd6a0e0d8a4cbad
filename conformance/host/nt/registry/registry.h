// The registry: keys and values in memory, for ZwOpenKey and kin. Internal to the kernel.
//
// The driver's own key is one key under many names, so that a setting reaches the driver wherever
// it looks: ...\Services\<any driver>, its Parameters subkey, ...\Control\Class\<guid>\<instance>
// (what IoOpenDeviceRegistryKey and DeviceRegistryPath name) and ...\Device Parameters.
// Left out: security, links other than CurrentControlSet, notifications, volatile against stored.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace wddm::nt {

class Service;

struct RegistryValue {
  std::u16string name;
  std::uint32_t type;
  std::vector<std::uint8_t> data;
};

class RegistryKey {
 public:
  explicit RegistryKey(std::u16string name) : name_(std::move(name)) {}

  [[nodiscard]] const std::u16string& name() const { return name_; }
  [[nodiscard]] const std::vector<RegistryValue>& values() const { return values_; }
  [[nodiscard]] const std::vector<std::unique_ptr<RegistryKey>>& subkeys() const {
    return subkeys_;
  }
  /// Null if there is none. Names are compared without case.
  [[nodiscard]] const RegistryValue* value(std::u16string_view name) const;
  void set(std::u16string_view name, std::uint32_t type, const void* data, std::size_t bytes);
  bool remove(std::u16string_view name);
  [[nodiscard]] RegistryKey* subkey(std::u16string_view name) const;
  RegistryKey& add_subkey(std::u16string_view name);
  /// Deleted keys stay until nobody has them open, but answer nothing.
  void mark_deleted();
  [[nodiscard]] bool deleted() const { return deleted_; }

 private:
  std::u16string name_;
  std::vector<RegistryValue> values_;
  std::vector<std::unique_ptr<RegistryKey>> subkeys_;
  bool deleted_ = false;
};

/// The key of the driver under test; always there.
[[nodiscard]] RegistryKey& driver_key();
/// The key at `path`, below `root` unless that is null or the path starts with a backslash. Null if
/// there is none. With `create` all missing keys of the path are made; `created` says whether the
/// last one was.
[[nodiscard]] RegistryKey* find_key(RegistryKey* root, std::u16string_view path, bool create,
                                    bool* created);
/// What an open handle refers to; null if it is no handle of a key.
struct OpenKey {
  RegistryKey* key;
  std::uint32_t access;
};
[[nodiscard]] OpenKey* open_key_of(void* handle);
/// A new handle to the key.
[[nodiscard]] void* open_handle(RegistryKey& key, std::uint32_t access);
void registry_boot();

/// DriverEntry has returned, and the path that it was given is freed; null: there is none.
void entry_path_is_gone(const char16_t* path);
/// Tells of a driver that has kept the address of that path, and names a key by it.
void tell_of_freed_path(const Service& service, const char16_t* path);

[[nodiscard]] bool same_name(std::u16string_view a, std::u16string_view b);
[[nodiscard]] char16_t upcase(char16_t character);

}  // namespace wddm::nt
