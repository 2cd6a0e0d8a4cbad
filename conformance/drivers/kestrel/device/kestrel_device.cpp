// The Kestrel as a plug-in: registers, the interrupt line and the log.
#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/drivers/kestrel/device/kestrel_engine.h"

namespace kestrel {
namespace {

class Device {
 public:
  Device(const WddmDeviceHost& host, void* visible)
      : host_(host),
        memory_(host, static_cast<std::uint8_t*>(visible)),
        parts_{host, memory_, log_},
        engines_{Engine(0, parts_), Engine(1, parts_)} {}

  std::uint64_t read(std::uint64_t offset) const {
    switch (offset) {
      case KST_INT_STATUS:
        return status_;
      case KST_INT_ENABLE:
        return enabled_;
      case KST_CLOCK:
        return clock_;
      case KST_ID:
        return KST_ID_VALUE;
      default:
        break;
    }
    for (std::uint32_t n = 0; n < KST_NODES; ++n) {
      const std::uint64_t in_node = offset - KST_NODE(n);
      if (in_node < KST_NODE_BYTES) return engines_[n].read(in_node);
    }
    return 0;
  }

  void write(std::uint64_t offset, std::uint32_t value) {
    switch (offset) {
      case KST_INT_STATUS:
        status_ &= ~value;
        break;
      case KST_INT_ENABLE:
        enabled_ = value;
        break;
      case KST_GART_HIGH:
        memory_.gart = std::uint64_t{value} << 32 | static_cast<std::uint32_t>(memory_.gart);
        break;
      case KST_GART_LOW:
        memory_.gart = memory_.gart >> 32 << 32 | value;
        break;
      default:
        for (std::uint32_t n = 0; n < KST_NODES; ++n) {
          const std::uint64_t in_node = offset - KST_NODE(n);
          if (in_node < KST_NODE_BYTES) engines_[n].write(in_node, value);
        }
    }
    drive_line();
  }

  // Engines have the same time, and one after the other uses it.
  std::uint32_t advance(std::uint32_t units) {
    std::uint32_t most = 0;
    for (Engine& engine : engines_) {
      std::uint32_t used = 0;
      for (std::uint32_t now = 1; now != 0 && used < units; used += now) {
        std::uint32_t raised = 0;
        now = engine.work(units - used, raised);
        status_ |= raised;
        drive_line();
      }
      most = std::max(most, used);
    }
    clock_ += units;
    return most;
  }

  bool peek(std::uint64_t address, void* bytes, std::uint32_t count) const {
    return memory_.peek(address, bytes, count);
  }

  void lose_power() {
    for (Engine& engine : engines_) engine.lose_power();
    std::fill(std::begin(parts_.semaphores), std::end(parts_.semaphores), 0);
    memory_.gart = 0;
    status_ = enabled_ = 0;
    drive_line();
  }

  bool take(WddmDeviceEvent& event) {
    if (log_.empty()) return false;
    wddm_device_hand_over(&event, &log_.front());
    log_.pop_front();
    return true;
  }

 private:
  // The driver's ISR may run inside, and write registers: nothing is left half done before it.
  void drive_line() {
    const bool up = (status_ & enabled_) != 0;
    if (up == line_) return;
    line_ = up;
    host_.set_interrupt_line(host_.host, up ? 1 : 0);
  }

  const WddmDeviceHost& host_;
  Log log_;
  Memory memory_;
  Parts parts_;
  std::array<Engine, KST_NODES> engines_;
  std::uint32_t status_ = 0, enabled_ = 0;
  bool line_ = false;
  std::uint64_t clock_ = 0;
};

Device& device_of(void* device) {
  return *static_cast<Device*>(device);
}

constexpr WddmBar kBars[] = {
    {.size = KST_REGISTER_BYTES, .memory = 0, .reports_writes = 0},
    {.size = KST_VISIBLE_BYTES, .memory = 1, .reports_writes = 1},
};

const WddmDevice kDevice = {
    .size = sizeof(WddmDevice),
    .version = WDDM_DEVICE_VERSION,
    .name = "Kestrel",
    .bars = kBars,
    .bar_count = 2,
    .bar_stride = sizeof(WddmBar),
    .vendor_id = KST_VENDOR,
    .device_id = KST_DEVICE,
    .reserved = 0,
    .create = [](const WddmDeviceHost* host, void* const bars[]) -> void* {
      return new Device(*host, bars[1]);
    },
    .destroy = [](void* device) { delete static_cast<Device*>(device); },
    .bar_read = [](void* device, std::uint32_t, std::uint64_t offset,
                   std::uint32_t) { return device_of(device).read(offset); },
    .bar_write =
        [](void* device, std::uint32_t, std::uint64_t offset, std::uint32_t, std::uint64_t value) {
          device_of(device).write(offset, static_cast<std::uint32_t>(value));
        },
    .advance = [](void* device, std::uint32_t units) { return device_of(device).advance(units); },
    .config_read = nullptr,
    .config_write = nullptr,
    .log = [](void* device,
              WddmDeviceEvent* event) { return device_of(device).take(*event) ? 1 : 0; },
    // Nothing that paging changes is left for a command to rely on.
    .scramble = [](void*, std::uint32_t, std::uint32_t) {},
    .memory_read =
        [](void* device, std::uint64_t address, void* buffer, std::uint32_t bytes) {
          return device_of(device).peek(address, buffer, bytes) ? 0 : -1;
        },
    .power =
        [](void* device, std::uint32_t state) {
          if (state != 0) device_of(device).lose_power();
        },
    .tag_bits = 32,
    .reserved_at_end = 0,
    .messages = 0,  // it has a line
    .message_table = 0,
};

}  // namespace
}  // namespace kestrel

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_DEVICE_VERSION ? &kestrel::kDevice : nullptr;
}
