// The Tern as a plug-in: registers, the interrupt line and the log.
#include <cstdint>
#include <deque>

#include "conformance/drivers/tern/device/tern_engine.h"
#include "conformance/sdk/device.h"

namespace tern {
namespace {

class Device {
 public:
  Device(const WddmDeviceHost& host, void* local)
      : host_(host),
        memory_(host, static_cast<std::uint8_t*>(local), log_),
        engine_(memory_, log_) {}

  std::uint32_t read(std::uint64_t offset) {
    const auto& events = engine_.events();
    const Event event = events.empty() ? Event{} : events.front();
    switch (offset) {
      case TERN_REG_ID:
        return TERN_ID;
      case TERN_REG_INT_ENABLE:
        return enabled_;
      case TERN_REG_EVENT_KIND:
        return event.kind;
      case TERN_REG_EVENT_FENCE:
        return event.fence;
      case TERN_REG_EVENT_COMPLETED:
        return event.completed;
      case TERN_REG_EVENT_INFO:
        return event.info;
      case TERN_REG_EVENT_VA_LOW:
        return static_cast<std::uint32_t>(event.va);
      case TERN_REG_EVENT_VA_HIGH:
        return static_cast<std::uint32_t>(event.va >> 32);
      case TERN_REG_EVENT_STOPPED:
        return event.stopped;
      case TERN_REG_EVENT_OFFSET:
        return event.offset;
      case TERN_REG_EVENT_SPIN:
        return event.spin_left;
      case TERN_REG_COMPLETED:
        return engine_.completed;
      case TERN_REG_RUNNING:
        return engine_.running();
      case TERN_REG_STATUS:
        return engine_.status();
      default:
        return 0;
    }
  }

  void write(std::uint64_t offset, std::uint32_t value) {
    switch (offset) {
      case TERN_REG_INT_ENABLE:
        enabled_ = value & 1;
        break;
      case TERN_REG_EVENT_NEXT:
        if (!engine_.events().empty()) engine_.events().pop_front();
        break;
      case TERN_REG_RING_TAIL:
        engine_.ring_tail(value);
        break;
      case TERN_REG_PREEMPT:
        engine_.preempt(value);
        break;
      case TERN_REG_RESET:
        engine_.reset(value);
        break;
      case TERN_REG_COMPLETED:
        engine_.completed = value;
        break;
      case TERN_REG_TLB_FLUSH:
        engine_.flush(value);
        break;
      default:
        break;
    }
    drive_line();
  }

  std::uint32_t advance(std::uint32_t units) {
    std::uint32_t used = 0;
    while (used < units) {
      const std::size_t events = engine_.events().size();
      const std::uint32_t now = engine_.work(units - used);
      used += now;
      const bool news = engine_.events().size() != events;
      drive_line();
      if (now == 0 && !news) break;
    }
    return used;
  }

  // The fence that completed last is kept.
  void lose_power() {
    enabled_ = 0;
    engine_.reset(TERN_RESET_ALL);
    drive_line();
  }

  bool take(WddmDeviceEvent& event) {
    if (log_.empty()) return false;
    const Record& record = log_.front();
    event.kind = record.kind;
    event.tag = record.fence;
    event.address = record.address;
    event.length = record.length;
    if (event.size >= sizeof(event)) {
      event.entry_address = record.entry_address;
      event.entry_system = record.entry_system;
      event.level = record.level;
      event.write = record.write;
      event.process = record.space;
    }
    log_.pop_front();
    return true;
  }

 private:
  // The driver's ISR may run inside, and write registers: nothing is left half done before it.
  void drive_line() {
    const bool up = enabled_ != 0 && !engine_.events().empty();
    if (up == line_) return;
    line_ = up;
    host_.set_interrupt_line(host_.host, up ? 1 : 0);
  }

  const WddmDeviceHost& host_;
  Log log_;
  PhysicalMemory memory_;
  Engine engine_;
  std::uint32_t enabled_ = 0;
  bool line_ = false;
};

Device& device_of(void* device) {
  return *static_cast<Device*>(device);
}

constexpr WddmBar kBars[] = {
    {.size = TERN_REGISTER_BYTES, .memory = 0, .reports_writes = 0},
    {.size = TERN_LOCAL_BYTES, .memory = 1, .reports_writes = 1},
};

const WddmDevice kDevice = {
    .size = sizeof(WddmDevice),
    .version = WDDM_DEVICE_VERSION,
    .name = "Tern",
    .bars = kBars,
    .bar_count = 2,
    .bar_stride = sizeof(WddmBar),
    .vendor_id = TERN_VENDOR,
    .device_id = TERN_DEVICE,
    .reserved = 0,
    .create = [](const WddmDeviceHost* host, void* const bars[]) -> void* {
      return new Device(*host, bars[1]);
    },
    .destroy = [](void* device) { delete static_cast<Device*>(device); },
    .bar_read = [](void* device, std::uint32_t, std::uint64_t offset,
                   std::uint32_t) -> std::uint64_t { return device_of(device).read(offset); },
    .bar_write =
        [](void* device, std::uint32_t, std::uint64_t offset, std::uint32_t, std::uint64_t value) {
          device_of(device).write(offset, static_cast<std::uint32_t>(value));
        },
    .advance = [](void* device, std::uint32_t units) { return device_of(device).advance(units); },
    .config_read = nullptr,
    .config_write = nullptr,
    .log = [](void* device,
              WddmDeviceEvent* event) { return device_of(device).take(*event) ? 1 : 0; },
    .scramble = nullptr,
    .memory_read = nullptr,
    .power =
        [](void* device, std::uint32_t state) {
          if (state != 0) device_of(device).lose_power();
        },
    .tag_bits = 0,  // they show it
    .reserved_at_end = 0,
    .messages = 0,  // it has a line
    .message_table = 0,
};

}  // namespace
}  // namespace tern

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_DEVICE_VERSION ? &tern::kDevice : nullptr;
}
