// The tables of plug-ins, read as device.h and client.h promise: no byte beyond the size that the
// plug-in states, whatever this host knows of; what lies there is absent.
//
// Reads the tables only; calls nothing and loads nothing.
#pragma once

#include <array>
#include <string>

#include "conformance/sdk/client.h"
#include "conformance/sdk/device.h"

namespace wddm::host {

/// A device's table and BARs as this host lays them out. Not copied: the table points to the BARs.
struct DeviceTable {
  DeviceTable() = default;
  DeviceTable(const DeviceTable&) = delete;
  DeviceTable& operator=(const DeviceTable&) = delete;

  WddmDevice table{};
  std::array<WddmBar, WDDM_DEVICE_MAX_BARS> bars{};
};

/// Takes over what an entry function returned. Empty, or what is wrong with it, in words that
/// follow the file's name.
[[nodiscard]] std::string take_table(const WddmDevice* given, DeviceTable& out);
[[nodiscard]] std::string take_table(const WddmClient* given, WddmClient& out);

}  // namespace wddm::host
