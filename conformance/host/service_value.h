// A value of the driver's service key that no op names: what the user of a driver sets.
#pragma once

#include <cstdint>
#include <string>

namespace wddm::host {

struct ServiceValue {
  std::string name;
  std::uint32_t number = 0;  ///< REG_DWORD
  std::string text = {};     ///< REG_SZ, if is_text
  bool is_text = false;

  friend bool operator==(const ServiceValue&, const ServiceValue&) = default;
};

/// What RtlGetVersion and PsGetVersion tell.
struct WindowsRelease {
  std::uint32_t major = 10, minor = 0, build = 19041;

  friend bool operator==(const WindowsRelease&, const WindowsRelease&) = default;
};

}  // namespace wddm::host
