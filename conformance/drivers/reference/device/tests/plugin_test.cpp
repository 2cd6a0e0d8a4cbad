// The device as a plug-in: table, identity, register widths, log.
#include "conformance/drivers/reference/device/tests/bench_gpu.h"

namespace wddm::reference_device {
namespace {

using PluginTest = BenchGpu;

TEST_F(PluginTest, DeclinesAnOlderHost) {
  EXPECT_EQ(WddmDeviceEntry(WDDM_DEVICE_VERSION - 1), nullptr);
}

TEST_F(PluginTest, BarsArePowersOfTwoOfAtLeastAPage) {
  ASSERT_EQ(device->bar_stride, sizeof(WddmBar));
  for (std::uint32_t i = 0; i < device->bar_count; ++i) {
    const WddmBar& bar = device->bars[i];
    if (bar.size == 0) continue;
    EXPECT_GE(bar.size, 4096u);
    EXPECT_EQ(bar.size & (bar.size - 1), 0u);
  }
  EXPECT_EQ(device->bars[HW_REGISTER_BAR].memory, 0u);
  EXPECT_EQ(device->bars[HW_MEMORY_BAR].memory, 1u);
}

TEST_F(PluginTest, ConfigurationSpaceNamesTheDevice) {
  std::uint16_t ids[2] = {};
  ASSERT_EQ(device->config_read(gpu, 0, ids, sizeof ids), sizeof ids);
  EXPECT_EQ(ids[0], device->vendor_id);
  EXPECT_EQ(ids[1], device->device_id);
  EXPECT_EQ(device->config_read(gpu, 62, ids, sizeof ids), 2u);
  EXPECT_EQ(device->config_read(gpu, 64, ids, sizeof ids), 0u);
}

TEST_F(PluginTest, WithoutVideoMemoryThereIsNoDevice) {
  void* bars[WDDM_DEVICE_MAX_BARS] = {};
  const WddmDeviceHost empty{sizeof(WddmDeviceHost),
                             WDDM_DEVICE_VERSION,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr,
                             nullptr};
  EXPECT_EQ(device->create(&empty, bars), nullptr);
}

TEST_F(PluginTest, RegistersAreLostWithPower) {
  write(HW_REG_INT_ENABLE, 3);
  write(HW_REG_MMU_LEVELS, 4);
  write64(HW_REG_PEER_BASE, 0x123456000);
  write(HW_REG_NODE(0, HW_NODE_FENCE), 7);
  device->power(gpu, 3);
  device->power(gpu, 0);
  EXPECT_EQ(read(HW_REG_INT_ENABLE), 0u);
  EXPECT_EQ(read(HW_REG_MMU_LEVELS), 2u);
  EXPECT_EQ(read(HW_REG_PEER_BASE), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_RING_ENTRIES), 0u);
  EXPECT_EQ(node_reg(0, HW_NODE_FENCE), 7u) << "of fences it keeps the last";
}

TEST_F(PluginTest, RegistersReadInAllWidths) {
  EXPECT_EQ(read(HW_REG_ID), HW_ID_VALUE);
  EXPECT_EQ(device->bar_read(gpu, HW_REGISTER_BAR, HW_REG_ID + 1, 1), (HW_ID_VALUE >> 8) & 0xff);
  EXPECT_EQ(device->bar_read(gpu, HW_REGISTER_BAR, HW_REG_ID + 2, 2), HW_ID_VALUE >> 16);
  EXPECT_EQ(device->bar_read(gpu, HW_REGISTER_BAR, HW_REG_NODE(0, HW_NODE_RING_BASE), 8),
            physical(kRingPage[0]));
}

TEST_F(PluginTest, ReadBeyondTheRegistersGivesAllOnes) {
  EXPECT_EQ(device->bar_read(gpu, HW_REGISTER_BAR, HW_REGISTER_BAR_SIZE, 4), ~0ull);
}

TEST_F(PluginTest, AWindowShowsPagesOfVideoMemory) {
  const std::uint64_t at = 5 * std::uint64_t{HW_PAGE_SIZE} + 8;  // in the window
  const std::uint64_t there = 2 * std::uint64_t{HW_PAGE_SIZE} + 8;
  device->bar_write(gpu, HW_REGISTER_BAR, HW_REG_HOST_APERTURE(5), 4, HW_WINDOW_LOCAL | 2);
  device->bar_write(gpu, HW_HOST_APERTURE_BAR, at, 8, 0x1122334455667788);
  EXPECT_EQ(local_word(there), 0x55667788u);
  EXPECT_EQ(device->bar_read(gpu, HW_HOST_APERTURE_BAR, at, 8), 0x1122334455667788u);
  EXPECT_EQ(reported, (std::vector<Reported>{{HW_MEMORY_BAR, there, 8}}));

  device->bar_write(gpu, HW_REGISTER_BAR, HW_REG_HOST_APERTURE(5), 4,
                    HW_WINDOW_LOCAL | HW_LOCAL_PAGES);
  EXPECT_EQ(device->bar_read(gpu, HW_HOST_APERTURE_BAR, at, 4), 0xffffffffu) << "behind its end";
}

TEST_F(PluginTest, LogTellsThePacketsStoryWithMergedFetches) {
  submit(buffer(join({constant(0, 1), constant(1, 2), spin(1)}), 42));
  run();
  const auto log = events();
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].kind, static_cast<std::uint32_t>(WDDM_DEVICE_PACKET_BEGIN));
  EXPECT_EQ(log[0].address, physical(kDmaPage));
  EXPECT_EQ(log[0].length, 24u);
  EXPECT_EQ(log[1].kind, static_cast<std::uint32_t>(WDDM_DEVICE_FETCH));
  EXPECT_EQ(log[1].length, 24u);
  EXPECT_EQ(log[2].kind, static_cast<std::uint32_t>(WDDM_DEVICE_PACKET_END));
  EXPECT_EQ(log[2].tag, 42u);
}

