// The Plover as a plug-in: registers, time and the log.
#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/drivers/plover/device/plover_node.h"

namespace plover {
namespace {

class Device {
 public:
  Device(const WddmDeviceHost& host, void* memory)
      : mmu_(host, static_cast<std::uint8_t*>(memory), log_),
        events_(host),
        parts_{host, mmu_, events_, log_},
        nodes_{Node(0, parts_), Node(1, parts_), Node(2, parts_)} {}

  std::uint64_t read(std::uint64_t offset) const {
    switch (offset) {
      case PLOVER_ID:
        return PLOVER_ID_VALUE;
      case PLOVER_INT_STATUS:
        return events_.status();
      case PLOVER_INT_ENABLE:
        return events_.enabled();
      case PLOVER_CLOCK:
        return clock_;
      default:
        break;
    }
    for (std::uint32_t n = 0; n < PLOVER_NODES; ++n) {
      if (offset == PLOVER_NODE(n) + PLOVER_ABORTED) return nodes_[n].aborted();
      if (offset == PLOVER_NODE(n) + PLOVER_PROGRESS) return nodes_[n].progress();
    }
    return 0;
  }

  void write(std::uint64_t offset, std::uint64_t value) {
    const auto word = static_cast<std::uint32_t>(value);
    switch (offset) {
      case PLOVER_INT_STATUS:
        if ((word & 1) != 0) events_.acknowledge();
        break;
      case PLOVER_INT_ENABLE:
        events_.enable(word);
        break;
      case PLOVER_EVENT_BASE:
        events_.place(value);
        break;
      case PLOVER_EVENT_ENTRIES:
        events_.empty(word);
        break;
      case PLOVER_EVENT_CONSUMED:
        events_.consume(word);
        break;
      case PLOVER_FENCE_BASE:
        events_.place_fences(value);
        break;
      case PLOVER_TLB_INVALIDATE:
        mmu_.flush(word, 0, ~0ull);
        break;
      case PLOVER_ADAPTER_RESET:
        lose_power();
        break;
      default:
        write_node(offset, value);
    }
  }

  // All nodes have the same time, and work beside each other. The clock never stops.
  std::uint32_t advance(std::uint32_t units) {
    std::uint32_t used = 0;
    clock_ += units;
    for (bool any = true; any && used < units; used += any ? 1 : 0) {
      any = false;
      for (Node& node : nodes_) any |= node.step();
    }
    events_.announce();
    return used;
  }

  void lose_power() {
    for (Node& node : nodes_) node.lose_power();
    std::fill(std::begin(parts_.semaphores), std::end(parts_.semaphores), 0);
    mmu_.flush(~0u, 0, ~0ull);
    events_.reset();
  }

  bool take(WddmDeviceEvent& event) {
    if (log_.empty()) return false;
    wddm_device_hand_over(&event, &log_.front());
    log_.pop_front();
    return true;
  }

 private:
  void write_node(std::uint64_t offset, std::uint64_t value) {
    const std::uint64_t number = offset / PLOVER_NODE(0) - 1;
    const auto word = static_cast<std::uint32_t>(value);
    if (number >= PLOVER_NODES) return;
    Node& node = nodes_[number];
    switch (offset % PLOVER_NODE(0)) {
      case PLOVER_RING_BASE:
        node.place(value);
        break;
      case PLOVER_RING_ENTRIES:
        node.empty(word);
        break;
      case PLOVER_RING_TAIL:
        node.submit(word);
        break;
      case PLOVER_PREEMPT:
        node.preempt(word);
        break;
      case PLOVER_NODE_RESET:
        node.reset();
        break;
      case PLOVER_POWER:
        node.stand_still(word);
        break;
      default:
        break;
    }
  }

  Log log_;
  Mmu mmu_;
  EventRing events_;
  Parts parts_;
  std::array<Node, PLOVER_NODES> nodes_;
  std::uint64_t clock_ = 0;
};

Device& device_of(void* device) {
  return *static_cast<Device*>(device);
}

constexpr WddmBar kBars[] = {
    {.size = PLOVER_REGISTER_BYTES, .memory = 0, .reports_writes = 0},
    {.size = PLOVER_MEMORY_BYTES, .memory = 1, .reports_writes = 1},
};

const WddmDevice kDevice = {
    .size = sizeof(WddmDevice),
    .version = WDDM_DEVICE_VERSION,
    .name = "Plover",
    .bars = kBars,
    .bar_count = 2,
    .bar_stride = sizeof(WddmBar),
    .vendor_id = PLOVER_VENDOR,
    .device_id = PLOVER_DEVICE,
    .reserved = 0,
    .create = [](const WddmDeviceHost* host, void* const bars[]) -> void* {
      return new Device(*host, bars[1]);
    },
    .destroy = [](void* device) { delete static_cast<Device*>(device); },
    .bar_read = [](void* device, std::uint32_t, std::uint64_t offset,
                   std::uint32_t) { return device_of(device).read(offset); },
    .bar_write = [](void* device, std::uint32_t, std::uint64_t offset, std::uint32_t,
                    std::uint64_t value) { device_of(device).write(offset, value); },
    .advance = [](void* device, std::uint32_t units) { return device_of(device).advance(units); },
    .config_read = nullptr,
    .config_write = nullptr,
    .log = [](void* device,
              WddmDeviceEvent* event) { return device_of(device).take(*event) ? 1 : 0; },
    .scramble = nullptr,     // packets find nothing that others left, but semaphores
    .memory_read = nullptr,  // the CPU sees all of it
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
}  // namespace plover

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_DEVICE_VERSION ? &plover::kDevice : nullptr;
}
