// What lies between driver and device: BARs, configuration space, DMA, interrupts, the log.
#include "conformance/host/adapter/bus.h"

#include <array>
#include <cstring>

#include "conformance/host/adapter/segment_memory.h"
#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

/// One device at a time: functions of the table carry no context of ours.
std::vector<WddmDeviceEvent> g_log;
std::vector<std::uint64_t> g_accesses;  // BAR, offset, bytes of each register access

class BusTest : public HostTest {
 protected:
  BusTest() {
    g_log.clear();
    g_accesses.clear();
    gpu.bars[1] = {.size = 4096, .memory = 0, .reports_writes = 0};
    gpu.table.bar_read = [](void*, std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes) {
      g_accesses.insert(g_accesses.end(), {bar, offset, bytes});
      return std::uint64_t{0x1234};
    };
    gpu.table.bar_write = [](void*, std::uint32_t bar, std::uint64_t offset, std::uint32_t bytes,
                             std::uint64_t) {
      g_accesses.insert(g_accesses.end(), {bar, offset, bytes});
    };
  }
  template <class Body>
  void with_device(Body body) {
    device = &gpu.table;
    on_machine([&](World& world) { body(world.bus); });
  }
  std::size_t findings() const { return seen<ev::Finding>().size(); }
  FakeDevice gpu;
};

TEST_F(BusTest, MemoryBarIsFoundByItsAddresses) {
  with_device([&](Bus& bus) {
    const Bus::BarPlace& bar = bus.bars()[0];
    EXPECT_EQ(bus.memory_at(bar.bus_address + 8, 16), bar.bytes + 8);
    EXPECT_EQ(bus.memory_at(bar.bus_address + bar.size - 4, 4), bar.bytes + bar.size - 4);
    EXPECT_EQ(bus.memory_at(bar.bus_address + bar.size - 4, 5), nullptr);
    EXPECT_EQ(bus.memory_at(bar.bus_address - 1, 1), nullptr);
    EXPECT_EQ(bus.memory_at(bus.bars()[1].bus_address, 4), nullptr) << "registers are no memory";
  });
}

TEST_F(BusTest, WritesAreKnownOnlyToABarThatReportsThem) {
  gpu.bars[2] = {.size = 4096, .memory = 1, .reports_writes = 1};
  with_device([&](Bus& bus) {
    EXPECT_FALSE(bus.writes_known(bus.bars()[0].bus_address, 4));
    EXPECT_TRUE(bus.writes_known(bus.bars()[2].bus_address, 4096));
    EXPECT_FALSE(bus.writes_known(bus.bars()[2].bus_address, 4097));
  });
}

TEST_F(BusTest, ReportedWritesCountWhereThereIsMemory) {
  with_device([&](Bus& bus) {
    memory::forget_written();
    void* const host = gpu.host->host;
    gpu.host->memory_written(host, 0, 4090, 10);
    EXPECT_EQ(memory::written_frames().size(), 2u) << "across a page boundary";
    memory::forget_written();
    gpu.host->memory_written(host, 0, 8190, 10);
    gpu.host->memory_written(host, 0, 8192, 1);
    gpu.host->memory_written(host, 0, 0, 0);
    gpu.host->memory_written(host, 1, 0, 4);
    gpu.host->memory_written(host, 77, 0, 4);
    EXPECT_TRUE(memory::written_frames().empty());
    EXPECT_TRUE(bus.present());
  });
}

TEST_F(BusTest, WritesOfTheHostToVideoMemoryCount) {
  with_device([&](Bus& bus) {
    memory::forget_written();
    bus.cpu_write(bus.bars()[0].bus_address + 8, 1);
    EXPECT_EQ(memory::written_frames().size(), 1u);
    memory::forget_written();
    EXPECT_NE(segment_memory_at(bus, bus.bars()[0].bus_address, 8192), nullptr);
    EXPECT_EQ(memory::written_frames().size(), 2u) << "who gets it may write it";
  });
}

