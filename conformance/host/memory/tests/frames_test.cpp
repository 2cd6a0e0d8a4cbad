#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <vector>

#include "conformance/host/memory/layout.h"
#include "conformance/host/memory/tests/arena_test_support.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace {

using Frames = MemoryTest;

TEST(Permutation, HasItsInverse) {
  for (unsigned bits : {16u, 17u, 18u}) {
    const internal::Permutation permutation{bits};
    std::vector<bool> seen(1ull << bits);
    for (std::uint64_t x = 0; x < seen.size(); ++x) {
      const std::uint64_t y = permutation.forward(x);
      ASSERT_LT(y, seen.size());
      ASSERT_FALSE(seen[y]);
      ASSERT_EQ(permutation.backward(y), x);
      seen[y] = true;
    }
  }
}

TEST_F(Frames, NeighboursInTheListAreNoNeighboursInMemory) {
  std::vector<Frame> frames(4096);
  frames_allocate(frames, FrameOwner::Driver);
  for (std::size_t i = 1; i < frames.size(); ++i) {
    EXPECT_NE(frames[i], frames[i - 1] + 1);
    EXPECT_NE(frames[i] + 1, frames[i - 1]);
  }
}

TEST_F(Frames, EvenTwoDoNotAscend) {
  for (int i = 0; i < 100; ++i) {
    std::array<Frame, 2> two;
    frames_allocate(two, FrameOwner::Driver);
    EXPECT_GT(two[0], two[1]);
  }
}

TEST_F(Frames, AreNeverHandedOutTwice) {
  EXPECT_TRUE(rc::check("no frame has two owners", [] {
    reset();
    std::set<Frame> held;
    const auto sizes = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange(0, 300));
    for (std::size_t size : sizes) {
      std::vector<Frame> frames(size);
      frames_allocate(frames, FrameOwner::Allocation);
      for (Frame frame : frames) RC_ASSERT(held.insert(frame).second);
      if (size % 3 == 0) {
        frames_free(frames);
        for (Frame frame : frames) held.erase(frame);
      }
    }
    for (Frame frame : held) RC_ASSERT(frame_owner(frame) == FrameOwner::Allocation);
  }));
}

TEST_F(Frames, SameCallsGiveSameFrames) {
  std::vector<Frame> first(100), second(100);
  frames_allocate(first, FrameOwner::Driver);
  reset();
  frames_allocate(second, FrameOwner::Driver);
  EXPECT_EQ(first, second);
}

TEST_F(Frames, LieAboveFourGigabytes) {
  std::vector<Frame> frames(1000);
  frames_allocate(frames, FrameOwner::Driver);
  EXPECT_GE(*std::min_element(frames.begin(), frames.end()), 1ull << 20);
}

TEST_F(Frames, AreZeroEvenWhenReused) {
  std::vector<Frame> frames(2000);
  frames_allocate(frames, FrameOwner::Driver);
  for (Frame frame : frames) std::memset(frame_bytes_to_write(frame), 0xff, 4096);
  frames_free(frames);
  frames_allocate(frames, FrameOwner::Driver);
  for (Frame frame : frames) {
    ASSERT_EQ(frame_bytes(frame)[0], 0);
    ASSERT_EQ(frame_bytes(frame)[4095], 0);
  }
}

TEST_F(Frames, AreZeroAfterReset) {
  std::array<Frame, 1> frame;
  frames_allocate(frame, FrameOwner::Driver);
  frame_bytes_to_write(frame[0])[7] = 1;
  reset();
  frames_allocate(frame, FrameOwner::Driver);
  EXPECT_EQ(frame_bytes(frame[0])[7], 0);
}

TEST_F(Frames, AreZeroAfterDma) {
  std::array<Frame, 1> frame;
  frames_allocate(frame, FrameOwner::Driver);
  const std::uint8_t one = 1;
  ASSERT_TRUE(physical_write(frame[0] * 4096, &one, 1));
  reset();
  frames_allocate(frame, FrameOwner::Driver);
  EXPECT_EQ(frame_bytes(frame[0])[0], 0);
}

