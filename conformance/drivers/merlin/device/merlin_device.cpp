// A GPU of the Merlin as a plug-in: registers, time and the log. A board has two of them.
#include <algorithm>
#include <array>
#include <cstdint>

#include "conformance/drivers/merlin/device/merlin_engine.h"

namespace merlin {
namespace {

class Device {
 public:
  Device(const WddmDeviceHost& host, void* vram)
      : mmu_(host, static_cast<std::uint8_t*>(vram), log_),
        interrupts_{host},
        engines_{Engine(0, mmu_, interrupts_, log_), Engine(1, mmu_, interrupts_, log_)} {}

  std::uint32_t read(std::uint64_t reg) const {
    switch (reg) {
      case MR_ID:
        return MERLIN_ID_VALUE;
      case MR_INT_STATUS:
        return interrupts_.status;
      case MR_INT_ENABLE:
        return interrupts_.enabled;
      case MR_VRAM_MB:
        return MERLIN_VRAM_BYTES >> 20;
      case MR_CLOCK_LO:
        return static_cast<std::uint32_t>(clock_);
      case MR_CLOCK_HI:
        return static_cast<std::uint32_t>(clock_ >> 32);
      default:
        break;
    }
    return of_engine(reg) ? engines_[reg / 0x100 - 1].read(reg & 0xFF) : 0;
  }

  void write(std::uint64_t reg, std::uint32_t value) {
    switch (reg) {
      case MR_INT_STATUS:
        interrupts_.status &= ~value;
        break;
      case MR_INT_ENABLE:
        interrupts_.enable(value);
        break;
      case MR_PEER_LO:
        mmu_.set_peer_low(value);
        break;
      case MR_PEER_HI:
        mmu_.set_peer_high(value);
        break;
      case MR_GPU_RESET:
        stop();
        if ((value & 1) != 0) forget();
        break;
      case MR_TLB_FLUSH:
        mmu_.flush(value, 0, ~0ull);
        break;
      default:
        if (of_engine(reg)) engines_[reg / 0x100 - 1].write(reg & 0xFF, value);
    }
  }

  // Engines have the same time, and work beside each other. The clock stands when there is no work.
  std::uint32_t advance(std::uint32_t units) {
    std::uint32_t most = 0;
    for (Engine& engine : engines_) most = std::max(most, engine.work(units));
    clock_ += most;
    return most;
  }

  void lose_power() {
    stop();
    forget();
  }

  bool take(WddmDeviceEvent* event) {
    if (log_.empty()) return false;
    wddm_device_hand_over(event, &log_.front());
    log_.pop_front();
    return true;
  }

 private:
  static bool of_engine(std::uint64_t reg) {
    return reg >= MR_ENGINE(0) && reg < MR_ENGINE(MERLIN_NODES);
  }
  void stop() {
    for (Engine& engine : engines_) engine.stop();
  }
  void forget() {
    interrupts_.status = interrupts_.enabled = 0;
    for (Engine& engine : engines_) engine.reset();
    mmu_.reset();
  }

  Log log_;
  Mmu mmu_;
  Interrupts interrupts_;
  std::array<Engine, MERLIN_NODES> engines_;
  std::uint64_t clock_ = 0;
};

Device& of(void* device) {
  return *static_cast<Device*>(device);
}

void* create(const WddmDeviceHost* host, void* const memory[WDDM_DEVICE_MAX_BARS]) {
  return new Device(*host, memory[MERLIN_BAR_VRAM]);
}
void destroy(void* device) {
  delete static_cast<Device*>(device);
}

// Registers have 4 bytes, and a narrower write reaches none.
std::uint64_t bar_read(void* device, std::uint32_t, std::uint64_t offset, std::uint32_t bytes) {
  std::uint64_t value = of(device).read(offset & ~3ull);
  if (bytes == 8) return value | std::uint64_t{of(device).read(offset + 4)} << 32;
  value >>= 8 * (offset & 3);
  return bytes == 4 ? value : value & ((1ull << (8 * bytes)) - 1);
}
void bar_write(void* device, std::uint32_t, std::uint64_t offset, std::uint32_t bytes,
               std::uint64_t value) {
  if (bytes < 4) return;
  of(device).write(offset, static_cast<std::uint32_t>(value));
  if (bytes == 8) of(device).write(offset + 4, static_cast<std::uint32_t>(value >> 32));
}
std::uint32_t advance(void* device, std::uint32_t units) {
  return of(device).advance(units);
}
int take_log(void* device, WddmDeviceEvent* event) {
  return of(device).take(event) ? 1 : 0;
}
void power(void* device, std::uint32_t state) {
  if (state == 3) of(device).lose_power();
}

const WddmBar kBars[] = {{MERLIN_REG_BYTES, 0, 0}, {MERLIN_VRAM_BYTES, 1, 1}};

WddmDevice make_table() {
  WddmDevice table{};
  table.size = sizeof(table);
  table.version = WDDM_DEVICE_VERSION;
  table.name = "Merlin";
  table.bars = kBars;
  table.bar_count = 2;
  table.bar_stride = sizeof(WddmBar);
  table.vendor_id = MERLIN_VENDOR_ID;
  table.device_id = MERLIN_DEVICE_ID;
  table.create = create;
  table.destroy = destroy;
  table.bar_read = bar_read;
  table.bar_write = bar_write;
  table.advance = advance;
  table.log = take_log;
  table.power = power;
  table.tag_bits = 32;
  table.messages = 1;
  return table;
}

}  // namespace
}  // namespace merlin

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  static const WddmDevice table = merlin::make_table();
  return host_version == WDDM_DEVICE_VERSION ? &table : nullptr;
}
