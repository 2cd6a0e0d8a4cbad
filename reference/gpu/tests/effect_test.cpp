// Which commands touch memory: both sides of every limit of `effect_of`.
#include "reference/gpu/effect.h"

#include <gtest/gtest.h>

#include <vector>

namespace wddm::gpu {
namespace {

constexpr AllocationId kA{0};
constexpr AllocationId kB{1};
const std::vector<std::uint64_t> kSizes{64, 32, 0};

Bindings bound() {
  Bindings bindings;
  bindings.bind(1, kA);
  bindings.bind(2, kB);
  bindings.bind(3, AllocationId{2});
  bindings.bind(4, AllocationId{77});
  return bindings;
}

std::uint32_t count(const Command& command) {
  return effect_of(command, bound(), kSizes).count;
}

TEST(Effect, FillNamesTheRangeItWrites) {
  const Effect effect = effect_of(fill(1, 4, 60, 7), bound(), kSizes);
  ASSERT_EQ(effect.count, 1u);
  EXPECT_EQ(effect.accesses[0], (Access{kA, 4, 60, AccessKind::Write}));
}

TEST(Effect, CopyNamesTheWrittenRangeFirst) {
  const Effect effect = effect_of(copy(1, 8, 2, 4, 12), bound(), kSizes);
  ASSERT_EQ(effect.count, 2u);
  EXPECT_EQ(effect.accesses[0], (Access{kA, 8, 12, AccessKind::Write}));
  EXPECT_EQ(effect.accesses[1], (Access{kB, 4, 12, AccessKind::Read}));
}

TEST(Effect, AddIsReadModifyWriteOfOneDword) {
  const Effect effect = effect_of(add(2, 28, 1), bound(), kSizes);
  ASSERT_EQ(effect.count, 1u);
  EXPECT_EQ(effect.accesses[0], (Access{kB, 28, 4, AccessKind::ReadWrite}));
}

TEST(Effect, BindTouchesNoMemoryButMattersToAClient) {
  EXPECT_EQ(count(bind(1, kA)), 0u);
  EXPECT_TRUE(has_effect(bind(255, kA), {}, kSizes));
  EXPECT_FALSE(has_effect(bind(256, kA), {}, kSizes));
}

TEST(Effect, AnAccessMayEndAtTheLastByteAndNotBeyond) {
  EXPECT_EQ(count(fill(1, 60, 4, 0)), 1u);
  EXPECT_EQ(count(fill(1, 60, 8, 0)), 0u);
  EXPECT_EQ(count(fill(1, 64, 4, 0)), 0u);
  EXPECT_EQ(count(copy(1, 0, 2, 0, 32)), 2u);
  EXPECT_EQ(count(copy(1, 0, 2, 0, 36)), 0u);
  EXPECT_EQ(count(copy(1, 0, 2, 4, 32)), 0u);
  EXPECT_EQ(count(add(1, 64, 1)), 0u);
}

TEST(Effect, OffsetAndSizeThatWrapAroundAreOutOfRange) {
  EXPECT_EQ(count(fill(1, 0xFFFFFFFCu, 8, 0)), 0u);
  EXPECT_EQ(count(fill(1, 4, 0xFFFFFFFCu, 0)), 0u);
}

TEST(Effect, UnalignedOrEmptyAccessesDoNothing) {
  EXPECT_EQ(count(fill(1, 2, 4, 0)), 0u);
  EXPECT_EQ(count(fill(1, 0, 6, 0)), 0u);
  EXPECT_EQ(count(fill(1, 0, 0, 0)), 0u);
  EXPECT_EQ(count(copy(1, 0, 2, 1, 4)), 0u);
}

TEST(Effect, UnboundSlotsAndMissingAllocationsDoNothing) {
  EXPECT_EQ(count(fill(9, 0, 4, 0)), 0u);
  EXPECT_EQ(count(fill(3, 0, 4, 0)), 0u);
  EXPECT_EQ(count(fill(4, 0, 4, 0)), 0u);
  EXPECT_EQ(count(fill(AllocationId{2}, 0, 4, 0)), 0u);
  EXPECT_EQ(count(copy(1, 0, 9, 0, 4)), 0u);
  EXPECT_EQ(count(copy(9, 0, 1, 0, 4)), 0u);
  EXPECT_EQ(count(fill(UINT16_MAX, 0, 4, 0)), 0u);
}

TEST(Effect, OverlappingCopyDoesNothingAndAnAdjacentOneIsCarriedOut) {
  EXPECT_EQ(count(copy(1, 4, 1, 0, 8)), 0u);
  EXPECT_EQ(count(copy(1, 0, 1, 4, 8)), 0u);
  EXPECT_EQ(count(copy(1, 8, 1, 0, 8)), 2u);
  EXPECT_EQ(count(copy(1, 0, 1, 8, 8)), 2u);
}

TEST(Effect, FillByAllocationNeedsNoBinding) {
  EXPECT_EQ(effect_of(fill(kB, 0, 4, 0), {}, kSizes).count, 1u);
}

TEST(Effect, UnknownKindsAndTargetsDoNothing) {
  Command command = fill(1, 0, 4, 0);
  command.target = static_cast<FillTarget>(2);
  EXPECT_EQ(count(command), 0u);
  command = fill(1, 0, 4, 0);
  command.kind = static_cast<CommandKind>(200);
  EXPECT_FALSE(has_effect(command, bound(), kSizes));
  EXPECT_STREQ(name(command.kind), "nop");
}

TEST(Effect, SemaphoresAndSpinMatterWhileInRange) {
  EXPECT_TRUE(has_effect(signal(63, 0), {}, {}));
  EXPECT_FALSE(has_effect(signal(64, 0), {}, {}));
  EXPECT_TRUE(has_effect(wait(63, 0), {}, {}));
  EXPECT_FALSE(has_effect(wait(64, 0), {}, {}));
  EXPECT_TRUE(has_effect(spin(1), {}, {}));
  EXPECT_FALSE(has_effect(spin(0), {}, {}));
}

}  // namespace
}  // namespace wddm::gpu
