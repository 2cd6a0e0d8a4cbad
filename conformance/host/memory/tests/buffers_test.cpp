#include <array>
#include <cstring>
#include <utility>

#include "conformance/host/memory/in_order.h"
#include "conformance/host/memory/tests/arena_test_support.h"

namespace wddm::memory {
namespace {

using Guarded = MemoryTest;
using User = MemoryTest;

TEST_F(Guarded, EndLiesAgainstAnInaccessiblePage) {
  const GuardedBuffer buffer(160, false, FrameOwner::Dummy);
  EXPECT_FALSE(write_faults(buffer.data() + 159));
  EXPECT_TRUE(write_faults(buffer.data() + 160));
}

TEST_F(Guarded, IsAlignedToSixteen) {
  const GuardedBuffer buffer(33, false, FrameOwner::Dummy);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(buffer.data()) % 16, 0u);
}

TEST_F(Guarded, UntouchedCanaryIsWhole) {
  const GuardedBuffer buffer(33, false, FrameOwner::Dummy);
  std::memset(buffer.data(), 0, 33);
  EXPECT_EQ(buffer.damaged(nullptr), 0u);
}

TEST_F(Guarded, FindsBytesWrittenBehindAnOddSize) {
  const GuardedBuffer buffer(33, false, FrameOwner::Dummy);
  buffer.data()[33] = 0;
  std::int64_t first = 0;
  EXPECT_EQ(buffer.damaged(&first), 1u);
  EXPECT_EQ(first, 33);
}

TEST_F(Guarded, FindsBytesWrittenBefore) {
  const GuardedBuffer buffer(33, false, FrameOwner::Dummy);
  std::memset(buffer.data() - 4, 0, 4);
  std::int64_t first = 0;
  EXPECT_EQ(buffer.damaged(&first), 4u);
  EXPECT_EQ(first, -4);
}

TEST_F(Guarded, PhysicalOneStartsOnAPageAndIsReachable) {
  const GuardedBuffer buffer(5000, true, FrameOwner::DmaBuffer);
  EXPECT_EQ(buffer.physical_address() % 4096, 0u);
  const std::uint32_t value = 0x12345678;
  ASSERT_TRUE(physical_write(buffer.physical_address() + 4094, &value, 4));
  EXPECT_EQ(std::memcmp(buffer.data() + 4094, &value, 4), 0);
  EXPECT_EQ(frame_owner(buffer.physical_address() >> 12), FrameOwner::DmaBuffer);
  EXPECT_TRUE(read_faults(buffer.data() + 8192));
}

TEST_F(Guarded, ScatteredOneIsAdjacentForTheCpuAlone) {
  std::vector<Frame> frames;
  {
    const GuardedBuffer buffer = GuardedBuffer::scattered(3 * 4096 - 8, FrameOwner::DmaBuffer);
    frames = buffer.frames();
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(buffer.physical_address(), frames[0] << 12);
    EXPECT_NE(frames[1], frames[0] + 1);
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(buffer.data()) % 4096, 0u);
    const std::uint32_t value = 0x12345678;
    ASSERT_TRUE(physical_write((frames[1] << 12) + 8, &value, 4));
    EXPECT_EQ(std::memcmp(buffer.data() + 4096 + 8, &value, 4), 0);
    EXPECT_TRUE(write_faults(buffer.data() + 3 * 4096));
    buffer.data()[3 * 4096 - 8] = 0;
    EXPECT_EQ(buffer.damaged(nullptr), 1u);
  }
  for (const Frame frame : frames) EXPECT_EQ(frame_owner(frame), FrameOwner::Free);
}

TEST_F(Guarded, SealedOneIsInaccessibleUntilItIsOpened) {
  GuardedBuffer buffer = GuardedBuffer::sealed(100, FrameOwner::PagingBuffer);
  EXPECT_TRUE(write_faults(buffer.data()));

  buffer.open();

  buffer.data()[99] = 1;
  EXPECT_EQ(buffer.damaged(nullptr), 0u);
  buffer.data()[100] = 1;
  EXPECT_EQ(buffer.damaged(nullptr), 1u);
}

TEST_F(Guarded, ScatteredOneThatIsLargeIsAdjacent) {
  const GuardedBuffer buffer = GuardedBuffer::scattered(64 * 4096, FrameOwner::DmaBuffer);
  const std::vector<Frame> frames = buffer.frames();
  ASSERT_EQ(frames.size(), 64u);
  for (std::size_t i = 1; i < frames.size(); ++i) EXPECT_EQ(frames[i], frames[0] + i);
}

