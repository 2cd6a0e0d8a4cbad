#include "conformance/host/adapter/objects/resources.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "conformance/host/memory/memory.h"
#include "conformance/host/nt/core/kernel.h"

namespace wddm::host {
namespace {

constexpr char16_t kServiceKey[] =
    u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\wddmcheck";

constexpr auto kEntryPath = std::to_array(kServiceKey);

UNICODE_STRING path_at(const char16_t* place) {
  UNICODE_STRING path{};
  path.Length = sizeof(kServiceKey) - sizeof(char16_t);
  path.MaximumLength = sizeof(kServiceKey);
  path.Buffer = const_cast<WCHAR*>(place);
  return path;
}

void add(CM_PARTIAL_RESOURCE_LIST& list, const CM_PARTIAL_RESOURCE_DESCRIPTOR& descriptor) {
  // PartialDescriptors is declared with one element and continues behind the structure.
  auto* first = reinterpret_cast<std::uint8_t*>(list.PartialDescriptors);
  std::memcpy(first + list.Count * sizeof(descriptor), &descriptor, sizeof(descriptor));
  ++list.Count;
}

// A device that lies elsewhere interrupts elsewhere too.
ULONG vector_of(const Bus& bus) {
  return 0x40 + bus.moves() % 16 * 8;
}

CM_PARTIAL_RESOURCE_DESCRIPTOR interrupt_line(const Bus& bus) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeInterrupt;
  descriptor.ShareDisposition = CmResourceShareShared;
  descriptor.u.Interrupt.Level = nt::kDirql;
  descriptor.u.Interrupt.Vector = vector_of(bus);
  descriptor.u.Interrupt.Affinity = 3;
  return descriptor;
}

// Messages of one address (using-interrupt-resource-descriptors.md): how many they are only the raw
// list says, which no display driver is given.
CM_PARTIAL_RESOURCE_DESCRIPTOR interrupt_message(const Bus& bus, ULONG number) {
  CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
  descriptor.Type = CmResourceTypeInterrupt;
  descriptor.ShareDisposition = CmResourceShareDeviceExclusive;
  descriptor.Flags = CM_RESOURCE_INTERRUPT_LATCHED | CM_RESOURCE_INTERRUPT_MESSAGE;
  descriptor.u.MessageInterrupt.Translated.Level = nt::kDirql;
  descriptor.u.MessageInterrupt.Translated.Vector = vector_of(bus) + number;
  descriptor.u.MessageInterrupt.Translated.Affinity = 3;
  return descriptor;
}

PCM_RESOURCE_LIST resource_list(const Bus& bus) {
  const std::uint32_t interrupts = bus.has_message_table() ? bus.messages() : 1;
  const std::size_t most = WDDM_DEVICE_MAX_BARS + interrupts;
  auto* list = static_cast<CM_RESOURCE_LIST*>(memory::arena_allocate(
      sizeof(CM_RESOURCE_LIST) + most * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR), 16));
  std::memset(static_cast<void*>(list), 0, sizeof(*list));
  list->Count = 1;
  list->List[0].InterfaceType = PCIBus;
  CM_PARTIAL_RESOURCE_LIST& partial = list->List[0].PartialResourceList;
  partial.Version = 1;
  partial.Revision = 1;
  for (const Bus::BarPlace& bar : bus.bars()) {
    if (bar.size == 0) continue;
    CM_PARTIAL_RESOURCE_DESCRIPTOR descriptor{};
    descriptor.Type = CmResourceTypeMemory;
    descriptor.ShareDisposition = CmResourceShareDeviceExclusive;
    descriptor.u.Memory.Start.QuadPart = static_cast<LONGLONG>(bar.bus_address);
    descriptor.u.Memory.Length = static_cast<ULONG>(bar.size);
    add(partial, descriptor);
  }
  if (bus.present() && bus.messages() == 0) add(partial, interrupt_line(bus));
  for (ULONG i = 0; bus.messages() != 0 && i < interrupts; ++i) {
    add(partial, interrupt_message(bus, i));
  }
  return list;
}

}  // namespace

UNICODE_STRING service_key_path() {
  return path_at(kServiceKey);
}

UNICODE_STRING entry_path() {
  return path_at(kEntryPath.data());
}

DXGK_DEVICE_INFO device_information(const Bus& bus, PVOID miniport, PDEVICE_OBJECT physical_device,
                                    UNICODE_STRING registry_path) {
  DXGK_DEVICE_INFO info{};
  info.MiniportDeviceContext = miniport;
  info.PhysicalDeviceObject = physical_device;
  info.DeviceRegistryPath = registry_path;
  info.TranslatedResourceList = resource_list(bus);
  info.SystemMemorySize.QuadPart = static_cast<LONGLONG>(memory::system_memory_bytes());
  info.HighestPhysicalAddress.QuadPart = static_cast<LONGLONG>(memory::highest_system_address());
  return info;
}

std::uint32_t count_reserved_members(const DRIVER_INITIALIZATION_DATA& data) {
  // ns-dispmprt-_driver_initialization_data.md: each from the interface on that has the member;
  // what lies behind the members of a driver's own interface nobody reads.
  struct Reserved {
    const void* entry;
    InterfaceVersion since;
  };
  const std::array reserved{
      Reserved{data.DxgkDdiDescribePageTable, InterfaceVersion::Win7},
      Reserved{data.DxgkDdiUpdatePageTable, InterfaceVersion::Win7},
      Reserved{data.DxgkDdiUpdatePageDirectory, InterfaceVersion::Win7},
      Reserved{data.DxgkDdiMovePageDirectory, InterfaceVersion::Win7},
      Reserved{data.DxgkDdiSubmitRender, InterfaceVersion::Win7},
      Reserved{data.DxgkDdiCreateAllocation2, InterfaceVersion::Win7},
      Reserved{data.Reserved, InterfaceVersion::Win7},
      Reserved{reinterpret_cast<const void*>(data.DxgkDdiSetPowerPState),
               InterfaceVersion::Wddm1_3},
      Reserved{data.Reserved1, InterfaceVersion::Wddm2_0},
      Reserved{data.Reserved2, InterfaceVersion::Wddm2_0},
      Reserved{data.Reserved3, InterfaceVersion{DXGKDDI_INTERFACE_VERSION_WDDM2_6}}};
  return static_cast<std::uint32_t>(
      std::count_if(reserved.begin(), reserved.end(), [&](const Reserved& member) {
        return member.entry != nullptr && data.Version >= static_cast<ULONG>(member.since);
      }));
}

}  // namespace wddm::host
