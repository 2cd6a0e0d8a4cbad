#include <array>
#include <map>

#include "conformance/host/memory/tests/arena_test_support.h"
#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/memory.h"
#include "conformance/sdk/ddi/nt/registers.h"

namespace wddm::nt {
namespace {

using IoMemory = MemoryServices;

PHYSICAL_ADDRESS physical(std::uint64_t address) {
  PHYSICAL_ADDRESS result{};
  result.QuadPart = static_cast<LONGLONG>(address);
  return result;
}

TEST_F(IoMemory, ContiguousMemoryIsContiguousAndGuarded) {
  auto* base = static_cast<std::uint8_t*>(MmAllocateContiguousMemory(3 * 4096, physical(~0ull)));
  ASSERT_NE(base, nullptr);
  EXPECT_EQ(MmGetPhysicalAddress(base + 2 * 4096 + 5).QuadPart,
            MmGetPhysicalAddress(base).QuadPart + 2 * 4096 + 5);
  EXPECT_TRUE(memory::write_faults(base + 3 * 4096));
  MmFreeContiguousMemory(base);
  EXPECT_TRUE(memory::read_faults(base));
  report_memory_leaks();
  EXPECT_EQ(only_finding(), "");
}

TEST_F(IoMemory, ContiguousMemoryKeepsItsLimits) {
  void* base = MmAllocateContiguousMemorySpecifyCache(4096, physical(0), physical(0xffffffff),
                                                      physical(0), MmCached);
  EXPECT_LE(MmGetPhysicalAddress(base).QuadPart, 0xffffffff);
}

TEST_F(IoMemory, ContiguousMemoryHasNoNeighbours) {
  const auto frame_of = [](void* base) {
    return static_cast<std::uint64_t>(MmGetPhysicalAddress(base).QuadPart) / 4096;
  };
  const memory::Frame first = frame_of(MmAllocateContiguousMemory(2 * 4096, physical(~0ull)));
  const memory::Frame second = frame_of(MmAllocateContiguousMemory(4096, physical(~0ull)));
  EXPECT_EQ(memory::frame_owner(first + 1), memory::FrameOwner::Driver);
  EXPECT_EQ(memory::frame_owner(first + 2), memory::FrameOwner::Free);
  EXPECT_EQ(memory::frame_owner(second - 1), memory::FrameOwner::Free);
}

TEST_F(IoMemory, ContiguousMemoryCrossesNoBoundary) {
  for (int i = 0; i < 10; ++i) {
    void* base = MmAllocateContiguousMemorySpecifyCache(3 * 4096, physical(0), physical(~0ull),
                                                        physical(0x4000), MmCached);
    const auto first = static_cast<std::uint64_t>(MmGetPhysicalAddress(base).QuadPart);
    EXPECT_EQ(first / 0x4000, (first + 3 * 4096 - 1) / 0x4000);
  }
}

TEST_F(IoMemory, ContiguousMemoryThatDoesNotFitIsNull) {
  EXPECT_EQ(MmAllocateContiguousMemory(1ull << 40, physical(~0ull)), nullptr);
  EXPECT_EQ(MmAllocateContiguousMemory(4096, physical(0xfff)), nullptr);
}

TEST_F(IoMemory, ContiguousMemoryFreedTwiceIsFound) {
  void* base = MmAllocateContiguousMemory(4096, physical(~0ull));
  MmFreeContiguousMemory(base);
  MmFreeContiguousMemory(base);
  EXPECT_EQ(only_finding(), "BadParameter: not contiguous memory, or freed already");
}

TEST_F(IoMemory, ContiguousMemoryIsFreedWithItsSize) {
  const auto take = [](SIZE_T bytes) {
    return MmAllocateContiguousNodeMemory(bytes, physical(0), physical(~0ull), physical(0),
                                          PAGE_READWRITE | PAGE_WRITECOMBINE, MM_ANY_NODE_OK);
  };
  MmFreeContiguousMemorySpecifyCache(take(5000), 5000, MmWriteCombined);
  MmFreeContiguousMemorySpecifyCache(take(5000), 2 * 4096, MmWriteCombined);
  EXPECT_EQ(only_finding(), "");
  MmFreeContiguousMemorySpecifyCache(take(5000), 0, MmWriteCombined);
  EXPECT_EQ(only_finding(), "BadParameter: NumberOfBytes is not that of the allocation");
}

TEST_F(IoMemory, ContiguousMemoryIsReadAndWritten) {
  const auto take = [](ULONG protect) {
    (void)MmAllocateContiguousNodeMemory(4096, physical(0), physical(~0ull), physical(0), protect,
                                         MM_ANY_NODE_OK);
  };
  take(PAGE_READWRITE);
  take(PAGE_EXECUTE_READWRITE | PAGE_NOCACHE);
  EXPECT_EQ(only_finding(), "");
  take(PAGE_READONLY);
  EXPECT_EQ(only_finding(), "BadParameter: Protect is none of contiguous memory");
}

TEST_F(IoMemory, LeaksAreReported) {
  (void)MmAllocateContiguousMemory(4096, physical(~0ull));
  (void)MmMapIoSpace(physical(memory::bar_registers_allocate(4096)), 4096, MmNonCached);
  report_memory_leaks();
  ASSERT_EQ(findings(), 2u);
  EXPECT_TRUE(observer_.findings[0].detail.starts_with("1 contiguous block left, from "));
  EXPECT_TRUE(observer_.findings[1].detail.starts_with("1 I/O space mapping left, from "));
}

TEST_F(IoMemory, VideoMemoryIsPlainMemory) {
  const memory::BarMemory bar = memory::bar_memory_allocate(1 << 20);
  auto* base =
      static_cast<ULONG*>(MmMapIoSpace(physical(bar.bus_address), 1 << 20, MmWriteCombined));
  base[1] = 5;
  WRITE_REGISTER_ULONG(base + 2, 6);
  EXPECT_EQ(bar.bytes[4], 5);
  EXPECT_EQ(bar.bytes[8], 6);
  EXPECT_EQ(READ_REGISTER_ULONG(base + 1), 5u);
}

TEST_F(IoMemory, MappingWhereNothingAnswersIsFound) {
  EXPECT_EQ(MmMapIoSpace(physical(0x1000), 4096, MmNonCached), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: nothing answers at that physical address");
}

TEST_F(IoMemory, UnmappingWithAnotherSizeIsFound) {
  void* base = MmMapIoSpace(physical(memory::bar_registers_allocate(4096)), 4096, MmNonCached);
  MmUnmapIoSpace(base, 8);
  EXPECT_EQ(only_finding(), "BadParameter: unmapped with another size than mapped");
}

struct FakeDevice {
  std::map<std::uint64_t, std::uint64_t> registers;
  std::uint32_t last_bytes = 0;

  RegisterHook hook() {
    return {[](void* self, std::uint64_t address, std::uint32_t bytes) {
              auto& device = *static_cast<FakeDevice*>(self);
              device.last_bytes = bytes;
              return device.registers[address];
            },
            [](void* self, std::uint64_t address, std::uint32_t bytes, std::uint64_t value) {
              auto& device = *static_cast<FakeDevice*>(self);
              device.last_bytes = bytes;
              device.registers[address] = value;
            },
            this};
  }
};

TEST_F(IoMemory, RegistersReachTheDevice) {
  FakeDevice device;
  set_register_hook(device.hook());
  const std::uint64_t bus = memory::bar_registers_allocate(4096);
  auto* base = static_cast<UCHAR*>(MmMapIoSpace(physical(bus), 4096, MmNonCached));
  WRITE_REGISTER_ULONG64(reinterpret_cast<ULONG64*>(base + 8), 0x1122334455667788);
  EXPECT_EQ(device.registers[bus + 8], 0x1122334455667788u);
  EXPECT_EQ(device.last_bytes, 8u);
  device.registers[bus + 2] = 0xabcd;
  EXPECT_EQ(READ_REGISTER_USHORT(reinterpret_cast<USHORT*>(base + 2)), 0xabcd);
  EXPECT_EQ(device.last_bytes, 2u);
  set_register_hook({});
}

TEST_F(IoMemory, BufferGoesToSuccessiveRegisters) {
  FakeDevice device;
  set_register_hook(device.hook());
  const std::uint64_t bus = memory::bar_registers_allocate(4096);
  auto* base = static_cast<ULONG*>(MmMapIoSpace(physical(bus), 4096, MmNonCached));
  std::array<ULONG, 3> values{1, 2, 3};
  WRITE_REGISTER_BUFFER_ULONG(base, values.data(), 3);
  EXPECT_EQ(device.registers[bus + 8], 3u);
  std::array<ULONG, 3> got{};
  READ_REGISTER_BUFFER_ULONG(base, got.data(), 3);
  EXPECT_EQ(got, values);
  set_register_hook({});
}

TEST_F(IoMemory, BufferGoesToOnePort) {
  FakeDevice device;
  set_port_hook(device.hook());
  std::array<UCHAR, 3> values{1, 2, 3};
  WRITE_PORT_BUFFER_UCHAR(reinterpret_cast<UCHAR*>(0x3c0), values.data(), 3);
  EXPECT_EQ(device.registers.size(), 1u);
  EXPECT_EQ(READ_PORT_UCHAR(reinterpret_cast<UCHAR*>(0x3c0)), 3);
  set_port_hook({});
}

TEST_F(IoMemory, AbsentDeviceReadsAllOnesAndIsFound) {
  auto* base = static_cast<ULONG*>(
      MmMapIoSpace(physical(memory::bar_registers_allocate(4096)), 4096, MmNonCached));
  EXPECT_EQ(READ_REGISTER_ULONG(base), 0xffffffffu);
  EXPECT_EQ(only_finding(), "BadParameter: no device answers there");
}

TEST_F(IoMemory, UnalignedRegisterIsFound) {
  FakeDevice device;
  set_register_hook(device.hook());
  auto* base = static_cast<UCHAR*>(
      MmMapIoSpace(physical(memory::bar_registers_allocate(4096)), 4096, MmNonCached));
  (void)READ_REGISTER_ULONG(reinterpret_cast<ULONG*>(base + 2));
  EXPECT_EQ(only_finding(), "BadParameter: the register address is not naturally aligned");
  set_register_hook({});
}

TEST_F(IoMemory, PhysicalAddressOfNothingIsFound) {
  int local = 0;
  EXPECT_EQ(MmGetPhysicalAddress(&local).QuadPart, 0);
  EXPECT_EQ(only_finding(), "BadParameter: the address has no physical memory behind it");
}

TEST_F(IoMemory, AddressesAreValidWhereTheyCanBeRead) {
  memory::UserBuffer user(10);
  EXPECT_TRUE(MmIsAddressValid(user.data()));
  EXPECT_FALSE(MmIsAddressValid(user.data() + 10));
  EXPECT_TRUE(MmIsAddressValid(&user));
  EXPECT_FALSE(MmIsAddressValid(nullptr));
}

TEST_F(IoMemory, ProbingGoodBuffersPasses) {
  memory::UserBuffer user(5000);
  ProbeForRead(user.data(), 5000, 1);
  ProbeForWrite(user.data(), 5000, 1);
  ProbeForRead(nullptr, 0, 1);
  EXPECT_EQ(only_finding(), "");
}

}  // namespace
}  // namespace wddm::nt