TEST_F(Guarded, GivesItsFramesBack) {
  std::uint64_t physical = 0;
  std::uint8_t* data = nullptr;
  {
    GuardedBuffer buffer(100, true, FrameOwner::DmaBuffer);
    GuardedBuffer moved(std::move(buffer));
    physical = moved.physical_address();
    data = moved.data();
  }
  EXPECT_EQ(frame_owner(physical >> 12), FrameOwner::Free);
  EXPECT_TRUE(read_faults(data));
}

TEST_F(Guarded, BufferOfAnySizeIsGuardedAndGivenBack) {
  for (std::uint64_t bytes : {0ull, 1ull, 4096ull, 4097ull, 3ull << 12, 1ull << 20, 5ull << 20}) {
    const std::uint8_t* data = nullptr;
    {
      const GuardedBuffer buffer(bytes, true, FrameOwner::DmaBuffer);
      data = buffer.data();
      const std::uint64_t end = std::max<std::uint64_t>(1, (bytes + 4095) / 4096) * 4096;
      EXPECT_FALSE(write_faults(buffer.data() + end - 1)) << bytes;
      EXPECT_TRUE(write_faults(buffer.data() + end)) << bytes;
      std::uint64_t last = 0;
      ASSERT_TRUE(physical_of(buffer.data() + end - 1, &last));
      EXPECT_EQ(last, buffer.physical_address() + end - 1) << bytes;
    }
    EXPECT_TRUE(read_faults(data)) << bytes;
  }
}

TEST_F(Guarded, ManyAtOnceAreApart) {
  std::vector<GuardedBuffer> buffers;
  for (int i = 0; i < 20; ++i) buffers.emplace_back(300 * 4096, true, FrameOwner::DmaBuffer);
  for (int i = 0; i < 200; ++i) buffers.emplace_back(200 * 4096, true, FrameOwner::DmaBuffer);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    std::memset(buffers[i].data(), static_cast<int>(i), 4096);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    EXPECT_EQ(buffers[i].data()[4095], static_cast<std::uint8_t>(i));
}

TEST_F(Guarded, AddressesDoNotDependOnWhatWasBeforeReset) {
  const std::uint8_t* first = GuardedBuffer(100, false, FrameOwner::Dummy).data();
  for (int i = 0; i < 50; ++i) GuardedBuffer(100, false, FrameOwner::Dummy);
  reset();
  EXPECT_EQ(GuardedBuffer(100, false, FrameOwner::Dummy).data(), first);
}

TEST_F(Guarded, FreedPlaceRestsBeforeReuse) {
  const std::uint8_t* first = GuardedBuffer(100, false, FrameOwner::Dummy).data();
  for (int i = 0; i < 10; ++i)
    EXPECT_NE(GuardedBuffer(100, false, FrameOwner::Dummy).data(), first);
}

TEST_F(Guarded, MayOutliveReset) {
  GuardedBuffer buffer(100, false, FrameOwner::DmaBuffer);
  UserBuffer user(100);
  reset();
  const GuardedBuffer successor(100, false, FrameOwner::Dummy);
  buffer = GuardedBuffer();
  user = UserBuffer();
  EXPECT_FALSE(read_faults(successor.data()));
}

struct LeftOpen : MemoryTest {
  LeftOpen() { map(GivenBack::Open, 2); }
};

TEST_F(LeftOpen, BuffersStayAccessibleButForTheOneThatIsNamed) {
  std::uint8_t* data[3];
  for (std::uint8_t*& one : data) one = GuardedBuffer(100, false, FrameOwner::Dummy).data();
  EXPECT_FALSE(read_faults(data[0]));
  EXPECT_TRUE(read_faults(data[1]));
  EXPECT_FALSE(read_faults(data[2]));
}

TEST_F(LeftOpen, EveryBufferStillEndsAgainstAnInaccessiblePage) {
  for (int run = 0; run < 3; ++run) {
    for (const std::uint64_t bytes : {100ull, 5000ull, 100ull, 9000ull, 100ull}) {
      const GuardedBuffer guarded(bytes, false, FrameOwner::Dummy);
      const UserBuffer user(bytes + static_cast<std::uint64_t>(run) * 4096);
      EXPECT_FALSE(write_faults(guarded.data() + bytes - 1));
      EXPECT_TRUE(write_faults(guarded.data() + (bytes + 15) / 16 * 16));
      EXPECT_FALSE(write_faults(user.data() + user.size() - 1));
      EXPECT_TRUE(write_faults(user.data() + user.size()));
    }
    reset();
  }
}