TEST_F(Frames, AreZeroAlthoughAStaleMappingStaysOpen) {
  map(GivenBack::Open);
  std::array<Frame, 1> frame;
  frames_allocate(frame, FrameOwner::Driver);
  auto* const mapped = static_cast<std::uint8_t*>(alias_map(frame, true));
  alias_unmap(mapped);
  reset();
  frames_allocate(frame, FrameOwner::Driver);  // clears it, and nobody says that it is written now
  mapped[0] = 1;
  reset();
  frames_allocate(frame, FrameOwner::Driver);
  EXPECT_EQ(frame_bytes(frame[0])[0], 0);
}

TEST_F(Frames, AreKnownToBeZeroUntilSomebodyMayHaveWritten) {
  std::array<Frame, 3> frames;
  frames_allocate(frames, FrameOwner::Allocation);
  for (const Frame frame : frames) EXPECT_TRUE(known_to_be_zero(frame));

  const std::uint8_t one = 1;
  ASSERT_TRUE(physical_write(frames[0] * 4096, &one, 1));
  static_cast<void>(frame_bytes_to_write(frames[1]));
  alias_unmap(alias_map({&frames[2], 1}, true));

  for (const Frame frame : frames) EXPECT_FALSE(known_to_be_zero(frame));
}

TEST_F(Frames, OnlyOfRamIsKnownThatItIsZero) {
  std::uint64_t physical = 0;
  ASSERT_TRUE(physical_of(arena_allocate(1, 1), &physical));
  EXPECT_FALSE(known_to_be_zero(physical / 4096));
  EXPECT_FALSE(known_to_be_zero(0));
}

TEST_F(Frames, HaveNoOwnerOnceFreed) {
  std::array<Frame, 3> frames;
  frames_allocate(frames, FrameOwner::DmaBuffer);
  EXPECT_EQ(frame_owner(frames[1]), FrameOwner::DmaBuffer);
  frames_free(frames);
  EXPECT_EQ(frame_owner(frames[1]), FrameOwner::Free);
}

TEST_F(Frames, FreedOnesRestBeforeReuse) {
  std::array<Frame, 1> first, next;
  frames_allocate(first, FrameOwner::Driver);
  frames_free(first);
  frames_allocate(next, FrameOwner::Driver);
  EXPECT_NE(first, next);
}

TEST_F(Frames, UnknownNumberHasNoBytes) {
  EXPECT_EQ(frame_bytes(0), nullptr);
  EXPECT_EQ(frame_owner(0), FrameOwner::Free);
}

TEST_F(Frames, ContiguousOnesAreAdjacentInBothSpaces) {
  const Frame first = frames_allocate_contiguous(5, FrameOwner::Driver, ~0ull);
  const std::uint8_t* bytes = frame_bytes(first);
  for (Frame i = 0; i < 5; ++i) EXPECT_EQ(frame_bytes(first + i), bytes + i * 4096);
}

TEST_F(Frames, ContiguousOnesLieAboveFourGigabytesIfAllowed) {
  EXPECT_GE(frames_allocate_contiguous(1, FrameOwner::Driver, ~0ull), 1ull << 20);
}

TEST_F(Frames, ContiguousOnesKeepTheirLimit) {
  const Frame first = frames_allocate_contiguous(16, FrameOwner::Driver, 0xffffffff);
  ASSERT_NE(first, 0u);
  EXPECT_LE((first + 16) * 4096 - 1, 0xffffffffu);
}

TEST_F(Frames, ContiguousOnesAreAlignedAsAsked) {
  (void)frames_allocate_contiguous(1, FrameOwner::Driver, ~0ull);
  EXPECT_EQ(frames_allocate_contiguous(3, FrameOwner::Driver, ~0ull, 16) % 16, 0u);
}