TEST_F(PluginTest, LogFillsNoMoreOfARecordThanTheHostHasRoomFor) {
  submit(buffer(spin(1), 42));
  run();
  WddmDeviceEvent record{};
  record.size = offsetof(WddmDeviceEvent, tag);
  record.tag = 7;
  record.address = 8;

  ASSERT_EQ(device->log(gpu, &record), 1);

  EXPECT_EQ(record.size, offsetof(WddmDeviceEvent, tag));
  EXPECT_EQ(record.kind, static_cast<std::uint32_t>(WDDM_DEVICE_PACKET_BEGIN));
  EXPECT_EQ(record.tag, 7u);
  EXPECT_EQ(record.address, 8u);
}

TEST_F(PluginTest, WithoutAServiceThatItNeedsThereIsNoDevice) {
  WddmDeviceHost smaller{};
  smaller.version = WDDM_DEVICE_VERSION;
  smaller.dma_read = [](void*, std::uint64_t, void*, std::uint32_t) { return -1; };
  smaller.dma_write = [](void*, std::uint64_t, const void*, std::uint32_t) { return -1; };
  smaller.set_interrupt_line = [](void*, int) {};
  smaller.memory_written = [](void*, std::uint32_t, std::uint64_t, std::uint32_t) {};
  void* bars[WDDM_DEVICE_MAX_BARS] = {};
  bars[HW_MEMORY_BAR] = local.data();

  smaller.size = offsetof(WddmDeviceHost, memory_written);
  EXPECT_EQ(device->create(&smaller, bars), nullptr);

  smaller.size = sizeof(smaller);
  void* const whole = device->create(&smaller, bars);
  EXPECT_NE(whole, nullptr);
  device->destroy(whole);
}

TEST_F(PluginTest, FullLogKeepsTheNewestRecords) {
  for (std::uint32_t fence = 1; fence <= 20000; ++fence) {
    submit(buffer(spin(1), fence));
    run();
  }
  const auto log = events();
  EXPECT_EQ(log.back().tag, 20000u);
  EXPECT_EQ(log.size(), 16384u);
}

}  // namespace
}  // namespace wddm::reference_device