TEST_F(LeftOpen, RevokedBytesOfAnEarlierBufferAreThereAgain) {
  UserBuffer(100).revoke_after(50);
  reset();
  const UserBuffer again(100);
  EXPECT_FALSE(write_faults(again.data() + 99));
}

TEST_F(LeftOpen, EverythingIsClosedWhereItIsNoLongerKept) {
  const std::uint8_t* guarded = GuardedBuffer(100, false, FrameOwner::Dummy).data();
  map();
  EXPECT_TRUE(read_faults(guarded));
}

TEST_F(User, EndsAgainstAnInaccessiblePage) {
  const UserBuffer buffer(100);
  EXPECT_FALSE(write_faults(buffer.data() + 99));
  EXPECT_TRUE(write_faults(buffer.data() + 100));
}

TEST_F(User, LiesInTheUserRegion) {
  const UserBuffer buffer(5000);
  EXPECT_GE(reinterpret_cast<std::uint64_t>(buffer.data()), kUserBase);
  EXPECT_LT(reinterpret_cast<std::uint64_t>(buffer.data()), kUserBase + kUserSize);
}

TEST_F(User, RevokedPartFaultsAtEveryCut) {
  UserBuffer buffer(6000);
  for (int i = 0; i < 6000; ++i) buffer.data()[i] = static_cast<std::uint8_t>(i);
  for (std::uint64_t cut : {0ull, 1ull, 4095ull, 4096ull, 4097ull, 5999ull, 6000ull}) {
    const std::uint8_t* data = buffer.revoke_after(cut);
    ASSERT_EQ(data, buffer.data());
    EXPECT_TRUE(read_faults(data + cut)) << cut;
    if (cut > 0) {
      EXPECT_EQ(data[cut - 1], static_cast<std::uint8_t>(cut - 1));
      EXPECT_EQ(data[0], 0);
    }
  }
}

TEST_F(User, WhatIsToBeRevokedCanBeTouchedUntilThen) {
  UserBuffer buffer(6000);
  const std::uint8_t* const data = buffer.ready_to_revoke(100);
  EXPECT_FALSE(write_faults(buffer.data() + 5999));
  EXPECT_EQ(user_accessible(data), 100u + 8192u);

  buffer.revoke();
  EXPECT_EQ(data, buffer.data());
  EXPECT_FALSE(read_faults(data + 99));
  EXPECT_TRUE(read_faults(data + 100));
  EXPECT_TRUE(buffer.take_revoked_access());
}

TEST_F(User, AnAccessToTheRevokedPartIsKnownOnce) {
  UserBuffer buffer(100);
  const UserBuffer other(100);
  const std::uint8_t* const data = buffer.revoke_after(40);
  EXPECT_FALSE(buffer.take_revoked_access());
  EXPECT_TRUE(read_faults(data + 60));
  EXPECT_FALSE(other.take_revoked_access());
  EXPECT_TRUE(buffer.take_revoked_access());
  EXPECT_FALSE(buffer.take_revoked_access());
}

TEST_F(User, AnAccessBehindTheBufferIsNotToTheRevokedPart) {
  UserBuffer buffer(100);
  const std::uint8_t* const data = buffer.revoke_after(40);
  EXPECT_TRUE(read_faults(data + 100));
  EXPECT_FALSE(buffer.take_revoked_access());
}

TEST_F(User, AccessiblePartIsKnown) {
  UserBuffer buffer(6000);
  EXPECT_EQ(user_accessible(buffer.data()), 6000u);
  EXPECT_EQ(user_accessible(buffer.data() + 6000), 0u);
  buffer.revoke_after(100);
  EXPECT_EQ(user_accessible(buffer.data() + 10), 90u);
  EXPECT_EQ(user_accessible(buffer.data() + 100), 0u);
  EXPECT_EQ(user_accessible(&buffer), 0u);
}

TEST_F(User, FaultsOnceDestroyed) {
  std::uint8_t* data = nullptr;
  {
    const UserBuffer buffer(100);
    data = buffer.data();
  }
  EXPECT_TRUE(read_faults(data));
}

std::uint32_t load(const std::uint8_t* from) {
  return *reinterpret_cast<const volatile std::uint32_t*>(from);
}

constexpr std::array<std::uint8_t, 4> kEvil{0xef, 0xbe, 0xad, 0xde};

TEST_F(User, ChangesAfterTheFirstRead) {
  UserBuffer buffer(64);
  const std::uint8_t* data = buffer.change_after_first_read(8, kEvil);
  EXPECT_EQ(load(data + 8), 0u);
  EXPECT_TRUE(buffer.changed());
  EXPECT_EQ(load(data + 8), 0xdeadbeef);
}

