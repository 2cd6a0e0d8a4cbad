// A trace in which a device logs one packet.
#pragma once

#include "conformance/sdk/device.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm {

class DeviceLogTest : public TraceTest {
 protected:
  void logs(std::uint32_t kind, std::uint64_t address, std::uint32_t length,
            std::uint32_t node = 0) {
    add(ev::DeviceLogged{
        .address = address, .kind = kind, .node = node, .tag = kFence, .length = length});
  }
  static constexpr std::uint32_t kFence = 5;
};

}  // namespace wddm
