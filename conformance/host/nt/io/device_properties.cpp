// IoGetDeviceProperty. The adapter is function 0 of device 2 on PCI bus 0; what its bus and its INF
// would have left in the registry stands here. Left out: resources, removal policy, container.
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/host/nt/core/ddi_types.h"

namespace wddm::nt {
namespace {

constexpr GUID kPciBus{
    0xc8ebdfb0, 0xb510, 0x11d0, {0x80, 0xe5, 0x00, 0xa0, 0xc9, 0x25, 0x42, 0xe3}};
constexpr ULONG kAddress = 2u << 16;
constexpr ULONG kBusNumber = 0;
constexpr ULONG kBusType = PCIBus;

struct TextProperty {
  DEVICE_REGISTRY_PROPERTY property;
  std::u16string_view text;
};
constexpr TextProperty kTexts[] = {
    {DevicePropertyDeviceDescription, u"Display adapter under test"},
    {DevicePropertyClassName, u"Display"},
    {DevicePropertyClassGuid, u"{4d36e968-e325-11ce-bfc1-08002be10318}"},
    {DevicePropertyDriverKeyName, u"{4d36e968-e325-11ce-bfc1-08002be10318}\\0000"},
    {DevicePropertyManufacturer, u"wddmcheck"},
    {DevicePropertyFriendlyName, u"Display adapter under test"},
    {DevicePropertyLocationInformation, u"PCI bus 0, device 2, function 0"},
    {DevicePropertyPhysicalDeviceObjectName, u"\\Device\\NTPNP_PCI0002"},
    {DevicePropertyEnumeratorName, u"PCI"},
};

// Texts and lists end with an empty text of their own.
std::u16string g_hardware_ids, g_compatible_ids;
std::optional<std::pair<std::uint16_t, std::uint16_t>> g_identity;  // that they were made for

std::u16string hex4(std::uint16_t value) {
  std::u16string text;
  for (int shift = 12; shift >= 0; shift -= 4) text += u"0123456789ABCDEF"[(value >> shift) & 15];
  return text;
}

std::span<const std::byte> bytes_of(std::u16string_view text) {
  return std::as_bytes(std::span(text.data(), text.size() + 1));
}

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// What a driver passes may be no enumerator.
bool is_property(const DEVICE_REGISTRY_PROPERTY& property) {
  ULONG number;
  static_assert(sizeof property == sizeof number);
  std::memcpy(&number, &property, sizeof number);
  return number <= DevicePropertyContainerID;
}

// Empty if the device has no such property.
std::span<const std::byte> property_of(DEVICE_REGISTRY_PROPERTY property) {
  for (const TextProperty& text : kTexts) {
    if (text.property == property) return bytes_of(text.text);
  }
  switch (property) {
    case DevicePropertyHardwareID:
      return bytes_of(std::u16string_view(g_hardware_ids));
    case DevicePropertyCompatibleIDs:
      return bytes_of(std::u16string_view(g_compatible_ids));
    case DevicePropertyBusTypeGuid:
      return bytes_of(kPciBus);
    case DevicePropertyLegacyBusType:
      return bytes_of(kBusType);
    case DevicePropertyBusNumber:
      return bytes_of(kBusNumber);
    case DevicePropertyAddress:
      return bytes_of(kAddress);
    default:
      return {};
  }
}

}  // namespace

void set_pci_identity(std::uint16_t vendor, std::uint16_t device) {
  if (g_identity == std::pair{vendor, device}) return;
  g_identity = {vendor, device};
  const std::u16string device_id = u"PCI\\VEN_" + hex4(vendor) + u"&DEV_" + hex4(device);
  const std::u16string display_class = u"&CC_0300";
  g_hardware_ids = device_id + u'\0' + device_id + display_class + u'\0';
  g_compatible_ids = u"PCI\\VEN_" + hex4(vendor) + display_class + u'\0' + u"PCI\\CC_0300" + u'\0';
}

}  // namespace wddm::nt

using namespace wddm::nt;

NTSTATUS IoGetDeviceProperty(PDEVICE_OBJECT, DEVICE_REGISTRY_PROPERTY DeviceProperty,
                             ULONG BufferLength, PVOID PropertyBuffer, PULONG ResultLength) {
  NT_SERVICE(IoGetDeviceProperty);
  if (!is_property(DeviceProperty)) return STATUS_INVALID_PARAMETER_2;
  const std::span<const std::byte> value = property_of(DeviceProperty);
  *ResultLength = static_cast<ULONG>(value.size());
  if (value.empty()) return STATUS_OBJECT_NAME_NOT_FOUND;
  if (BufferLength < value.size()) return STATUS_BUFFER_TOO_SMALL;
  std::memcpy(PropertyBuffer, value.data(), value.size());
  return STATUS_SUCCESS;
}