TEST_F(User, OtherReadsDoNotSetOffTheChange) {
  UserBuffer buffer(64);
  const std::uint8_t* data = buffer.change_after_first_read(8, kEvil);
  EXPECT_EQ(load(data + 4), 0u);
  EXPECT_EQ(load(data + 12), 0u);
  EXPECT_EQ(load(data + 12), 0u);
  EXPECT_FALSE(buffer.changed());
  EXPECT_EQ(load(data + 8), 0u);
  EXPECT_TRUE(buffer.changed());
}

TEST_F(User, AnUnalignedReadAcrossTheByteSetsOffTheChange) {
  UserBuffer buffer(64);
  const std::uint8_t* data = buffer.change_after_first_read(8, kEvil);
  std::uint32_t value = 1;
  __asm__ volatile("movl (%1), %0" : "=r"(value) : "r"(data + 6) : "memory");
  EXPECT_EQ(value, 0u);
  EXPECT_TRUE(buffer.changed());
}

TEST_F(User, AWriteDoesNotSetOffTheChange) {
  UserBuffer buffer(64);
  std::uint8_t* data = buffer.change_after_first_read(8, kEvil);
  *reinterpret_cast<volatile std::uint32_t*>(data + 8) = 7;
  EXPECT_FALSE(buffer.changed());
  EXPECT_EQ(load(data + 8), 7u);
  EXPECT_TRUE(buffer.changed());
  EXPECT_EQ(load(data + 8), 0xdeadbeef);
}

// What a driver's memcpy is. The C library's own might read the first bytes twice.
TEST_F(User, MemcpyGetsTheOldBytesThenTheyChange) {
  for (std::size_t size : {4u, 7u, 8u, 64u, 100u, 200u, 3000u, 100000u}) {
    UserBuffer buffer(size);
    const std::uint8_t* data = buffer.change_after_first_read(0, kEvil);
    std::vector<std::uint8_t> first(size, 1);
    move_in_order(first.data(), data, size);
    EXPECT_EQ(load(first.data()), 0u) << size;
    EXPECT_TRUE(buffer.changed()) << size;
    move_in_order(first.data(), data, size);
    EXPECT_EQ(load(first.data()), 0xdeadbeef) << size;
  }
}

TEST_F(User, MemcpyNeverTearsAnAlignedValue) {
  for (std::size_t offset = 0; offset <= 60; offset += 4) {
    UserBuffer buffer(64);
    const std::uint8_t* data = buffer.change_after_first_read(offset, kEvil);
    std::array<std::uint8_t, 64> copy{};
    move_in_order(copy.data(), data, copy.size());
    EXPECT_EQ(load(copy.data() + offset), 0u) << offset;
    EXPECT_EQ(load(data + offset), 0xdeadbeef) << offset;
  }
}

TEST_F(User, StringInstructionsAreReadsToo) {
  UserBuffer buffer(300);
  const std::uint8_t* data = buffer.change_after_first_read(100, kEvil);
  std::array<std::uint8_t, 300> copy_of{};
  void* to = copy_of.data();
  const void* from = data;
  std::size_t count = 300;
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
  EXPECT_EQ(copy_of[100], 0);
  EXPECT_TRUE(buffer.changed());
}

TEST_F(User, ReplacementMayCrossThePage) {
  UserBuffer buffer(10000);
  std::vector<std::uint8_t> ones(4096, 1);
  const std::uint8_t* data = buffer.change_after_first_read(5000, ones);
  (void)load(data + 5000);
  EXPECT_EQ(data[4999], 0);
  EXPECT_EQ(data[5000], 1);
  EXPECT_EQ(data[9095], 1);
  EXPECT_EQ(data[9096], 0);
}

TEST_F(User, TwoArmedBuffersCopiedIntoEachOther) {
  UserBuffer from(8), to(8);
  const std::array<std::uint8_t, 1> one{1};
  std::uint8_t* source = from.change_after_first_read(0, one);
  std::uint8_t* target = to.change_after_first_read(0, one);
  __asm__ volatile("movsb" : "+D"(target), "+S"(source) : : "memory");
  EXPECT_TRUE(from.changed());
  EXPECT_FALSE(to.changed());
}

TEST_F(User, RevokingDisarmsTheChange) {
  UserBuffer buffer(64);
  buffer.change_after_first_read(8, kEvil);
  const std::uint8_t* data = buffer.revoke_after(64);
  EXPECT_EQ(load(data + 8), 0u);
  EXPECT_EQ(load(data + 8), 0u);
  EXPECT_FALSE(buffer.changed());
}

}  // namespace
}  // namespace wddm::memory
