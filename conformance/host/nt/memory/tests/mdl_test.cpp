#include "conformance/host/nt/memory/mdl.h"

#include <array>
#include <cstring>
#include <vector>

#include "conformance/host/memory/tests/arena_test_support.h"
#include "conformance/host/nt/tests/memory_test_support.h"
#include "conformance/sdk/ddi/nt/pool.h"

namespace wddm::nt {
namespace {

using Mdls = MemoryServices;
using memory::Frame;

constexpr ULONG kMdlTag = 0x74736554;
constexpr PHYSICAL_ADDRESS kZero{};

PHYSICAL_ADDRESS up_to(LONGLONG highest) {
  PHYSICAL_ADDRESS address{};
  address.QuadPart = highest;
  return address;
}

std::uint8_t* pool(SIZE_T bytes) {
  return static_cast<std::uint8_t*>(ExAllocatePoolWithTag(NonPagedPoolNx, bytes, kMdlTag));
}

MDL* mdl_of(void* start, ULONG bytes) {
  return IoAllocateMdl(start, bytes, FALSE, FALSE, nullptr);
}

std::vector<Frame> frames_of(std::size_t count) {
  std::vector<Frame> frames(count);
  memory::frames_allocate(frames, memory::FrameOwner::Allocation);
  return frames;
}

TEST_F(Mdls, DescribesItsRange) {
  std::uint8_t* block = pool(10000);
  MDL* mdl = mdl_of(block + 100, 5000);
  EXPECT_EQ(MmGetMdlVirtualAddress(mdl), block + 100);
  EXPECT_EQ(MmGetMdlByteCount(mdl), 5000u);
  EXPECT_EQ(MmGetMdlByteOffset(mdl), 100u);
  EXPECT_EQ(mdl->Size, static_cast<CSHORT>(sizeof(MDL) + 2 * sizeof(PFN_NUMBER)));
}

TEST_F(Mdls, OfNonPagedPoolHasItsFramesAndAddress) {
  std::uint8_t* block = pool(8192);
  MDL* mdl = mdl_of(block, 8192);
  MmBuildMdlForNonPagedPool(mdl);
  for (int page = 0; page < 2; ++page)
    EXPECT_EQ(static_cast<LONGLONG>(MmGetMdlPfnArray(mdl)[page] << 12),
              MmGetPhysicalAddress(block + 4096 * page).QuadPart);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), block);
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, OfPagedPoolMustNotBeBuiltAsNonPaged) {
  void* block = ExAllocatePoolWithTag(PagedPool, 100, kMdlTag);
  MmBuildMdlForNonPagedPool(mdl_of(block, 100));
  EXPECT_EQ(only_finding(), "BadParameter: the memory is paged pool");
}

TEST_F(Mdls, LockedUserBufferIsMappedWithItsContents) {
  memory::UserBuffer user(6000);
  user.data()[5999] = 17;
  MDL* mdl = mdl_of(user.data(), 6000);
  MmProbeAndLockPages(mdl, UserMode, IoWriteAccess);
  auto* view = static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority));
  ASSERT_NE(view, nullptr);
  EXPECT_NE(view, user.data());
  EXPECT_EQ(view[5999], 17);
  view[0] = 18;
  EXPECT_EQ(user.data()[0], 18);
  MmUnmapLockedPages(view, mdl);
  MmUnlockPages(mdl);
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, SecondMappingIsTheSameAddress) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 8192, 0);
  void* view = MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority), view);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, MappingTwiceIsFound) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 8192, 0);
  void* view = MmMapLockedPages(mdl.get(), KernelMode);
  EXPECT_EQ(MmMapLockedPages(mdl.get(), KernelMode), view);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is mapped already");
}

TEST_F(Mdls, MappingUnlockedPagesIsFound) {
  MDL* mdl = mdl_of(pool(100), 100);
  EXPECT_EQ(MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, nullptr, FALSE, 0), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the pages of the MDL are not locked");
}

TEST_F(Mdls, MappingOfFramesNobodyOwnsIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  memory::frames_free(frames);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL names frames that nobody owns");
}

TEST_F(Mdls, OverFramesShowsThemInOrderAtItsOffset) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 5000, 50);
  auto* view =
      static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority));
  view[0] = 1;
  view[4999] = 2;
  EXPECT_EQ(memory::frame_bytes(frames[0])[50], 1);
  EXPECT_EQ(memory::frame_bytes(frames[1])[5049 - 4096], 2);
}