TEST_F(BusTest, ADeviceThatMovesAnswersAtItsNewPlaceAlone) {
  with_device([&](Bus& bus) {
    const std::uint64_t memory = bus.bars()[0].bus_address, registers = bus.bars()[1].bus_address;
    bus.bars()[0].bytes[0] = 5;
    gpu.host->set_interrupt_line(gpu.host->host, 1);
    ASSERT_TRUE(bus.move());
    EXPECT_FALSE(bus.line_is_high());
    EXPECT_NE(bus.bars()[0].bus_address, memory);
    EXPECT_NE(bus.bars()[1].bus_address, registers);
    EXPECT_EQ(bus.memory_at(memory, 4), nullptr);
    EXPECT_EQ(bus.memory_at(bus.bars()[0].bus_address, 4), bus.bars()[0].bytes);
    EXPECT_EQ(bus.bars()[0].bytes[0], 0) << "what it held is gone";
    EXPECT_EQ(bus.cpu_read(registers + 8), ~0ull);
    EXPECT_TRUE(g_accesses.empty());
    EXPECT_EQ(bus.cpu_read(bus.bars()[1].bus_address + 8), 0x1234u);
  });
}

TEST_F(BusTest, OneOfALinkMovesAlone) {
  with_device([&](Bus& bus) {
    bus.plug_in();
    const std::uint64_t first = bus.bars()[0].bus_address, second = bus.of(1).bars()[0].bus_address;
    ASSERT_TRUE(bus.of(1).move());
    EXPECT_EQ(bus.bars()[0].bus_address, first);
    EXPECT_NE(bus.of(1).bars()[0].bus_address, second);
    EXPECT_EQ(bus.memory_at(second, 4), nullptr);
  });
}

TEST_F(BusTest, RegistersAreReadAndWrittenByTheDevice) {
  with_device([&](Bus& bus) {
    bool registers = false;
    void* const mapped = memory::bus_map(bus.bars()[1].bus_address, 4096, &registers);
    EXPECT_TRUE(registers);
    auto* const word = static_cast<ULONG*>(mapped) + 3;
    EXPECT_EQ(READ_REGISTER_ULONG(word), 0x1234u);
    WRITE_REGISTER_ULONG(word, 5);
    memory::bus_unmap(mapped);
  });
  EXPECT_EQ(g_accesses, (std::vector<std::uint64_t>{1, 12, 4, 1, 12, 4}));
}

TEST_F(BusTest, DmaReachesWhatSomebodyOwns) {
  with_device([&](Bus&) {
    memory::Frame frame = 0;
    memory::frames_allocate({&frame, 1}, memory::FrameOwner::Allocation);
    const std::uint32_t word = 0x55667788;
    std::uint32_t back = 0;
    EXPECT_EQ(gpu.host->dma_write(gpu.host->host, frame * 4096 + 4, &word, 4), 0);
    EXPECT_EQ(gpu.host->dma_read(gpu.host->host, frame * 4096 + 4, &back, 4), 0);
    EXPECT_EQ(back, word);
    EXPECT_EQ(findings(), 0u);
    memory::frames_free({&frame, 1});
    EXPECT_EQ(gpu.host->dma_write(gpu.host->host, frame * 4096 + 4, &word, 4), -1);
    EXPECT_EQ(gpu.host->dma_read(gpu.host->host, frame * 4096 + 4, &back, 4), -1);
    EXPECT_EQ(back, 0u) << "nothing of it is left";
  });
  ASSERT_EQ(findings(), 2u);
  EXPECT_EQ(seen<ev::Finding>()[0].kind,
            static_cast<std::uint32_t>(nt::FindingKind::DmaOutsideMemory));
}

TEST_F(BusTest, InterruptsAreCountedWhereTheyRise) {
  with_device([&](Bus& bus) {
    void* const host = gpu.host->host;
    gpu.host->set_interrupt_line(host, 1);
    gpu.host->set_interrupt_line(host, 1);
    gpu.host->set_interrupt_line(host, 0);
    gpu.host->raise_message(host, 0);
    EXPECT_EQ(bus.take_interrupt_count(), 2u);
    EXPECT_EQ(bus.take_interrupt_count(), 0u);
  });
}

