// A GPU on the bench: the plug-in table driven directly, with a fake host of 64 system pages.
//
// Plays the part of a driver in the smallest way: one ring per node, DMA buffers in fixed pages.
// System memory is deliberately sparse: page n has physical address (2n + 1) pages.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "conformance/drivers/reference/device/hw.h"
#include "conformance/sdk/device.h"

namespace wddm::reference_device {

class BenchGpu : public testing::Test {
 protected:
  static constexpr std::uint32_t kPages = 64;
  static constexpr std::uint32_t kRingPage[HW_NODE_COUNT] = {0, 1};
  static constexpr std::uint32_t kContextPage = 2;
  static constexpr std::uint32_t kDmaPage = 8;
  static constexpr std::uint32_t kRingEntries = 8;

  BenchGpu() {
    local.resize(std::size_t{HW_LOCAL_PAGES} * HW_PAGE_SIZE);
    system.resize(std::size_t{kPages} * HW_PAGE_SIZE);
    device = WddmDeviceEntry(WDDM_DEVICE_VERSION);
    void* bars[WDDM_DEVICE_MAX_BARS] = {};
    bars[HW_MEMORY_BAR] = local.data();
    gpu = device->create(&host, bars);
    for (std::uint32_t node = 0; node < HW_NODE_COUNT; ++node) start(node);
  }
  ~BenchGpu() override { device->destroy(gpu); }
  BenchGpu(const BenchGpu&) = delete;
  BenchGpu& operator=(const BenchGpu&) = delete;

  static std::uint64_t physical(std::uint32_t page) {
    return std::uint64_t{2 * page + 1} * HW_PAGE_SIZE;
  }

  void start(std::uint32_t node) {
    write64(HW_REG_NODE(node, HW_NODE_RING_BASE), physical(kRingPage[node]));
    write(HW_REG_NODE(node, HW_NODE_RING_ENTRIES), kRingEntries);
    write(HW_REG_NODE(node, HW_NODE_RING_TAIL), 0);
    write(HW_REG_NODE(node, HW_NODE_CONTROL), HW_CONTROL_RUN);
    tail[node] = 0;
  }

  std::uint32_t read(std::uint64_t offset) {
    return static_cast<std::uint32_t>(device->bar_read(gpu, HW_REGISTER_BAR, offset, 4));
  }
  void write(std::uint64_t offset, std::uint32_t value) {
    device->bar_write(gpu, HW_REGISTER_BAR, offset, 4, value);
  }
  void write64(std::uint64_t offset, std::uint64_t value) {
    device->bar_write(gpu, HW_REGISTER_BAR, offset, 8, value);
  }
  std::uint32_t node_reg(std::uint32_t node, std::uint32_t reg) {
    return read(HW_REG_NODE(node, reg));
  }