TEST_F(Frames, ContiguousLimitIsTheLastBytesAddress) {
  const Frame first = internal::kLow.first_frame;
  EXPECT_EQ(frames_allocate_contiguous(1, FrameOwner::Driver, (first + 1) * 4096 - 2), 0u);
  EXPECT_EQ(frames_allocate_contiguous(1, FrameOwner::Driver, (first + 1) * 4096 - 1), first);
}

TEST_F(Frames, ContiguousRequestThatDoesNotFitFails) {
  EXPECT_EQ(frames_allocate_contiguous(1ull << 30, FrameOwner::Driver, ~0ull), 0u);
  EXPECT_EQ(frames_allocate_contiguous(1, FrameOwner::Driver, 0xfff), 0u);
}

TEST_F(Frames, ContiguousOnesAreZeroWhenReused) {
  const std::uint64_t all = internal::kLow.pages;
  const Frame first = frames_allocate_contiguous(all, FrameOwner::Driver, 0xffffffff);
  ASSERT_NE(first, 0u);
  frame_bytes_to_write(first)[10] = 1;
  std::vector<Frame> frames(all);
  for (std::size_t i = 0; i < all; ++i) frames[i] = first + i;
  frames_free(frames);
  EXPECT_EQ(frames_allocate_contiguous(2, FrameOwner::Driver, 0xffffffff), first);
  EXPECT_EQ(frame_bytes(first)[10], 0);
}

TEST_F(Frames, PhysicalTransferCrossesFrames) {
  const Frame first = frames_allocate_contiguous(2, FrameOwner::Driver, ~0ull);
  const std::array<std::uint8_t, 4> sent{1, 2, 3, 4};
  std::array<std::uint8_t, 4> got{};
  ASSERT_TRUE(physical_write((first + 1) * 4096 - 2, sent.data(), 4));
  ASSERT_TRUE(physical_read((first + 1) * 4096 - 2, got.data(), 4));
  EXPECT_EQ(got, sent);
  EXPECT_EQ(frame_bytes(first + 1)[1], 4);
}

TEST_F(Frames, PhysicalTransferOutsideOwnedMemoryDoesNothing) {
  const Frame first = frames_allocate_contiguous(1, FrameOwner::Driver, ~0ull);
  std::uint32_t value = 0xffffffff;
  EXPECT_FALSE(physical_write((first + 1) * 4096 - 2, &value, 4));
  EXPECT_EQ(frame_bytes(first)[4095], 0);
  EXPECT_FALSE(physical_read(0, &value, 4));
  EXPECT_FALSE(physical_read(~0ull - 1, &value, 4));
}

TEST_F(Frames, TheHostKeepsAReserve) {
  std::vector<Frame> all(frames_available());
  frames_allocate(all, FrameOwner::Driver);

  EXPECT_EQ(frames_available(), 0u);
  std::vector<Frame> host(1000);
  frames_allocate(host, FrameOwner::Allocation);
}

TEST_F(Frames, ExhaustionIsOurDefect) {
  EXPECT_EXIT(
      {
        std::vector<Frame> all(internal::kScattered.pages + 1);
        frames_allocate(all, FrameOwner::Driver);
      },
      testing::ExitedWithCode(kHarnessExitCode), "HARNESS:");
}

TEST_F(Frames, LieUpToTheHighestAddress) {
  std::vector<Frame> scattered(1000);
  frames_allocate(scattered, FrameOwner::Driver);
  const GuardedBuffer guarded(4096, true, FrameOwner::DmaBuffer);
  const UserBuffer user(4096);
  const std::uint64_t highest = highest_system_address();
  for (const Frame frame : scattered) EXPECT_LT(frame, (highest + 1) / 4096);
  for (const void* address :
       std::initializer_list<const void*>{guarded.data(), user.data(), arena_allocate(64, 16)}) {
    std::uint64_t physical = 0;
    ASSERT_TRUE(physical_of(address, &physical));
    EXPECT_LE(physical, highest);
  }
  EXPECT_LT(system_memory_bytes(), highest);
}

}  // namespace
}  // namespace wddm::memory