TEST_F(BusTest, LogOfTheDeviceGoesToTheTrace) {
  gpu.table.log = [](void*, WddmDeviceEvent* event) {
    if (g_log.empty()) return 0;
    EXPECT_EQ(event->tag, 0u) << "emptied each time";
    *event = g_log.front();
    g_log.erase(g_log.begin());
    return 1;
  };
  WddmDeviceEvent fetch{};
  fetch.size = sizeof(fetch);
  fetch.kind = WDDM_DEVICE_FETCH;
  fetch.node = 1;
  fetch.tag = 9;
  fetch.address = 0x8000;
  fetch.length = 64;
  g_log = {fetch, fetch};
  with_device([&](Bus& bus) { bus.advance(1); });
  const auto logged = seen<ev::DeviceLogged>();
  ASSERT_EQ(logged.size(), 2u);
  EXPECT_EQ(logged[0].kind, std::uint32_t{WDDM_DEVICE_FETCH});
  EXPECT_EQ(logged[0].node, 1u);
  EXPECT_EQ(logged[0].tag, 9u);
  EXPECT_EQ(logged[0].address, 0x8000u);
  EXPECT_EQ(logged[0].length, 64u);
}

TEST_F(BusTest, ConfigurationSpaceOfADeviceWithoutOneIsAHeaderWithItsIdentity) {
  with_device([&](Bus& bus) {
    std::array<std::uint8_t, 12> bytes{};
    EXPECT_EQ(bus.config_read(0, bytes.data(), bytes.size()), bytes.size());
    EXPECT_EQ(bytes, (std::array<std::uint8_t, 12>{0x34, 0x12, 0x78, 0x56, 0x06, 0x00, 0x10, 0x00,
                                                   0x00, 0x00, 0x80, 0x03}));
    EXPECT_EQ(bus.config_write(0, bytes.data(), 2), 0u);
    std::uint8_t beyond = 0;
    EXPECT_EQ(bus.config_read(256, &beyond, 1), 1u);
    EXPECT_EQ(beyond, 0xff);
  });
}

TEST_F(BusTest, ConfigurationSpaceShowsBarsWhereTheBusHasThem) {
  with_device([&](Bus& bus) {
    std::uint32_t at = 0x10;
    for (const Bus::BarPlace& bar : bus.bars()) {
      if (bar.size == 0) continue;
      const bool memory = bar.bytes != nullptr;
      std::uint64_t base = 0;
      bus.config_read(at, &base, memory ? 8 : 4);
      EXPECT_EQ(base & ~0xfull, bar.bus_address);
      EXPECT_EQ(base & 0xf, memory ? 0xcu : 0u);
      at += memory ? 8 : 4;
    }
    EXPECT_GT(at, 0x10u) << "the device has a BAR";
  });
}

// Their ids, in the order of the list.
std::vector<std::uint8_t> capabilities_of(const Bus& bus) {
  std::uint8_t at = 0;
  bus.config_read(0x34, &at, 1);
  std::vector<std::uint8_t> ids;
  while (at != 0 && ids.size() < 10) {
    std::uint8_t capability[2] = {};
    bus.config_read(at, capability, 2);
    ids.push_back(capability[0]);
    at = capability[1];
  }
  return ids;
}

TEST_F(BusTest, CapabilitiesAreAListThatEnds) {
  with_device([&](Bus& bus) {
    EXPECT_EQ(capabilities_of(bus), (std::vector<std::uint8_t>{1, 5, 16}));
    std::uint16_t control = 0;
    bus.config_read(0x52, &control, 2);
    EXPECT_EQ(control, 0x0080) << "one message, not granted";
  });
}

TEST_F(BusTest, CapabilityOfMessagesSaysHowManyAreGranted) {
  gpu.table.messages = 8;
  with_device([&](Bus& bus) {
    std::uint16_t control = 0;
    bus.config_read(0x52, &control, 2);
    EXPECT_EQ(control, 0x00b7) << "enabled, 8 of 8";
  });
}

