// The device log: what the engines did, in order, for the host to take record by record.
//
// Bounded and allocation-free; when the host takes too little the oldest records are lost. Fetches
// that continue the record before them are merged into it. Leaves out times: order is all it tells.
#pragma once

#include <array>
#include <cstdint>

#include "conformance/sdk/device.h"

namespace wddm::reference_device {

class EventLog {
 public:
  void push(const WddmDeviceEvent& event);
  /// Takes the oldest record, as much of it as `event->size` has room for; false if there is none.
  [[nodiscard]] bool pop(WddmDeviceEvent* event);

 private:
  static constexpr std::uint64_t kCapacity = 16384;
  [[nodiscard]] WddmDeviceEvent& at(std::uint64_t n) { return events_[n % kCapacity]; }

  std::array<WddmDeviceEvent, kCapacity> events_;  // [first_, next_) are records
  std::uint64_t first_ = 0;                        // number of the oldest record kept
  std::uint64_t next_ = 0;
};

}  // namespace wddm::reference_device
