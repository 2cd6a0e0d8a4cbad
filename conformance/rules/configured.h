// Which configurations of the built-in driver a clause is played in.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace wddm {

enum class Configured : std::uint8_t {
#define CONFIGURATION(name, settings) name,
#include "conformance/rules/configuration.def"
#undef CONFIGURATION
};
inline constexpr std::size_t kConfigurations = 0
#define CONFIGURATION(...) +1
#include "conformance/rules/configuration.def"
#undef CONFIGURATION
    ;

class ConfigurationSet {
 public:
  constexpr ConfigurationSet(std::initializer_list<Configured> members) {
    for (const Configured one : members) bits_ |= bit(one);
  }
  [[nodiscard]] constexpr bool has(Configured one) const { return (bits_ & bit(one)) != 0; }
  /// The one that faults are shown in. The set is not empty.
  [[nodiscard]] constexpr Configured first() const {
    return static_cast<Configured>(std::countr_zero(bits_));
  }
  friend constexpr ConfigurationSet operator|(ConfigurationSet one, ConfigurationSet other) {
    one.bits_ |= other.bits_;
    return one;
  }

 private:
  static constexpr std::uint64_t bit(Configured one) {
    return std::uint64_t{1} << static_cast<unsigned>(one);
  }
  std::uint64_t bits_ = 0;
};
static_assert(kConfigurations <= 64);

/// Those with patch lists.
inline constexpr ConfigurationSet kPatchListConfigurations{
    Configured::Default, Configured::NotPreemptionAware, Configured::NoDmaPatching};
/// Those in which the driver says of its buffers that they lie in an aperture, or would if there
/// were one, by the order in which it has its segments.
inline constexpr ConfigurationSet kSegmentOrders{
    Configured::BuffersInAperture, Configured::ApertureFirst, Configured::ApertureFirst2,
    Configured::ApertureOfDevices, Configured::ApertureAlone, Configured::MemoryAlone};
/// Those with GPU virtual addresses.
inline constexpr ConfigurationSet kGpuVirtualConfigurations{
    Configured::GpuVirtual, Configured::FourLevels, Configured::Pages64K, Configured::Pairs,
    Configured::InvalidCached};

/// Those with patch lists, and one with GPU virtual addresses: for what does not depend on which.
inline constexpr ConfigurationSet kBothAddressings =
    kPatchListConfigurations | ConfigurationSet{Configured::GpuVirtual};

}  // namespace wddm
