// What the Plover tells its driver: events in a ring in system memory, fences beside it, and one
// interrupt for as many of them as have come about.
#pragma once

#include <cstdint>

#include "conformance/drivers/plover/device/plover_hw.h"
#include "conformance/sdk/device.h"

namespace plover {

class EventRing {
 public:
  explicit EventRing(const WddmDeviceHost& host) : host_(host) {}

  /// Only where there is room. Nobody is interrupted before announce().
  void put(const PloverEvent& event);
  void announce();
  [[nodiscard]] bool has_room() const { return produced_ - consumed_ < entries_; }
  void write_fence(std::uint32_t node, std::uint32_t fence);

  void place(std::uint64_t base) { base_ = base; }
  void empty(std::uint32_t entries) { entries_ = entries, produced_ = consumed_ = 0; }
  void consume(std::uint32_t consumed) { consumed_ = consumed; }
  void place_fences(std::uint64_t base) { fence_base_ = base; }
  void enable(std::uint32_t value);
  void acknowledge();
  void reset();
  [[nodiscard]] std::uint32_t enabled() const { return enabled_; }
  [[nodiscard]] std::uint32_t status() const { return announced_ ? 1 : 0; }

 private:
  void drive_line();

  const WddmDeviceHost& host_;
  std::uint64_t base_ = 0, fence_base_ = 0;
  std::uint32_t entries_ = 0, produced_ = 0, consumed_ = 0, enabled_ = 0;
  bool unsaid_ = false;     // an event has come since announce()
  bool announced_ = false;  // INT_STATUS
};

}  // namespace plover
