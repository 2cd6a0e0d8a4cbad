#include <string>
#include <vector>

#include "conformance/host/memory/tests/arena_test_support.h"
#include "conformance/host/nt/memory/mdl.h"
#include "conformance/host/nt/tests/memory_test_support.h"

namespace wddm::nt {
namespace {

using ReservedMappings = MemoryServices;
using memory::Frame;

constexpr ULONG kTag = 0x76736552;
constexpr ULONG kOtherTag = 0x72687450;

std::vector<Frame> frames_of(std::size_t count) {
  std::vector<Frame> frames(count);
  memory::frames_allocate(frames, memory::FrameOwner::Allocation);
  return frames;
}

std::uint8_t* reserve(SIZE_T bytes) {
  return static_cast<std::uint8_t*>(MmAllocateMappingAddress(bytes, kTag));
}

std::uint8_t* map_at(void* reserved, MDL* mdl, ULONG tag = kTag) {
  return static_cast<std::uint8_t*>(
      MmMapLockedPagesWithReservedMapping(reserved, tag, mdl, MmCached));
}

TEST_F(ReservedMappings, CannotBeTouchedUntilMapped) {
  std::uint8_t* const reserved = reserve(8192);
  ASSERT_NE(reserved, nullptr);
  EXPECT_EQ(BYTE_OFFSET(reserved), 0u);
  EXPECT_TRUE(memory::read_faults(reserved));
}

TEST_F(ReservedMappings, ShowThePagesAtTheReservedAddress) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 8192, 0);
  std::uint8_t* const reserved = reserve(8192);
  ASSERT_EQ(map_at(reserved, mdl.get()), reserved);
  reserved[4096] = 3;
  EXPECT_EQ(memory::frame_bytes(frames[1])[0], 3);
  EXPECT_NE(mdl.get()->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA, 0);
  MmUnmapReservedMapping(reserved, kTag, mdl.get());
  EXPECT_EQ(mdl.get()->MdlFlags & MDL_MAPPED_TO_SYSTEM_VA, 0);
  EXPECT_TRUE(memory::read_faults(reserved));
  MmFreeMappingAddress(reserved, kTag);
  report_memory_leaks();
  EXPECT_EQ(only_finding(), "");
}

TEST_F(ReservedMappings, HaveTheByteOffsetInTheirAddressButNotInMappedSystemVa) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 5000, 50);
  std::uint8_t* const reserved = reserve(8192);
  std::uint8_t* const view = map_at(reserved, mdl.get());
  ASSERT_EQ(view, reserved + 50);
  EXPECT_EQ(mdl.get()->MappedSystemVa, reserved);
  view[0] = 4;
  EXPECT_EQ(memory::frame_bytes(frames[0])[50], 4);
}

TEST_F(ReservedMappings, AreUnmappedByTheAddressReservedOrReturned) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 100, 50);
  std::uint8_t* const reserved = reserve(1);
  for (std::uint8_t* const base : {reserved, reserved + 50}) {
    ASSERT_EQ(map_at(reserved, mdl.get()), reserved + 50);
    MmUnmapReservedMapping(base, kTag, mdl.get());
    EXPECT_TRUE(memory::read_faults(reserved));
  }
  EXPECT_EQ(only_finding(), "");
}

TEST_F(ReservedMappings, MayBeSmallerThanWhatIsReserved) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(3 * 4096);
  ASSERT_EQ(map_at(reserved, mdl.get()), reserved);
  EXPECT_TRUE(memory::read_faults(reserved + 4096));
  EXPECT_EQ(only_finding(), "");
}

TEST_F(ReservedMappings, NeedNoMemoryButTheReservationDoes) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  fail_pool(1, true);
  EXPECT_EQ(reserve(4096), nullptr);
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority), nullptr);
  EXPECT_EQ(map_at(reserved, mdl.get()), reserved);
  EXPECT_EQ(only_finding(), "");
}

TEST_F(ReservedMappings, AreMadeWhenAddressSpaceIsExhausted) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  while (reserve(4096)) {
  }
  EXPECT_EQ(MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority), nullptr);
  EXPECT_EQ(map_at(reserved, mdl.get()), reserved);
}

TEST_F(ReservedMappings, OfNoBytesAreFound) {
  EXPECT_EQ(reserve(0), nullptr);
  EXPECT_EQ(only_finding(), "BugCheck: SYSTEM_PTE_MISUSE 0x100: no bytes are asked for");
}

TEST_F(ReservedMappings, MorePagesThanReservedAreFound) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames mdl(frames, 4096, 1);
  EXPECT_EQ(map_at(reserve(4096), mdl.get()), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL has more pages than are reserved");
}

TEST_F(ReservedMappings, MappingWithAnotherTagIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  EXPECT_EQ(map_at(reserve(4096), mdl.get(), kOtherTag), nullptr);
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x104: PoolTag is not that of the reservation");
}

TEST_F(ReservedMappings, MappingInsideOfWhatIsReservedIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  EXPECT_EQ(map_at(reserve(8192) + 4096, mdl.get()), nullptr);
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x105: not an address of MmAllocateMappingAddress, or "
            "freed already");
}

TEST_F(ReservedMappings, TwoAtOnceAreFound) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames one({&frames[0], 1}, 4096, 0);
  const MdlOverFrames two({&frames[1], 1}, 4096, 0);
  std::uint8_t* const reserved = reserve(8192);
  EXPECT_EQ(map_at(reserved, one.get()), reserved);
  EXPECT_EQ(map_at(reserved, two.get()), nullptr);
  EXPECT_EQ(only_finding(), "BugCheck: SYSTEM_PTE_MISUSE 0x107: an MDL is mapped there already");
}