  // Command buffers.
  using Words = std::vector<std::uint32_t>;
  static Words join(std::initializer_list<Words> parts) {
    Words all;
    for (const Words& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
  }
  static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
  static Words set_base(std::uint32_t slot, std::uint64_t address) {
    return {HW_COMMAND(HW_OP_SET_BASE, 4, slot, 0), 0, low(address), high(address)};
  }
  static Words constant(std::uint32_t index, std::uint32_t value) {
    return {HW_COMMAND(HW_OP_LOAD_CONSTANT, 2, index, 0), value};
  }
  static Words fill(std::uint32_t slot, std::uint32_t index, std::uint32_t offset,
                    std::uint32_t size) {
    return {HW_COMMAND(HW_OP_FILL, 3, slot, index), offset, size};
  }
  static Words add(std::uint32_t slot, std::uint32_t index, std::uint32_t offset) {
    return {HW_COMMAND(HW_OP_ADD, 2, slot, index), offset};
  }
  static Words spin(std::uint32_t units) { return {HW_COMMAND(HW_OP_SPIN, 2, 0, 0), units}; }
  static Words signal(std::uint32_t semaphore, std::uint32_t index) {
    return {HW_COMMAND(HW_OP_SEM_SIGNAL, 1, semaphore, index)};
  }
  static Words wait(std::uint32_t semaphore, std::uint32_t index) {
    return {HW_COMMAND(HW_OP_SEM_WAIT, 1, semaphore, index)};
  }

  /// Puts `words` at the start of system page `page`; returns an entry for all of it.
  HwRingEntry buffer(const Words& words, std::uint32_t fence, std::uint32_t page = kDmaPage) {
    if (!words.empty()) std::memcpy(page_bytes(page), words.data(), words.size() * 4);
    HwRingEntry entry{};
    entry.dma_address = physical(page);
    entry.end_offset = static_cast<std::uint32_t>(words.size() * 4);
    entry.fence = fence;
    return entry;
  }
  void submit(const HwRingEntry& entry, std::uint32_t node = HW_NODE_RENDER) {
    std::memcpy(page_bytes(kRingPage[node]) + tail[node] % kRingEntries * sizeof entry, &entry,
                sizeof entry);
    write(HW_REG_NODE(node, HW_NODE_RING_TAIL), ++tail[node]);
  }
  std::uint32_t run(std::uint32_t units = 100000) { return device->advance(gpu, units); }
  /// A context whose image is in order and holds `first` in constant 0.
  std::uint64_t make_context(std::uint32_t index, std::uint32_t first) {
    HwContextImage image{};
    image.magic = HW_CONTEXT_MAGIC;
    image.constants[0] = first;
    std::memcpy(page_bytes(kContextPage) + index * sizeof image, &image, sizeof image);
    return physical(kContextPage) + index * sizeof image;
  }

  std::uint8_t* page_bytes(std::uint32_t page) {
    return system.data() + std::size_t{page} * HW_PAGE_SIZE;
  }
  std::uint32_t local_word(std::uint64_t offset) const {
    std::uint32_t word = 0;
    std::memcpy(&word, local.data() + offset, sizeof word);
    return word;
  }
  std::uint32_t system_word(std::uint32_t page, std::uint32_t offset) {
    std::uint32_t word = 0;
    std::memcpy(&word, page_bytes(page) + offset, sizeof word);
    return word;
  }
  std::vector<WddmDeviceEvent> events() {
    std::vector<WddmDeviceEvent> all;
    WddmDeviceEvent event{};
    event.size = sizeof event;
    while (device->log(gpu, &event) != 0) all.push_back(event);
    return all;
  }
  std::uint32_t count_events(WddmDeviceEventKind kind) {
    std::uint32_t count = 0;
    for (const WddmDeviceEvent& event : events()) count += event.kind == kind ? 1 : 0;
    return count;
  }

  std::vector<std::uint8_t> local;
  std::vector<std::uint8_t> system;
  std::vector<int> line_changes;
  struct Reported {
    std::uint32_t bar;
    std::uint64_t offset;
    std::uint32_t bytes;
    friend bool operator==(const Reported&, const Reported&) = default;
  };
  std::vector<Reported> reported;  // writes to video memory, as the device tells them
  std::array<std::uint32_t, HW_NODE_COUNT> tail{};
  const WddmDevice* device = nullptr;
  void* gpu = nullptr;

 private:
  std::uint8_t* at(std::uint64_t address, std::uint32_t bytes) {
    const std::uint64_t number = address / HW_PAGE_SIZE;
    const std::uint64_t within = address % HW_PAGE_SIZE;
    if (number % 2 == 0 || number / 2 >= kPages || within + bytes > HW_PAGE_SIZE) return nullptr;
    return page_bytes(static_cast<std::uint32_t>(number / 2)) + within;
  }
  static int dma_read(void* self, std::uint64_t address, void* buffer, std::uint32_t bytes) {
    const std::uint8_t* from = static_cast<BenchGpu*>(self)->at(address, bytes);
    if (from == nullptr) return -1;
    std::memcpy(buffer, from, bytes);
    return 0;
  }
  static int dma_write(void* self, std::uint64_t address, const void* buffer, std::uint32_t bytes) {
    std::uint8_t* to = static_cast<BenchGpu*>(self)->at(address, bytes);
    if (to == nullptr) return -1;
    std::memcpy(to, buffer, bytes);
    return 0;
  }
  static void set_line(void* self, int level) {
    static_cast<BenchGpu*>(self)->line_changes.push_back(level);
  }

  static void memory_written(void* self, std::uint32_t bar, std::uint64_t offset,
                             std::uint32_t bytes) {
    static_cast<BenchGpu*>(self)->reported.push_back({bar, offset, bytes});
  }

  WddmDeviceHost host{
      sizeof(WddmDeviceHost), WDDM_DEVICE_VERSION, this, dma_read, dma_write, set_line, nullptr,
      memory_written, nullptr, nullptr, nullptr};
};

}  // namespace wddm::reference_device
