// The memory model, one behaviour per test.
#include "reference/gpu/memory_model.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace wddm::gpu {
namespace {

constexpr AllocationId kA{0};
constexpr AllocationId kB{1};

class MemoryModelTest : public ::testing::Test {
 protected:
  MemoryModelTest() {
    model_.create(kA, 64);
    model_.create(kB, 64);
    bindings_.bind(1, kA);
    bindings_.bind(2, kB);
  }
  ~MemoryModelTest() override { model_.validate(); }

  Progress run(std::vector<Command> commands) { return model_.execute(bindings_, commands); }

  static std::vector<std::byte> bytes(std::vector<std::uint32_t> dwords) {
    std::vector<std::byte> result(dwords.size() * 4);
    std::memcpy(result.data(), dwords.data(), result.size());
    return result;
  }

  MemoryModel model_{4};
  Bindings bindings_;
  std::array<Difference, 4> out_{};
};

TEST_F(MemoryModelTest, NothingIsPredictedAtFirst) {
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_TRUE(model_.compare(kA, 0, bytes(std::vector<std::uint32_t>(16, 5)), out_).equal());
}

TEST_F(MemoryModelTest, FillPredictsExactlyItsRange) {
  run({fill(1, 4, 8, 0x01020304)});
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_EQ(model_.dword(kA, 4), 0x01020304u);
  EXPECT_EQ(model_.dword(kA, 8), 0x01020304u);
  EXPECT_EQ(model_.dword(kA, 12), std::nullopt);
}

TEST_F(MemoryModelTest, CopyCarriesUnspecifiedDwordsAlong) {
  run({fill(1, 0, 4, 7), fill(2, 0, 16, 9), copy(2, 4, 1, 0, 8)});
  EXPECT_EQ(model_.dword(kB, 0), 9u);
  EXPECT_EQ(model_.dword(kB, 4), 7u);
  EXPECT_EQ(model_.dword(kB, 8), std::nullopt);
  EXPECT_EQ(model_.dword(kB, 12), 9u);
}

TEST_F(MemoryModelTest, AddWrapsAndKeepsUnspecifiedUnspecified) {
  run({fill(1, 0, 4, 0xFFFFFFFF), add(1, 0, 3), add(1, 4, 3)});
  EXPECT_EQ(model_.dword(kA, 0), 2u);
  EXPECT_EQ(model_.dword(kA, 4), std::nullopt);
}

TEST_F(MemoryModelTest, RebindingChangesWhereLaterCommandsGo) {
  run({bind(1, kB), fill(1, 0, 4, 1), unbind(1), fill(1, 0, 4, 2)});
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_EQ(model_.dword(kB, 0), 1u);
}

TEST_F(MemoryModelTest, WaitStopsUntilTheSemaphoreArrives) {
  const std::vector<Command> stream{fill(1, 0, 4, 1), wait(3, 5), fill(1, 0, 4, 2)};
  Progress progress = model_.execute(bindings_, stream);
  EXPECT_TRUE(progress.waiting);
  EXPECT_EQ(progress.executed, 1u);
  EXPECT_EQ(model_.dword(kA, 0), 1u);

  run({signal(3, 5)});
  progress = model_.execute(bindings_, std::span(stream).subspan(progress.executed));
  EXPECT_FALSE(progress.waiting);
  EXPECT_EQ(model_.dword(kA, 0), 2u);
}

TEST_F(MemoryModelTest, OutOfRangeWaitDoesNotBlock) {
  EXPECT_FALSE(run({wait(64, 5)}).waiting);
}

TEST_F(MemoryModelTest, SpinOnlyTakesTime) {
  EXPECT_EQ(run({spin(3), spin(4)}).spin_units, 7u);
  EXPECT_EQ(run({spin(UINT64_MAX), spin(4)}).spin_units, UINT64_MAX);
}

TEST_F(MemoryModelTest, PartsOfAStreamAddUpToTheWhole) {
  const std::vector<Command> stream{bind(4, kA), fill(4, 0, 8, 1), add(4, 0, 1)};
  Bindings parts;
  model_.execute(parts, std::span(stream).first(1));
  model_.execute(parts, std::span(stream).subspan(1));
  EXPECT_EQ(model_.dword(kA, 0), 2u);
  EXPECT_EQ(model_.dword(kA, 4), 1u);
}

TEST_F(MemoryModelTest, CompareReportsMaximalRunsOfDifferingDwords) {
  run({fill(1, 0, 12, 1), fill(1, 16, 8, 1)});  // dword 3 stays unspecified
  const auto found = model_.compare(kA, 0, bytes({1, 2, 3, 4, 5, 1}), out_);
  EXPECT_EQ(found.ranges, 2u);
  EXPECT_EQ(found.bytes, 12u);
  EXPECT_EQ(out_[0], (Difference{kA, 4, 8, 1, 2}));
  EXPECT_EQ(out_[1], (Difference{kA, 16, 4, 1, 5}));
}

TEST_F(MemoryModelTest, CompareOfAPieceReportsOffsetsOfTheAllocation) {
  run({fill(1, 0, 64, 1)});
  EXPECT_EQ(model_.compare(kA, 32, bytes({1, 2}), out_).ranges, 1u);
  EXPECT_EQ(out_[0], (Difference{kA, 36, 4, 1, 2}));
}

TEST_F(MemoryModelTest, CompareCountsWhatDoesNotFit) {
  run({fill(1, 0, 64, 0)});
  const auto found = model_.compare(kA, 0, bytes({1, 0, 1, 0, 1, 0}), std::span(out_).first(1));
  EXPECT_EQ(found.ranges, 3u);
  EXPECT_EQ(out_[0].offset, 0u);
  EXPECT_EQ(out_[1], Difference{});
}

TEST_F(MemoryModelTest, BytesBeyondTheAllocationAreNotCompared) {
  run({fill(1, 0, 64, 0)});
  std::vector<std::byte> actual(80, std::byte{0});
  std::memset(actual.data() + 64, 1, 16);
  EXPECT_TRUE(model_.compare(kA, 0, actual, out_).equal());
}

TEST_F(MemoryModelTest, CpuWriteOfPartOfADwordKeepsWhatWasKnown) {
  run({fill(1, 0, 4, 0x11111111)});
  const std::array<std::byte, 2> two{std::byte{0xAA}, std::byte{0xBB}};
  model_.write(kA, 3, two);
  EXPECT_EQ(model_.dword(kA, 0), 0xAA111111u);
  EXPECT_EQ(model_.dword(kA, 4), std::nullopt);
}

TEST_F(MemoryModelTest, CpuWriteMakesOnlyWholeDwordsKnown) {
  const std::vector<std::byte> seven(7, std::byte{0x22});
  model_.write(kA, 2, seven);
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_EQ(model_.dword(kA, 4), 0x22222222u);
  EXPECT_EQ(model_.dword(kA, 8), std::nullopt);
}

TEST_F(MemoryModelTest, ADifferenceAcrossPagesIsOneRange) {
  model_.create(AllocationId{3}, 3 * 4096);
  run({fill(AllocationId{3}, 0, 3 * 4096, 1)});
  std::vector<std::uint32_t> actual(3 * 1024, 1);
  std::fill(actual.begin() + 1000, actual.begin() + 2100, 2);
  EXPECT_EQ(model_.compare(AllocationId{3}, 0, bytes(actual), out_).ranges, 1u);
  EXPECT_EQ(out_[0], (Difference{AllocationId{3}, 4000, 4400, 1, 2}));
}

TEST_F(MemoryModelTest, ForgetCoversEveryDwordItTouches) {
  run({fill(1, 0, 16, 1)});
  model_.forget(kA, 3, 2);
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_EQ(model_.dword(kA, 4), std::nullopt);
  EXPECT_EQ(model_.dword(kA, 8), 1u);
}

TEST_F(MemoryModelTest, ADestroyedAllocationIsOutOfReachAndComesBackUnspecified) {
  run({fill(1, 0, 64, 1)});
  model_.destroy(kA);
  run({fill(1, 0, 4, 2)});
  EXPECT_EQ(model_.size(kA), 0u);
  model_.create(kA, 32);
  EXPECT_EQ(model_.dword(kA, 0), std::nullopt);
  EXPECT_EQ(model_.size(kA), 32u);
}

TEST_F(MemoryModelTest, ClearForgetsSemaphoresToo) {
  run({signal(0, 9)});
  model_.clear();
  EXPECT_EQ(model_.semaphore(0), 0u);
  EXPECT_FALSE(model_.exists(kA));
}

TEST_F(MemoryModelTest, AnOddSizedAllocationIsPredictedUpToItsLastWholeDword) {
  model_.create(AllocationId{2}, 7);
  run({fill(AllocationId{2}, 0, 4, 1), fill(AllocationId{2}, 4, 4, 1)});
  const std::array<std::byte, 7> ones{std::byte{1}, std::byte{1}, std::byte{1}, std::byte{1},
                                      std::byte{1}, std::byte{1}, std::byte{1}};
  model_.write(AllocationId{2}, 0, ones);
  EXPECT_EQ(model_.dword(AllocationId{2}, 0), 0x01010101u);
  model_.forget(AllocationId{2}, 5, 2);
  EXPECT_EQ(model_.dword(AllocationId{2}, 0), 0x01010101u);
}

}  // namespace
}  // namespace wddm::gpu
