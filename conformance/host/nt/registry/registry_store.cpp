// Keys, values and the many names of the driver's key.
#include <algorithm>
#include <cstring>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/host/nt/registry/registry.h"

namespace wddm::nt {
namespace {

constexpr std::uint32_t kRegDword = 4;

std::unique_ptr<RegistryKey> g_root;
std::unique_ptr<RegistryKey> g_driver;
// Whether the tree is another than every machine begins with; the driver's own key apart.
bool g_root_changed = false;

RegistryKey& root_key() {
  if (!g_root) {
    g_root = std::make_unique<RegistryKey>(u"");
    bool created = false;
    for (const char16_t* path :
         {u"\\Registry\\Machine\\System\\ControlSet001\\Services",
          u"\\Registry\\Machine\\System\\ControlSet001\\Control\\Class",
          u"\\Registry\\Machine\\System\\ControlSet001\\Control\\GraphicsDrivers",
          u"\\Registry\\Machine\\System\\ControlSet001\\Enum", u"\\Registry\\Machine\\Software",
          u"\\Registry\\Machine\\Hardware", u"\\Registry\\User"})
      static_cast<void>(
          find_key(g_root.get(), std::u16string_view(path).substr(1), true, &created));
    g_root_changed = false;
  }
  return *g_root;
}

void note_change(const RegistryKey& key) {
  g_root_changed |= &key != g_driver.get();
}

// The next component of the path, which is cut off.
std::u16string_view next_component(std::u16string_view& path) {
  while (!path.empty() && path.front() == u'\\') path.remove_prefix(1);
  const std::u16string_view component = path.substr(0, path.find(u'\\'));
  path.remove_prefix(component.size());
  return component;
}

// How far the walk is from where a driver's key may begin.
enum class Place { Elsewhere, Services, Class, ClassGuid };

Place place_below(Place place, const RegistryKey& parent, std::u16string_view name) {
  if (place == Place::Class) return Place::ClassGuid;
  if (same_name(name, u"Services") && same_name(parent.name(), u"ControlSet001"))
    return Place::Services;
  if (same_name(name, u"Class") && same_name(parent.name(), u"Control")) return Place::Class;
  return Place::Elsewhere;
}

bool names_driver_key(Place place, const RegistryKey& parent, std::u16string_view name) {
  if (&parent == &driver_key()) return same_name(name, u"Parameters");
  return place == Place::Services || place == Place::ClassGuid ||
         same_name(name, u"Device Parameters");
}

}  // namespace

char16_t upcase(char16_t character) {
  if (character >= u'a' && character <= u'z') return character - 0x20;
  // Latin-1 letters; the division sign lies among them.
  if (character >= 0xe0 && character <= 0xfe && character != 0xf7) return character - 0x20;
  return character == 0xff ? char16_t{0x178} : character;
}

bool same_name(std::u16string_view a, std::u16string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char16_t x, char16_t y) { return upcase(x) == upcase(y); });
}

const RegistryValue* RegistryKey::value(std::u16string_view name) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const RegistryValue& value) {
    return same_name(value.name, name);
  });
  return found == values_.end() ? nullptr : &*found;
}

void RegistryKey::set(std::u16string_view name, std::uint32_t type, const void* data,
                      std::size_t bytes) {
  note_change(*this);
  const auto* from = static_cast<const std::uint8_t*>(data);
  RegistryValue* existing = const_cast<RegistryValue*>(value(name));
  if (!existing) existing = &values_.emplace_back(RegistryValue{std::u16string(name), 0, {}});
  existing->type = type;
  existing->data.assign(from, from + bytes);
}

void RegistryKey::mark_deleted() {
  note_change(*this);
  deleted_ = true;
}

bool RegistryKey::remove(std::u16string_view name) {
  note_change(*this);
  return std::erase_if(
             values_, [&](const RegistryValue& value) { return same_name(value.name, name); }) != 0;
}

RegistryKey* RegistryKey::subkey(std::u16string_view name) const {
  const auto found = std::find_if(subkeys_.begin(), subkeys_.end(), [&](const auto& key) {
    return !key->deleted() && same_name(key->name(), name);
  });
  return found == subkeys_.end() ? nullptr : found->get();
}

RegistryKey& RegistryKey::add_subkey(std::u16string_view name) {
  note_change(*this);
  return *subkeys_.emplace_back(std::make_unique<RegistryKey>(std::u16string(name)));
}

RegistryKey& driver_key() {
  if (!g_driver) g_driver = std::make_unique<RegistryKey>(u"Driver");
  return *g_driver;
}

RegistryKey* find_key(RegistryKey* root, std::u16string_view path, bool create, bool* created) {
  *created = false;
  RegistryKey* key = root && !path.starts_with(u'\\') ? root : &root_key();
  Place place = Place::Elsewhere;
  for (std::u16string_view name = next_component(path); !name.empty();
       name = next_component(path)) {
    if (same_name(name, u"CurrentControlSet")) name = u"ControlSet001";
    if (names_driver_key(place, *key, name)) {
      key = &driver_key();
      place = Place::Elsewhere;
      continue;
    }
    place = place_below(place, *key, name);
    RegistryKey* next = key->subkey(name);
    // A class need not be known for a driver's key to lie below it.
    if (!next && place == Place::ClassGuid && !path.empty()) continue;
    *created = next == nullptr;
    if (!next && !create) return nullptr;
    key = next ? next : &key->add_subkey(name);
  }
  return key;
}

void set_registry_dword(std::string_view name, std::uint32_t value) {
  driver_key().set(std::u16string(name.begin(), name.end()), kRegDword, &value, sizeof value);
}

void clear_registry() {
  if (g_root_changed) g_root = nullptr;
  g_driver = nullptr;
}

}  // namespace wddm::nt