TEST_F(Mdls, ReadOnlyMappingCannotBeWritten) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  void* view = MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority | MdlMappingNoWrite);
  EXPECT_TRUE(memory::write_faults(view));
}

TEST_F(Mdls, UnlockingUnmaps) {
  memory::UserBuffer user(100);
  MDL* mdl = mdl_of(user.data(), 100);
  MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
  void* view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
  MmUnlockPages(mdl);
  EXPECT_TRUE(memory::read_faults(view));
  EXPECT_EQ(mdl->MdlFlags & (MDL_PAGES_LOCKED | MDL_MAPPED_TO_SYSTEM_VA), 0);
}

TEST_F(Mdls, UnlockingTwiceIsFound) {
  memory::UserBuffer user(100);
  MDL* mdl = mdl_of(user.data(), 100);
  MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
  MmUnlockPages(mdl);
  MmUnlockPages(mdl);
  EXPECT_EQ(only_finding(), "BadParameter: the pages of the MDL are not locked");
}

TEST_F(Mdls, FreeingWithLockedPagesIsFound) {
  memory::UserBuffer user(100);
  MDL* mdl = mdl_of(user.data(), 100);
  MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "BadParameter: freed with its pages locked");
}

TEST_F(Mdls, FreeingTwiceIsFound) {
  MDL* mdl = mdl_of(pool(10), 10);
  IoFreeMdl(mdl);
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "BadParameter: not an MDL of IoAllocateMdl, or freed already");
}

TEST_F(Mdls, UnmappingAtAnotherAddressIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  auto* view =
      static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority));
  MmUnmapLockedPages(view + 8, mdl.get());
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is not mapped at this address");
}

TEST_F(Mdls, WritingBehindThePfnArrayIsFound) {
  MDL* mdl = mdl_of(pool(10), 10);
  MmGetMdlPfnArray(mdl)[1] = 0;
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding().substr(0, 11), "PoolOverrun");
}

TEST_F(Mdls, PartialShowsPartOfTheSource) {
  const std::vector<Frame> frames = frames_of(3);
  const MdlOverFrames source(frames, 3 * 4096, 0);
  auto* start = static_cast<std::uint8_t*>(MmGetMdlVirtualAddress(source.get()));
  MDL* partial = mdl_of(start + 4096 + 8, 4096);
  IoBuildPartialMdl(source.get(), partial, start + 4096 + 8, 4096);
  EXPECT_EQ(MmGetMdlPfnArray(partial)[0], frames[1]);
  EXPECT_EQ(MmGetMdlPfnArray(partial)[1], frames[2]);
  memory::frame_bytes_to_write(frames[1])[8] = 5;
  EXPECT_EQ(*static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(partial, 0)), 5);
  IoFreeMdl(partial);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, PartialOutsideOfTheSourceIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames source(frames, 4096, 0);
  auto* start = static_cast<std::uint8_t*>(MmGetMdlVirtualAddress(source.get()));
  IoBuildPartialMdl(source.get(), mdl_of(start, 8192), start, 8192);
  EXPECT_EQ(only_finding(), "BadParameter: the length exceeds the source or target MDL");
}

TEST_F(Mdls, PagesAreScatteredZeroedAndGivenBack) {
  MDL* mdl = MmAllocatePagesForMdl(kZero, up_to(-1), kZero, 3 * 4096);
  ASSERT_NE(mdl, nullptr);
  EXPECT_EQ(MmGetMdlByteCount(mdl), 3 * 4096u);
  const PFN_NUMBER frame = MmGetMdlPfnArray(mdl)[1];
  EXPECT_NE(frame, MmGetMdlPfnArray(mdl)[0] + 1);
  EXPECT_EQ(memory::frame_bytes(frame)[77], 0);
  auto* view = static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority));
  view[4096 + 77] = 9;
  EXPECT_EQ(memory::frame_bytes(frame)[77], 9);
  MmUnmapLockedPages(view, mdl);
  MmFreePagesFromMdl(mdl);
  ExFreePool(mdl);
  EXPECT_EQ(memory::frame_owner(frame), memory::FrameOwner::Free);
  report_memory_leaks();
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, PagesKeepTheirLimit) {
  MDL* mdl = MmAllocatePagesForMdlEx(kZero, up_to(0xffffffff), kZero, 5 * 4096, MmCached, 0);
  ASSERT_NE(mdl, nullptr);
  for (int i = 0; i < 5; ++i) EXPECT_LT(MmGetMdlPfnArray(mdl)[i], 1u << 20);
}

