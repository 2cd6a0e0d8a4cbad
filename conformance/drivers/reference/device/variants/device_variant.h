// The faulty devices: each is the conforming one with one method of its MMUs overridden.
//
// The environment variable chooses one for each device that is made; 0 or a missing value is the
// conforming device. `clause` is the rule that the variant breaks.
#pragma once

#include <cstdint>

namespace wddm::reference_device {

enum class DeviceVariant : std::uint32_t {
#define DEVICE_VARIANT(number, name, clause) name = number,
#include "conformance/drivers/reference/device/variants/device_variants.def"
#undef DEVICE_VARIANT
};

inline constexpr const char* kDeviceVariantVariable = "WDDM_REFERENCE_DEVICE_VARIANT";

}  // namespace wddm::reference_device