TEST_F(BusTest, WhereATableOfMessagesLiesIsTheDevicesToSay) {
  gpu.table.messages = 8;
  gpu.table.message_table = 1;
  with_device([&](Bus& bus) {
    EXPECT_EQ(capabilities_of(bus), (std::vector<std::uint8_t>{1, 16}));
  });
}

TEST_F(BusTest, WhatTheDeviceReadsLiesOverTheHeader) {
  gpu.table.config_read = [](void*, std::uint32_t offset, void* buffer, std::uint32_t bytes) {
    if (offset > 8 || offset + bytes <= 8) return 0u;
    static_cast<std::uint8_t*>(buffer)[8 - offset] = 0x42;  // RevisionID, and nothing else
    return 1u;
  };
  with_device([&](Bus& bus) {
    std::array<std::uint8_t, 12> bytes{};
    bus.config_read(0, bytes.data(), bytes.size());
    EXPECT_EQ(bytes[8], 0x42);
    EXPECT_EQ(bytes[0], 0x34);
    EXPECT_EQ(bytes[11], 0x03);
  });
}

TEST_F(BusTest, ScrambleHasANewSeedEachTime) {
  gpu.table.scramble = [](void*, std::uint32_t node, std::uint32_t seed) {
    g_accesses.insert(g_accesses.end(), {node, seed});
  };
  with_device([&](Bus& bus) {
    bus.scramble({.node = NodeId{1}});
    bus.scramble({});
  });
  EXPECT_EQ(g_accesses, (std::vector<std::uint64_t>{1, 1, 0, 2}));
}

TEST_F(BusTest, ADeviceThatForgetsIsToldOfItsPower) {
  gpu.table.power = [](void*, std::uint32_t state) { g_accesses.push_back(state); };
  with_device([&](Bus& bus) {
    bus.plug_in();
    EXPECT_EQ(bus.power(false), 2u);
    EXPECT_EQ(bus.power(true), 0u);
  });
  EXPECT_EQ(g_accesses, (std::vector<std::uint64_t>{3, 3, 0, 0}));
}

TEST_F(BusTest, OneThatKeepsItsRegistersForgetsNothing) {
  with_device([&](Bus& bus) { EXPECT_EQ(bus.power(false), 0u); });
}

TEST_F(BusTest, WithoutADeviceNothingAnswers) {
  on_machine([&](World& world) {
    Bus& bus = world.bus;
    EXPECT_FALSE(bus.present());
    EXPECT_EQ(bus.advance(5), 0u);
    EXPECT_FALSE(bus.has_scramble());
    std::uint32_t word = 0;
    EXPECT_EQ(bus.config_read(0, &word, 4), 4u);
    EXPECT_EQ(word, ~0u);
    EXPECT_EQ(bus.config_write(0, &word, 4), 0u);
    EXPECT_EQ(bus.memory_at(0x1000, 4), nullptr);
  });
}

TEST_F(BusTest, DevicesOfALinkReachEachOthersMemory) {
  with_device([&](Bus& bus) {
    bus.plug_in();
    ASSERT_EQ(bus.devices(), 2u);
    const Bus::BarPlace& first = bus.bars()[0];
    const Bus::BarPlace& second = bus.of(1).bars()[0];
    EXPECT_NE(first.bus_address, second.bus_address);
    EXPECT_EQ(bus.memory_at(second.bus_address, 4), second.bytes) << "the first speaks for all";
    const std::uint32_t word = 0x11223344;
    EXPECT_EQ(gpu.host->dma_write(gpu.host->host, first.bus_address + 8, &word, 4), 0);
    std::uint32_t read = 0;
    EXPECT_EQ(gpu.host->dma_read(gpu.host->host, first.bus_address + 8, &read, 4), 0);
    EXPECT_EQ(read, word);
    EXPECT_EQ(std::memcmp(first.bytes + 8, &word, 4), 0);
  });
  EXPECT_EQ(findings(), 0u);
}

}  // namespace
}  // namespace wddm::host
