// The MMUs of the faulty device: those of one variant, chosen when the device is made.
#include <cstdlib>

#include "conformance/drivers/reference/device/variants/device_variant.h"
#include "conformance/drivers/reference/device/variants/faulty_mmu.h"

namespace wddm::reference_device {
namespace {

DeviceVariant device_variant() {
  const char* const number = std::getenv(kDeviceVariantVariable);
  if (number == nullptr) return DeviceVariant::Conforming;
  return static_cast<DeviceVariant>(std::strtoul(number, nullptr, 10));
}

}  // namespace

std::unique_ptr<Mmu> make_mmu(std::uint32_t node, MemoryPort& memory, const MmuGeometry& geometry,
                              EventLog& log) {
  switch (device_variant()) {
    case DeviceVariant::LevelLeftOut:
      return std::make_unique<LevelLeavingMmu>(node, memory, geometry, log);
    case DeviceVariant::CopiesAlignedDown:
      return std::make_unique<AligningMmu>(node, memory, geometry, log);
    case DeviceVariant::IndexBitLess:
      return std::make_unique<ShortIndexMmu>(node, memory, geometry, log);
    case DeviceVariant::FaultsPassed:
      return std::make_unique<FaultlessMmu>(node, memory, geometry, log);
    case DeviceVariant::RootsWithoutEnd:
      return std::make_unique<EndlessRootMmu>(node, memory, geometry, log);
    case DeviceVariant::InvalidEntriesStay:
      return std::make_unique<StubbornMmu>(node, memory, geometry, log);
    case DeviceVariant::LargePagesBeside:
      return std::make_unique<BesideMmu>(node, memory, geometry, log);
    default:
      return std::make_unique<Mmu>(node, memory, geometry, log);
  }
}

}  // namespace wddm::reference_device
