// The Egret as a plug-in: registers, time and the log.
#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/drivers/egret/device/egret_node.h"

namespace egret {
namespace {

class Device {
 public:
  Device(const WddmDeviceHost& host, void* window)
      : memory_(host, static_cast<std::uint8_t*>(window), log_),
        mmu_(memory_, log_),
        interrupts_(host),
        parts_{host, memory_, mmu_, interrupts_, log_},
        nodes_{Node(0, parts_), Node(1, parts_)} {}

  std::uint64_t read(std::uint64_t offset) const {
    switch (offset) {
      case EG_REG_ID:
        return EG_ID_VALUE;
      case EG_REG_INTR_STATUS:
        return interrupts_.status();
      case EG_REG_INTR_ENABLE:
        return interrupts_.enabled();
      case EG_REG_CLOCK:
        return clock_;
      default:
        break;
    }
    const std::uint64_t node = node_of(offset);
    return node < EG_NODES ? nodes_[node].read(offset % kNodeBytes) : 0;
  }

  void write(std::uint64_t offset, std::uint64_t value) {
    const auto low = static_cast<std::uint32_t>(value);
    switch (offset) {
      case EG_REG_INTR_STATUS:
        return interrupts_.acknowledge(low);
      case EG_REG_INTR_ENABLE:
        return interrupts_.enable(low);
      case EG_REG_WIN_INDEX:
        window_index_ = low;
        return;
      case EG_REG_WIN_PAGE:
        return memory_.set_window(window_index_, low);
      case EG_REG_GART_INDEX:
        aperture_index_ = low;
        return;
      case EG_REG_GART_ENTRY:
        return memory_.set_aperture(aperture_index_, value);
      case EG_REG_TLB_FLUSH:
        return mmu_.flush(low, 0, 0);
      default:
        break;
    }
    const std::uint64_t node = node_of(offset);
    if (node < EG_NODES) nodes_[node].write(offset % kNodeBytes, value);
  }

  // Nodes have the same time, and one after the other uses it.
  std::uint32_t advance(std::uint32_t units) {
    std::uint32_t most = 0;
    memory_.reconcile();
    for (Node& node : nodes_) most = std::max(most, node.work(units));
    clock_ += most;
    return most;
  }

  bool take(WddmDeviceEvent& event) {
    if (log_.empty()) return false;
    wddm_device_hand_over(&event, &log_.front());
    log_.pop_front();
    return true;
  }

  void scramble(std::uint32_t node, std::uint32_t seed) {
    if (node < EG_NODES) nodes_[node].scramble(seed);
  }

  bool peek(std::uint64_t address, void* bytes, std::uint32_t count) {
    return memory_.peek(address, bytes, count);
  }

  void lose_power() {
    for (Node& node : nodes_) node.lose_power();
    std::fill(std::begin(parts_.semaphores), std::end(parts_.semaphores), 0);
    mmu_.lose_power();
    memory_.lose_power();
    interrupts_.lose_power();
  }

 private:
  static constexpr std::uint64_t kNodeBytes = EG_NODE_REGS(1) - EG_NODE_REGS(0);

  // EG_NODES or more: not a node's.
  static std::uint64_t node_of(std::uint64_t offset) {
    return offset < EG_NODE_REGS(0) ? EG_NODES : (offset - EG_NODE_REGS(0)) / kNodeBytes;
  }

  Log log_;
  Memory memory_;
  Mmu mmu_;
  Interrupts interrupts_;
  Parts parts_;
  std::array<Node, EG_NODES> nodes_;
  std::uint32_t window_index_ = 0, aperture_index_ = 0;
  std::uint64_t clock_ = 0;
};

Device& device_of(void* device) {
  return *static_cast<Device*>(device);
}

constexpr WddmBar kBars[] = {
    {.size = EG_BAR0_SIZE, .memory = 0, .reports_writes = 0},
    {.size = EG_BAR1_SIZE, .memory = 1, .reports_writes = 0},
};

const WddmDevice kDevice = {
    .size = sizeof(WddmDevice),
    .version = WDDM_DEVICE_VERSION,
    .name = "Egret",
    .bars = kBars,
    .bar_count = 2,
    .bar_stride = sizeof(WddmBar),
    .vendor_id = EG_VENDOR,
    .device_id = EG_DEVICE,
    .reserved = 0,
    .create = [](const WddmDeviceHost* host, void* const bars[]) -> void* {
      return new Device(*host, bars[EG_BAR_WINDOW]);
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
    .scramble = [](void* device, std::uint32_t node,
                   std::uint32_t seed) { device_of(device).scramble(node, seed); },
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
    .messages = 1,
    .message_table = 0,
};

}  // namespace
}  // namespace egret

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  return host_version == WDDM_DEVICE_VERSION ? &egret::kDevice : nullptr;
}