TEST_F(Mdls, ContiguousPagesAreAdjacent) {
  MDL* mdl = MmAllocatePagesForMdlEx(kZero, up_to(-1), kZero, 3 * 4096, MmCached,
                                     MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS);
  EXPECT_EQ(MmGetMdlPfnArray(mdl)[2], MmGetMdlPfnArray(mdl)[0] + 2);
}

TEST_F(Mdls, AllOrNothingFailsWhenMemoryIsShort) {
  EXPECT_EQ(MmAllocatePagesForMdlEx(kZero, up_to(-1), kZero, 1ull << 33, MmCached,
                                    MM_ALLOCATE_FULLY_REQUIRED),
            nullptr);
}

TEST_F(Mdls, AllocationFailsWhenAsked) {
  fail_pool(1, false);
  EXPECT_EQ(mdl_of(nullptr, 10), nullptr);
  EXPECT_NE(mdl_of(nullptr, 10), nullptr);
}

TEST_F(Mdls, CopyOfAnMdlMapsNothing) {
  MDL* mdl = mdl_of(pool(8192), 8192);
  MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
  void* view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
  alignas(MDL) std::array<std::uint8_t, 256> copy;
  std::memcpy(copy.data(), mdl, static_cast<std::size_t>(mdl->Size));
  MmUnmapLockedPages(view, mdl);
  MmUnmapLockedPages(view, reinterpret_cast<MDL*>(copy.data()));
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is not mapped at this address");
}

TEST_F(Mdls, WhatADriverWritesToAnMdlUnmapsNothing) {
  MDL* mdl = mdl_of(pool(8192), 8192);
  MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
  void* view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
  mdl->MappedSystemVa = mdl;
  mdl->ByteOffset = 77;
  MmUnlockPages(mdl);
  EXPECT_TRUE(memory::read_faults(view));
  mdl->MdlFlags = MDL_MAPPED_TO_SYSTEM_VA;
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, PartialMdlIsPreparedForReuse) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames source(frames, 8192, 0);
  auto* start = static_cast<std::uint8_t*>(MmGetMdlVirtualAddress(source.get()));
  MDL* partial = mdl_of(start, 8192);
  IoBuildPartialMdl(source.get(), partial, start, 4096);
  void* view = MmGetSystemAddressForMdlSafe(partial, NormalPagePriority);
  MmPrepareMdlForReuse(partial);
  MmPrepareMdlForReuse(partial);
  EXPECT_TRUE(memory::read_faults(view));
  IoBuildPartialMdl(source.get(), partial, start + 4096, 4096);
  auto* second =
      static_cast<std::uint8_t*>(MmGetSystemAddressForMdlSafe(partial, NormalPagePriority));
  second[0] = 5;
  EXPECT_EQ(memory::frame_bytes(frames[1])[0], 5);
  IoFreeMdl(partial);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(Mdls, OfTheHostIsNotTheDriversToFree) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  ExFreePool(mdl.get());
  EXPECT_EQ(only_finding(),
            "PoolBadPointer: block 1, tag 'Mdl ', 56 bytes: not a block that the driver allocated");
}

TEST_F(Mdls, OfTheHostAreMadeWhenTheDriverHasTakenThePool) {
  for (SIZE_T bytes = 1 << 26; bytes >= 16; bytes /= 2)
    while (pool(bytes) != nullptr) {
    }
  const std::vector<Frame> frames = frames_of(600);
  const MdlOverFrames mdl(frames, 600 * 4096, 0);
  EXPECT_NE(mdl.get(), nullptr);
  EXPECT_EQ(mdl_of(nullptr, 600 * 4096), nullptr);
}

TEST_F(Mdls, LeaksAreReported) {
  memory::UserBuffer user(100);
  MDL* mdl = mdl_of(user.data(), 100);
  MmProbeAndLockPages(mdl, UserMode, IoReadAccess);
  (void)MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
  report_memory_leaks();
  ASSERT_EQ(findings(), 2u);
  EXPECT_EQ(observer_.findings[0].detail, "1 allocated MDL left");
  EXPECT_EQ(observer_.findings[1].detail, "1 mapped MDL left");
}

TEST_F(Mdls, ServicesAboveDispatchAreFound) {
  const AtIrql dirql(kDirql);
  (void)mdl_of(nullptr, 10);
  EXPECT_EQ(only_finding(), "IrqlTooHigh: called at IRQL 5, allowed are 0 to 2");
}

}  // namespace
}  // namespace wddm::nt
