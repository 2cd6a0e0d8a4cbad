#include <algorithm>
#include <array>
#include <vector>

#include "conformance/host/memory/memory.h"
#include "conformance/host/memory/tests/arena_test_support.h"
#include "reference/types.h"

namespace wddm::memory {
namespace {

using Alias = MemoryTest;

std::array<Frame, 3> three_frames() {
  std::array<Frame, 3> frames;
  frames_allocate(frames, FrameOwner::Driver);
  return frames;
}

TEST_F(Alias, ShowsTheFramesInOrder) {
  const std::array<Frame, 3> frames = three_frames();
  const std::array<Frame, 3> turned{frames[2], frames[0], frames[1]};
  auto* alias = static_cast<std::uint8_t*>(alias_map(turned, true));
  ASSERT_NE(alias, nullptr);
  alias[0] = 1;
  alias[4096] = 2;
  alias[8192] = 3;
  EXPECT_EQ(frame_bytes(frames[2])[0], 1);
  EXPECT_EQ(frame_bytes(frames[0])[0], 2);
  EXPECT_EQ(frame_bytes(frames[1])[0], 3);
}

TEST_F(Alias, TwoOfTheSameFrameSeeEachOther) {
  const std::array<Frame, 3> frames = three_frames();
  auto* one = static_cast<std::uint8_t*>(alias_map(frames, true));
  auto* two = static_cast<std::uint8_t*>(alias_map(frames, true));
  ASSERT_NE(one, two);
  one[5000] = 42;
  EXPECT_EQ(two[5000], 42);
}

TEST_F(Alias, EndsAgainstAnInaccessiblePage) {
  auto* alias = static_cast<std::uint8_t*>(alias_map(three_frames(), true));
  EXPECT_FALSE(read_faults(alias + 3 * 4096 - 1));
  EXPECT_TRUE(read_faults(alias + 3 * 4096));
}

TEST_F(Alias, ReadOnlyCannotBeWritten) {
  auto* alias = static_cast<std::uint8_t*>(alias_map(three_frames(), false));
  EXPECT_FALSE(read_faults(alias));
  EXPECT_TRUE(write_faults(alias));
}

TEST_F(Alias, FaultsOnceUnmappedAndIsNotReusedAtOnce) {
  const std::array<Frame, 3> frames = three_frames();
  void* first = alias_map(frames, true);
  alias_unmap(first);
  void* second = alias_map(frames, true);
  EXPECT_NE(first, second);
  EXPECT_TRUE(read_faults(first));
}

TEST_F(Alias, FaultsAfterReset) {
  void* alias = alias_map(three_frames(), true);
  reset();
  EXPECT_TRUE(read_faults(alias));
}

TEST_F(Alias, KnowsItsFrames) {
  const std::array<Frame, 3> frames = three_frames();
  auto* alias = static_cast<std::uint8_t*>(alias_map(frames, true));
  std::uint64_t physical = 0;
  ASSERT_TRUE(physical_of(alias + 4096 + 17, &physical));
  EXPECT_EQ(physical, frames[1] * 4096 + 17);
  EXPECT_FALSE(physical_of(alias + 3 * 4096, &physical));
}

TEST_F(Alias, TellsHowMuchOfAMappingIsLeft) {
  auto* alias = static_cast<std::uint8_t*>(alias_map(three_frames(), true));
  std::uint64_t left = 0;
  ASSERT_TRUE(mapping_at(alias + 1, &left));
  EXPECT_EQ(left, 3 * 4096u - 1);
  EXPECT_FALSE(mapping_at(alias + 3 * 4096, &left));
}

TEST_F(Alias, SpaceRunsOutWithNull) {
  // 4096 frames need as many mappings of the kernel in the worst case; address space ends first.
  std::array<Frame, 1> frame;
  frames_allocate(frame, FrameOwner::Driver);
  const Frame first = frames_allocate_contiguous(0x20000, FrameOwner::Driver, ~0ull);
  ASSERT_NE(first, 0u);
  bool registers = false;
  int mapped = 0;
  while (bus_map(first * 4096, 0x20000 * 4096ull, &registers)) ++mapped;
  EXPECT_EQ(mapped, 31);  // 16 GiB hold 31 times 512 MiB with a guard page each
}

TEST_F(Alias, EveryKindOfMemoryHasAPhysicalAddress) {
  std::uint64_t physical = 0;
  auto* bytes = static_cast<std::uint8_t*>(arena_allocate(64, 16));
  bytes[0] = 77;
  ASSERT_TRUE(physical_of(bytes, &physical));
  std::uint8_t got = 0;
  ASSERT_TRUE(physical_read(physical, &got, 1));
  EXPECT_EQ(got, 77);
  UserBuffer user(10);
  user.data()[3] = 78;
  ASSERT_TRUE(physical_of(user.data() + 3, &physical));
  ASSERT_TRUE(physical_read(physical, &got, 1));
  EXPECT_EQ(got, 78);
  int local = 0;
  EXPECT_FALSE(physical_of(&local, &physical));
}

TEST_F(Alias, WhatADriverMayWriteToCountsAsWritten) {
  std::array<Frame, 3> frames{};
  frames_allocate(frames, FrameOwner::Allocation);
  forget_written();
  EXPECT_TRUE(written_frames().empty());
  void* const mapped = alias_map({frames.data(), 2}, true);
  forget_written();
  EXPECT_EQ(written_frames().size(), 2u);
  alias_unmap(mapped);
  forget_written();
  EXPECT_TRUE(written_frames().empty());
  EXPECT_TRUE(written_ever(frames[1]));
  EXPECT_FALSE(written_ever(frames[2]));
}

TEST_F(Alias, AMappingThatStayedOpenServesOnlyItsEqual) {
  map(GivenBack::Open);
  std::array<Frame, 2> frames{};
  frames_allocate(frames, FrameOwner::Driver);
  auto* first = static_cast<std::uint8_t*>(alias_map({frames.data(), 1}, true));
  alias_unmap(first);
  reset();
  frames_allocate(frames, FrameOwner::Driver);
  auto* second = static_cast<std::uint8_t*>(alias_map({&frames[1], 1}, true));
  ASSERT_EQ(second, first);
  second[0] = 7;
  EXPECT_EQ(frame_bytes(frames[1])[0], 7);
  EXPECT_TRUE(read_faults(second + 4096));
  alias_unmap(second);
  reset();
  frames_allocate(frames, FrameOwner::Driver);
  EXPECT_TRUE(write_faults(alias_map({&frames[1], 1}, false)));
}

class LargeAlias : public Alias {
 protected:
  static constexpr std::uint64_t kPages = 1024;
  LargeAlias() { map(GivenBack::Open); }
  ~LargeAlias() override { map(); }
  std::uint8_t* map_pages() {
    first_ = frames_allocate_contiguous(kPages, FrameOwner::Driver, ~0ull, 1, FrameContent::Zero);
    bool registers = false;
    return static_cast<std::uint8_t*>(bus_map(first_ * kPageSize, kPages * kPageSize, &registers));
  }
  bool counts_as_written(std::uint64_t page) {
    const auto written = written_frames();
    return std::find(written.begin(), written.end(), first_ + page) != written.end();
  }
  Frame first_ = 0;
};

TEST_F(LargeAlias, WhatWasNotWrittenDoesNotCount) {
  std::uint8_t* const bytes = map_pages();
  EXPECT_TRUE(written_frames().empty());
  bytes[600 * kPageSize] = 7;
  EXPECT_TRUE(counts_as_written(600));
  EXPECT_LT(written_frames().size(), kPages / 2);
  EXPECT_EQ(frame_bytes(first_ + 600)[0], 7);
}

TEST_F(LargeAlias, EachRunCountsAnew) {
  map_pages()[600 * kPageSize] = 7;
  reset();
  std::uint8_t* const bytes = map_pages();
  EXPECT_EQ(bytes[600 * kPageSize], 0);
  EXPECT_TRUE(written_frames().empty());
  bytes[3 * kPageSize] = 1;
  EXPECT_TRUE(counts_as_written(3));
  EXPECT_FALSE(counts_as_written(600));
}

TEST_F(LargeAlias, ASmallOneOfTheSamePagesIsWrittenUnseen) {
  map_pages()[0] = 7;
  reset();
  map_pages();
  const Frame frame = first_;
  auto* const small = static_cast<std::uint8_t*>(alias_map({&frame, 1}, true));
  reset();
  const auto* const again = map_pages();
  auto* const same = static_cast<std::uint8_t*>(alias_map({&frame, 1}, true));
  EXPECT_EQ(same, small);
  same[5] = 9;
  EXPECT_EQ(again[5], 9);
  EXPECT_FALSE(known_to_be_zero(frame));
}

// Their pages are kept by the chunk; a mapping seldom begins where a chunk does.
TEST_F(LargeAlias, BeginsWhereItMay) {
  const std::array<Frame, 3> frames = three_frames();
  for (int run = 0; run < 3; ++run) {
    ASSERT_NE(alias_map(frames, true), nullptr);
    std::uint8_t* const bytes = map_pages();
    for (const std::uint64_t page : {0u, 58u, 59u, 60u, 700u, 1023u}) {
      EXPECT_EQ(bytes[page * kPageSize], 0);
      bytes[page * kPageSize] = 7;
      EXPECT_EQ(frame_bytes(first_ + page)[0], 7);
      EXPECT_TRUE(counts_as_written(page));
      std::uint64_t physical = 0;
      ASSERT_TRUE(physical_of(bytes + page * kPageSize, &physical));
      EXPECT_EQ(physical, (first_ + page) * kPageSize);
    }
    EXPECT_TRUE(read_faults(bytes + kPages * kPageSize));
    EXPECT_FALSE(counts_as_written(300));
    reset();
    static_cast<void>(three_frames());
  }
}

TEST_F(LargeAlias, ASmallOneInItsPlaceTakesWhatItNeeds) {
  map_pages();
  reset();
  const Frame first = frames_allocate_contiguous(3, FrameOwner::Driver, ~0ull);
  const std::array<Frame, 3> turned{first + 2, first, first + 1};
  auto* const small = static_cast<std::uint8_t*>(alias_map(turned, true));
  small[2 * kPageSize] = 5;
  EXPECT_EQ(frame_bytes(first + 1)[0], 5);
  EXPECT_TRUE(read_faults(small + 3 * kPageSize));
  reset();
  std::uint8_t* const bytes = map_pages();
  ASSERT_EQ(bytes, small);
  EXPECT_TRUE(written_frames().empty());
  for (const std::uint64_t page : {2u, 3u, 4u, 70u}) {
    bytes[page * kPageSize] = 9;
    EXPECT_EQ(frame_bytes(first_ + page)[0], 9);
    EXPECT_TRUE(counts_as_written(page));
  }
}

TEST_F(LargeAlias, WhatItsDriverMayWriteToUnseenMayHaveChanged) {
  std::uint8_t* const bytes = map_pages();
  const Frame end = first_ + kPages;
  EXPECT_EQ(next_that_may_have_changed(first_, end), end);
  bytes[600 * kPageSize] = 1;
  forget_written();
  const Frame changed = next_that_may_have_changed(first_, end);
  EXPECT_LE(changed, first_ + 600);
  EXPECT_GT(changed + 64, first_ + 600);
  EXPECT_EQ(next_that_may_have_changed(first_ + 700, end), end);
  note_written(first_ + 900);
  EXPECT_EQ(next_that_may_have_changed(first_ + 700, end), first_ + 900);
  alias_unmap(bytes);
  forget_written();
  EXPECT_NE(next_that_may_have_changed(first_, end), end) << "it is open still";
}

TEST_F(LargeAlias, WhatIsWrittenThroughAFormerOneIsClearedInTheNextRun) {
  std::uint8_t* const bytes = map_pages();
  bytes[600 * kPageSize] = 1;
  alias_unmap(bytes);
  frames_free_contiguous(first_);
  while (frames_allocate_contiguous(kPages, FrameOwner::Driver, ~0ull) != first_) {
  }
  bytes[600 * kPageSize] = 7;
  EXPECT_EQ(frame_bytes(first_ + 600)[0], 7);
  const Frame before = first_;
  reset();
  EXPECT_EQ(map_pages()[600 * kPageSize], 0);
  EXPECT_EQ(first_, before);
}

TEST_F(Alias, OfAnEarlierRunShowsNothing) {
  const std::array<Frame, 3> frames = three_frames();
  alias_unmap(alias_map(frames, true));
  for (const Frame frame : frames) EXPECT_FALSE(known_to_be_zero(frame));
  reset();
  ASSERT_EQ(three_frames(), frames);
  for (const Frame frame : frames) EXPECT_TRUE(known_to_be_zero(frame));
}

TEST_F(Alias, OnlyRamIsKnownNotToHaveChanged) {
  const BarMemory bar = bar_memory_allocate(1 << 20);
  const Frame first = bar.bus_address >> 12;
  forget_written();
  EXPECT_EQ(next_that_may_have_changed(first + 3, first + 9), first + 3);
  EXPECT_EQ(next_that_may_have_changed(first + 9, first + 9), first + 9);
}

TEST_F(LargeAlias, WhereMappingsCloseItCountsWhatWasWrittenToo) {
  map(GivenBack::Closed);
  std::uint8_t* const bytes = map_pages();
  EXPECT_TRUE(written_frames().empty());
  bytes[600 * kPageSize] = 7;
  EXPECT_TRUE(counts_as_written(600));
  EXPECT_FALSE(counts_as_written(3));
  alias_unmap(bytes);
  EXPECT_TRUE(read_faults(bytes + 600 * kPageSize));
  EXPECT_TRUE(write_faults(bytes + 3 * kPageSize));
  reset();
  EXPECT_EQ(map_pages()[600 * kPageSize], 0);
}

TEST_F(Alias, NeedsAnOwnerOfEachPage) {
  bool registers = false;
  const Frame one = frames_allocate_contiguous(300, FrameOwner::Driver, ~0ull);
  const Frame two = frames_allocate_contiguous(300, FrameOwner::Driver, ~0ull);
  ASSERT_EQ(two, one + 300);
  EXPECT_NE(bus_map(one * 4096, 600 * 4096, &registers), nullptr);
  EXPECT_EQ(bus_map(one * 4096, 601 * 4096, &registers), nullptr);
  frames_free_contiguous(two);
  EXPECT_EQ(bus_map(one * 4096, 301 * 4096, &registers), nullptr);
  EXPECT_EQ(frame_owner(two), FrameOwner::Free);
  EXPECT_NE(bus_map(one * 4096, 300 * 4096, &registers), nullptr);
}

TEST_F(Alias, AddressSpaceIsExhaustedBeforeTheKernelsMappingsAre) {
  const std::array<Frame, 3> frames = three_frames();
  std::vector<void*> aliases;
  while (void* alias = alias_map(frames, true)) aliases.push_back(alias);
  EXPECT_GT(aliases.size(), 1000u);
  alias_unmap(aliases.back());
  EXPECT_NE(alias_map(frames, true), nullptr);
  EXPECT_EQ(alias_map(frames, true), nullptr);
}

TEST_F(Alias, ReservedSpaceShowsWhatIsMappedThereAndNothingElse) {
  const std::array<Frame, 3> frames = three_frames();
  auto* const reserved = static_cast<std::uint8_t*>(alias_reserve(3));
  EXPECT_TRUE(read_faults(reserved));
  std::uint64_t found = 0;
  EXPECT_FALSE(physical_of(reserved, &found));
  alias_map_reserved(reserved, {frames.data(), 2});
  reserved[4096 + 5] = 9;
  EXPECT_EQ(frame_bytes(frames[1])[5], 9);
  ASSERT_TRUE(physical_of(reserved + 4096, &found));
  EXPECT_EQ(found, frames[1] * 4096);
  ASSERT_TRUE(mapping_at(reserved + 1, &found));
  EXPECT_EQ(found, 2 * 4096u - 1);
  EXPECT_TRUE(read_faults(reserved + 2 * 4096));
  EXPECT_FALSE(mapping_at(reserved + 2 * 4096, &found));
  alias_unmap_reserved(reserved);
  EXPECT_TRUE(read_faults(reserved));
  alias_map_reserved(reserved, {&frames[2], 1});
  reserved[0] = 7;
  EXPECT_EQ(frame_bytes(frames[2])[0], 7);
}

TEST_F(Alias, ReservedSpaceIsClosedWhereMappingsStayOpen) {
  map(GivenBack::Open);
  const std::array<Frame, 3> frames = three_frames();
  void* const reserved = alias_reserve(3);
  alias_map_reserved(reserved, frames);
  alias_unmap_reserved(reserved);
  EXPECT_TRUE(read_faults(reserved));
  alias_map_reserved(reserved, frames);
  reset();
  EXPECT_TRUE(read_faults(alias_reserve(3)));
  map();
}

TEST_F(Alias, ReservedSpaceCanBeMappedWhenAllOtherIsExhausted) {
  const std::array<Frame, 3> frames = three_frames();
  const std::array<Frame, 3> turned{frames[2], frames[1], frames[0]};
  void* const reserved = alias_reserve(3);
  while (alias_reserve(1)) {
  }
  EXPECT_EQ(alias_map(frames, true), nullptr);
  for (int i = 0; i < 10'000; ++i) {
    alias_map_reserved(reserved, turned);
    alias_unmap_reserved(reserved);
  }
  alias_release(reserved);
  EXPECT_NE(alias_map(turned, true), nullptr);
  EXPECT_EQ(alias_map(turned, true), nullptr);
}

TEST_F(Alias, NoMoreIsReservedThanCanBeMapped) {
  EXPECT_EQ(alias_reserve(0), nullptr);
  EXPECT_EQ(alias_reserve(1ull << 21), nullptr);
  EXPECT_EQ(alias_reserve(~0ull), nullptr);
}

TEST_F(Alias, LeftOversMakeRoomForOthers) {
  map(GivenBack::Open);
  const std::array<Frame, 3> frames = three_frames();
  for (int i = 0; i < 50'000; ++i) {
    void* const alias = alias_map(frames, true);
    ASSERT_NE(alias, nullptr) << i;
    alias_unmap(alias);
  }
  map();
}

}  // namespace
}  // namespace wddm::memory
