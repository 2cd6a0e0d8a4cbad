#include "conformance/host/memory/tests/arena_test_support.h"

namespace wddm::memory {
namespace {

using Bar = MemoryTest;

TEST_F(Bar, MemoryIsReachableByBusAddress) {
  const BarMemory bar = bar_memory_allocate(1 << 20);
  bool registers = true;
  auto* mapped = static_cast<std::uint8_t*>(bus_map(bar.bus_address + 4096, 8192, &registers));
  ASSERT_NE(mapped, nullptr);
  EXPECT_FALSE(registers);
  mapped[1] = 5;
  EXPECT_EQ(bar.bytes[4097], 5);
  std::uint64_t physical = 0;
  ASSERT_TRUE(physical_of(mapped + 1, &physical));
  EXPECT_EQ(physical, bar.bus_address + 4097);
  EXPECT_EQ(frame_owner(physical >> 12), FrameOwner::Bar);
}

TEST_F(Bar, MemoryIsNaturallyAligned) {
  (void)bar_memory_allocate(1 << 20);
  const BarMemory bar = bar_memory_allocate(256 << 20);
  EXPECT_EQ(bar.bus_address % (256 << 20), 0u);
}

TEST_F(Bar, MemoryIsZeroAfterReset) {
  std::uint8_t* bytes = bar_memory_allocate(1 << 20).bytes;
  bytes[99999] = 1;
  reset();
  const BarMemory again = bar_memory_allocate(1 << 20);
  ASSERT_EQ(again.bytes, bytes);
  EXPECT_EQ(bytes[99999], 0);
}

TEST_F(Bar, UnusedMemoryIsPutRightWhereItWasWritten) {
  for (const GivenBack mode : {GivenBack::Closed, GivenBack::Open}) {
    map(mode);
    const BarMemory bar = bar_memory_allocate(1 << 20, BarContent::Unused);
    EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(bar.bytes + 5 * 4096), kUnusedWord);
    bar.bytes[5 * 4096] = 1;
    note_written((bar.bus_address >> 12) + 5);
    reset();
    const BarMemory again = bar_memory_allocate(1 << 20, BarContent::Unused);
    EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(again.bytes + 5 * 4096), kUnusedWord);
  }
}

TEST_F(Bar, ZeroedMemoryIsZeroAfterUnusedMemory) {
  map(GivenBack::Open);
  static_cast<void>(bar_memory_allocate(1 << 20, BarContent::Unused));
  reset();
  EXPECT_EQ(bar_memory_allocate(1 << 19).bytes[0], 0);
  reset();
  EXPECT_EQ(bar_memory_allocate(1 << 20).bytes[1 << 19], 0);
}

TEST_F(Bar, MemoryThatMovesLeavesNothingAtItsOldPlace) {
  BarMemory bar = bar_memory_allocate(1 << 20, BarContent::Unused);
  const BarMemory old = bar;
  bar.bytes[5] = 1;
  ASSERT_TRUE(bar_memory_move(bar, BarContent::Unused));
  EXPECT_NE(bar.bus_address, old.bus_address);
  EXPECT_EQ(bar.size, old.size);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(bar.bytes), kUnusedWord);
  EXPECT_EQ(*reinterpret_cast<std::uint32_t*>(bar.bytes + 4), kUnusedWord);
  bool registers = false;
  EXPECT_EQ(bus_map(old.bus_address, 8, &registers), nullptr);
  EXPECT_NE(bus_map(bar.bus_address, 8, &registers), nullptr);
  EXPECT_EQ(frame_owner(old.bus_address >> 12), FrameOwner::Free);
  reset();
  EXPECT_EQ(bar_memory_allocate(1 << 20).bytes[5], 0);
  EXPECT_EQ(bar_memory_allocate(1 << 20).bytes[5], 0) << "where it had moved to";
}

TEST_F(Bar, WhatFillsAllRoomCannotMove) {
  BarMemory bar = bar_memory_allocate(kBarMemoryBytes);
  const std::uint64_t place = bar.bus_address;
  EXPECT_FALSE(bar_memory_move(bar, BarContent::Zero));
  EXPECT_EQ(bar.bus_address, place);
}

TEST_F(Bar, RegistersThatMoveLeaveNothingAtTheirOldPlace) {
  std::uint64_t bus = bar_registers_allocate(65536);
  const std::uint64_t old = bus;
  ASSERT_TRUE(bar_registers_move(bus, 65536));
  EXPECT_NE(bus, old);
  bool registers = false;
  EXPECT_EQ(bus_map(old, 8, &registers), nullptr);
  EXPECT_NE(bus_map(bus, 8, &registers), nullptr);
  EXPECT_TRUE(registers);
}

TEST_F(Bar, MappingKeepsTheOffsetInThePage) {
  const BarMemory bar = bar_memory_allocate(8192);
  bool registers = false;
  auto* mapped = static_cast<std::uint8_t*>(bus_map(bar.bus_address + 100, 8, &registers));
  mapped[0] = 9;
  EXPECT_EQ(bar.bytes[100], 9);
  bus_unmap(mapped);
  EXPECT_TRUE(read_faults(mapped));
}

TEST_F(Bar, RegistersFaultThroughPlainPointers) {
  const std::uint64_t bus = bar_registers_allocate(65536);
  EXPECT_LT(bus, 1ull << 32);
  bool registers = false;
  auto* mapped = static_cast<std::uint8_t*>(bus_map(bus + 0x100, 16, &registers));
  ASSERT_NE(mapped, nullptr);
  EXPECT_TRUE(registers);
  EXPECT_TRUE(read_faults(mapped));
  std::uint64_t found = 0;
  ASSERT_TRUE(register_of(mapped + 4, &found));
  EXPECT_EQ(found, bus + 0x104);
  bus_unmap(mapped);
  EXPECT_FALSE(register_of(mapped + 4, &found));
}

TEST_F(Bar, MemoryIsNoRegister) {
  const BarMemory bar = bar_memory_allocate(8192);
  bool registers = false;
  std::uint64_t found = 0;
  EXPECT_FALSE(register_of(bus_map(bar.bus_address, 8, &registers), &found));
}

TEST_F(Bar, MappingWhatNothingAnswersToFails) {
  const std::uint64_t bus = bar_registers_allocate(4096);
  bool registers = false;
  EXPECT_EQ(bus_map(bus + 4096, 4, &registers), nullptr);
  EXPECT_EQ(bus_map(bus, 8192, &registers), nullptr);
  EXPECT_EQ(bus_map(0, 4096, &registers), nullptr);
  EXPECT_EQ(bus_map(bus, 0, &registers), nullptr);
  EXPECT_EQ(bus_map(~0ull, 4096, &registers), nullptr);
}

TEST_F(Bar, RamIsMappedByPhysicalAddress) {
  const Frame first = frames_allocate_contiguous(2, FrameOwner::Driver, ~0ull);
  bool registers = true;
  auto* mapped = static_cast<std::uint8_t*>(bus_map(first * 4096, 8192, &registers));
  mapped[5000] = 3;
  EXPECT_FALSE(registers);
  EXPECT_EQ(frame_bytes(first + 1)[904], 3);
}

}  // namespace
}  // namespace wddm::memory
