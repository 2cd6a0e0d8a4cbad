// The reference GPU as a device plug-in.
#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "conformance/drivers/reference/device/gpu.h"
#include "conformance/sdk/device.h"

namespace wddm::reference_device {
namespace {

Gpu* gpu_of(void* device) {
  return static_cast<Gpu*>(device);
}

// The host's services as this device knows them: of a smaller table the rest is null.
WddmDeviceHost services_of(const WddmDeviceHost& host) {
  WddmDeviceHost services{};
  std::memcpy(&services, &host, std::min<std::size_t>(host.size, sizeof services));
  return services;
}

void* create(const WddmDeviceHost* host, void* const bar_memory[WDDM_DEVICE_MAX_BARS]) {
  if (host == nullptr || bar_memory[HW_MEMORY_BAR] == nullptr) return nullptr;
  const WddmDeviceHost services = services_of(*host);
  if (services.dma_read == nullptr || services.dma_write == nullptr ||
      services.set_interrupt_line == nullptr || services.memory_written == nullptr) {
    return nullptr;
  }
  return new (std::nothrow) Gpu(services, static_cast<std::uint8_t*>(bar_memory[HW_MEMORY_BAR]));
}

void destroy(void* device) {
  delete gpu_of(device);
}

std::uint64_t bar_read(void* device, std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes) {
  if (bar == HW_HOST_APERTURE_BAR) return gpu_of(device)->read_window(offset, bytes);
  return bar == HW_REGISTER_BAR ? gpu_of(device)->read(offset, bytes) : ~0ull;
}

void bar_write(void* device, std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes,
               std::uint64_t value) {
  if (bar == HW_HOST_APERTURE_BAR) gpu_of(device)->write_window(offset, bytes, value);
  if (bar == HW_REGISTER_BAR) gpu_of(device)->write(offset, bytes, value);
}

std::uint32_t advance(void* device, std::uint32_t units) {
  return gpu_of(device)->advance(units);
}

int take_event(void* device, WddmDeviceEvent* event) {
  return gpu_of(device)->take_event(event) ? 1 : 0;
}

void scramble(void* device, std::uint32_t node, std::uint32_t seed) {
  gpu_of(device)->scramble(node, seed);
}

int memory_read(void* device, std::uint64_t address, void* buffer, std::uint32_t bytes) {
  return gpu_of(device)->read_unseen(address, buffer, bytes) ? 0 : -1;
}

void power(void* device, std::uint32_t state) {
  if (state != 0) gpu_of(device)->lose_power();
}

// A type 0 header that says "display controller, other"; nothing in it can be written.
std::uint32_t config_read(void* /*device*/, std::uint32_t offset, void* buffer,
                          std::uint32_t bytes) {
  constexpr std::uint8_t kHeader[64] = {
      HW_VENDOR_ID & 0xff,
      HW_VENDOR_ID >> 8,
      HW_DEVICE_ID & 0xff,
      HW_DEVICE_ID >> 8,
      0x06,
      0x00,
      0x00,
      0x00,  // command: memory space, bus master
      0x01,
      0x00,
      0x80,
      0x03,  // revision 1, class 03.80.00
  };
  if (offset >= sizeof kHeader) return 0;
  const std::uint32_t count = std::min(bytes, static_cast<std::uint32_t>(sizeof kHeader) - offset);
  std::memcpy(buffer, kHeader + offset, count);
  return count;
}

constexpr std::array<WddmBar, HW_HOST_APERTURE_BAR + 1> make_bars() {
  std::array<WddmBar, HW_HOST_APERTURE_BAR + 1> bars{};
  bars[HW_REGISTER_BAR] = {HW_REGISTER_BAR_SIZE, 0, 0};
  bars[HW_MEMORY_BAR] = {std::uint64_t{HW_LOCAL_PAGES} * HW_PAGE_SIZE, 1, 1};
  bars[HW_HOST_APERTURE_BAR] = {std::uint64_t{HW_HOST_APERTURE_PAGES} * HW_PAGE_SIZE, 0, 0};
  return bars;
}

constexpr std::array<WddmBar, HW_HOST_APERTURE_BAR + 1> kBars = make_bars();

constexpr WddmDevice make_device() {
  WddmDevice device{};
  device.size = sizeof(WddmDevice);
  device.version = WDDM_DEVICE_VERSION;
  device.name = "reference GPU";
  device.bars = kBars.data();
  device.bar_count = kBars.size();
  device.bar_stride = sizeof(WddmBar);
  device.vendor_id = HW_VENDOR_ID;
  device.device_id = HW_DEVICE_ID;
  device.create = create;
  device.destroy = destroy;
  device.bar_read = bar_read;
  device.bar_write = bar_write;
  device.advance = advance;
  device.config_read = config_read;
  device.log = take_event;
  device.scramble = scramble;
  device.memory_read = memory_read;
  device.power = power;
  device.tag_bits = 32;
  return device;
}

constexpr WddmDevice kDevice = make_device();

}  // namespace
}  // namespace wddm::reference_device

extern "C" __attribute__((visibility("default"))) const WddmDevice* WddmDeviceEntry(
    std::uint32_t host_version) {
  return host_version < WDDM_DEVICE_VERSION ? nullptr : &wddm::reference_device::kDevice;
}
