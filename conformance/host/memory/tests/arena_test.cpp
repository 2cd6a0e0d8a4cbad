#include "conformance/host/memory/arena.h"

#include <sys/mman.h>

#include <cstring>

#include "conformance/host/memory/tests/arena_test_support.h"
#include "reference/harness_assert.h"

namespace wddm::memory {
namespace {

using Arena = MemoryTest;

TEST_F(Arena, IsAlignedAndZero) {
  (void)arena_allocate(1, 1);
  auto* bytes = static_cast<std::uint8_t*>(arena_allocate(100, 64));
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(bytes) % 64, 0u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(bytes[i], 0);
}

TEST_F(Arena, GivesTheSameAddressesAfterReset) {
  void* before = arena_allocate(200, 16);
  reset();
  EXPECT_EQ(arena_allocate(200, 16), before);
}

TEST_F(Arena, IsZeroAgainAfterReset) {
  auto* small = static_cast<std::uint8_t*>(arena_allocate(200, 16));
  auto* stack = static_cast<std::uint8_t*>(arena_allocate(1 << 20, 4096));
  auto* behind = static_cast<std::uint8_t*>(arena_allocate(200, 16));
  for (std::uint8_t* bytes : {small, stack + 77777, behind}) *bytes = 1;
  reset();
  for (std::uint8_t* bytes : {small, stack + 77777, behind}) EXPECT_EQ(*bytes, 0);
}

TEST_F(Arena, OwnsOnlyFramesOfPagesHandedOut) {
  auto* bytes = static_cast<std::uint8_t*>(arena_allocate(10, 16));
  std::uint64_t physical = 0;
  ASSERT_TRUE(physical_of(bytes, &physical));
  EXPECT_EQ(frame_owner(physical >> 12), FrameOwner::Driver);
  ASSERT_TRUE(physical_of(bytes + (1 << 20), &physical));
  EXPECT_EQ(frame_owner(physical >> 12), FrameOwner::Free);
}

TEST_F(Arena, ExhaustionIsOurDefect) {
  EXPECT_EXIT((void)arena_allocate(kArenaSize, 16), testing::ExitedWithCode(kHarnessExitCode),
              "HARNESS:");
}

TEST_F(Arena, PoolPagesEndWithNull) {
  EXPECT_NE(pool_pages(kPoolPages), nullptr);
  EXPECT_EQ(pool_pages(1), nullptr);
}

TEST_F(Arena, PagesTakenFromUseFaultUntilReset) {
  auto* pages = static_cast<std::uint8_t*>(pool_pages(2));
  arena_protect(pages + 4096, 4096, ArenaAccess::None);
  EXPECT_FALSE(read_faults(pages));
  EXPECT_TRUE(read_faults(pages + 4096));
  reset();
  EXPECT_FALSE(read_faults(pages + 4096));
}

TEST_F(Arena, ExecutablePagesRunCode) {
  auto* page = static_cast<std::uint8_t*>(pool_pages(1));
  arena_protect(page, 4096, ArenaAccess::Execute);
  const std::uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};  // mov eax, 42; ret
  std::memcpy(page, code, sizeof code);
  int (*function)() = nullptr;
  std::memcpy(&function, &page, sizeof function);
  EXPECT_EQ(function(), 42);
}

}  // namespace
}  // namespace wddm::memory