TEST_F(ReservedMappings, OfAnMdlThatIsMappedAreFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  (void)MmGetSystemAddressForMdlSafe(mdl.get(), NormalPagePriority);
  EXPECT_EQ(map_at(reserve(4096), mdl.get()), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is mapped already");
}

TEST_F(ReservedMappings, OfUnlockedPagesAreFound) {
  memory::UserBuffer user(100);
  MDL* const mdl = IoAllocateMdl(user.data(), 100, FALSE, FALSE, nullptr);
  EXPECT_EQ(map_at(reserve(4096), mdl), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the pages of the MDL are not locked");
}

TEST_F(ReservedMappings, OfFramesNobodyOwnsAreFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  memory::frames_free(frames);
  EXPECT_EQ(map_at(reserve(4096), mdl.get()), nullptr);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL names frames that nobody owns");
}

TEST_F(ReservedMappings, UnmappingWhatIsNotMappedIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  MmUnmapReservedMapping(reserve(4096), kTag, mdl.get());
  EXPECT_EQ(only_finding(), "BugCheck: SYSTEM_PTE_MISUSE 0x10B: nothing is mapped there");
}

TEST_F(ReservedMappings, UnmappingAtAnotherAddressIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  (void)map_at(reserved, mdl.get());
  MmUnmapReservedMapping(reserved + 8, kTag, mdl.get());
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x109: nothing is reserved or mapped at this address");
}

TEST_F(ReservedMappings, UnmappingWithAnotherTagIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  (void)map_at(reserved, mdl.get());
  MmUnmapReservedMapping(reserved, kOtherTag, mdl.get());
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x108: PoolTag is not that of the reservation");
}

TEST_F(ReservedMappings, UnmappingAnotherMdlIsFound) {
  const std::vector<Frame> frames = frames_of(2);
  const MdlOverFrames one({&frames[0], 1}, 4096, 0);
  const MdlOverFrames two({&frames[1], 1}, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  (void)map_at(reserved, one.get());
  MmUnmapReservedMapping(reserved, kTag, two.get());
  EXPECT_EQ(only_finding(), "BadParameter: another MDL is mapped there");
  EXPECT_FALSE(memory::read_faults(reserved));
}

TEST_F(ReservedMappings, AreNotUndoneByMmUnmapLockedPages) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  MmUnmapLockedPages(map_at(reserved, mdl.get()), mdl.get());
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is not mapped at this address");
  EXPECT_FALSE(memory::read_faults(reserved));
}

TEST_F(ReservedMappings, OfPagesThatAreUnlockedAreFound) {
  memory::UserBuffer user(100);
  MDL* const mdl = IoAllocateMdl(user.data(), 100, FALSE, FALSE, nullptr);
  MmProbeAndLockPages(mdl, UserMode, IoWriteAccess);
  std::uint8_t* const view = map_at(reserve(4096), mdl);
  MmUnlockPages(mdl);
  IoFreeMdl(mdl);
  EXPECT_EQ(only_finding(), "BadParameter: the MDL is mapped at reserved addresses");
  EXPECT_TRUE(memory::read_faults(view));
}

TEST_F(ReservedMappings, OfAPartialMdlThatIsFreedAreFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames source(frames, 4096, 0);
  void* const start = MmGetMdlVirtualAddress(source.get());
  MDL* const partial = IoAllocateMdl(start, 4096, FALSE, FALSE, nullptr);
  IoBuildPartialMdl(source.get(), partial, start, 4096);
  EXPECT_NE(map_at(reserve(4096), partial), nullptr);
  IoFreeMdl(partial);
  EXPECT_EQ(only_finding(), "BadParameter: freed while it is mapped");
}

TEST_F(ReservedMappings, FreeingWhatIsMappedIsFound) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  (void)map_at(reserved, mdl.get());
  MmFreeMappingAddress(reserved, kTag);
  EXPECT_EQ(only_finding(), "BugCheck: SYSTEM_PTE_MISUSE 0x103: freed while an MDL is mapped");
  EXPECT_TRUE(memory::read_faults(reserved));
}

TEST_F(ReservedMappings, FreeingWithAnotherTagIsFound) {
  MmFreeMappingAddress(reserve(4096), kOtherTag);
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x101: PoolTag is not that of the reservation");
}

TEST_F(ReservedMappings, FreeingTwiceIsFound) {
  std::uint8_t* const reserved = reserve(4096);
  MmFreeMappingAddress(reserved, kTag);
  MmFreeMappingAddress(reserved, kTag);
  EXPECT_EQ(only_finding(),
            "BugCheck: SYSTEM_PTE_MISUSE 0x102: not an address of MmAllocateMappingAddress, or "
            "freed already");
}

TEST_F(ReservedMappings, NeverFreedAreReported) {
  (void)reserve(4096);
  (void)reserve(8192);
  report_memory_leaks();
  EXPECT_EQ(only_finding().substr(0, 50), "ObjectLeak: 2 reserved mapping address ranges left");
}

TEST_F(ReservedMappings, AreForAnyLevelUpToDispatchOnceReserved) {
  const std::vector<Frame> frames = frames_of(1);
  const MdlOverFrames mdl(frames, 4096, 0);
  std::uint8_t* const reserved = reserve(4096);
  const AtIrql dispatch(kDispatch);
  (void)map_at(reserved, mdl.get());
  MmUnmapReservedMapping(reserved, kTag, mdl.get());
  EXPECT_EQ(only_finding(), "");
  MmFreeMappingAddress(reserved, kTag);
  EXPECT_EQ(only_finding(), "IrqlTooHigh: called at IRQL 2, allowed are 0 to 1");
}

}  // namespace
}  // namespace wddm::nt
