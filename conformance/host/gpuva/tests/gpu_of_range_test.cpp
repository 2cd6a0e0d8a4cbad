// Which GPU of a link has an address.
#include "conformance/host/gpuva/gpu_of_range.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

constexpr ProcessId kFirstProcess{0};
constexpr gpummu::VaRange range(std::uint64_t first, std::uint64_t bytes) {
  return {{first}, bytes};
}

class GpuOfRangeTest : public ::testing::Test {
 protected:
  // The middle of sixteen pages is GPU 1's.
  GpuOfRangeTest() { gpus.set(kFirstProcess, range(0x4000, 0x4000), 1); }
  GpuOfRange gpus;
};

TEST_F(GpuOfRangeTest, WhatNobodyUpdatedIsOfAll) {
  EXPECT_FALSE(gpus.of(kFirstProcess, {0x3fff}));
  EXPECT_EQ(gpus.of(kFirstProcess, {0x4000}), 1u);
  EXPECT_EQ(gpus.of(kFirstProcess, {0x7fff}), 1u);
  EXPECT_FALSE(gpus.of(kFirstProcess, {0x8000}));
  EXPECT_FALSE(gpus.of(ProcessId{1}, {0x4000}));
}

TEST_F(GpuOfRangeTest, PiecesCoverTheRangeInOrder) {
  const auto pieces = gpus.pieces(kFirstProcess, range(0, 0x10000));
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].range.bytes, 0x4000u);
  EXPECT_EQ(pieces[0].adapters, gpummu::kAllAdapters);
  EXPECT_EQ(pieces[1].range.first.value, 0x4000u);
  EXPECT_EQ(pieces[1].adapters, gpummu::AdapterSet{1} << 1);
  EXPECT_EQ(pieces[2].range.end(), 0x10000u);
  EXPECT_EQ(pieces[2].adapters, gpummu::kAllAdapters);
}

TEST_F(GpuOfRangeTest, TheLastUpdateCounts) {
  gpus.set(kFirstProcess, range(0x5000, 0x1000), 0);
  gpus.set(kFirstProcess, range(0x7000, 0x4000), std::nullopt);
  EXPECT_EQ(gpus.of(kFirstProcess, {0x4000}), 1u);
  EXPECT_EQ(gpus.of(kFirstProcess, {0x5000}), 0u);
  EXPECT_EQ(gpus.of(kFirstProcess, {0x6000}), 1u);
  EXPECT_FALSE(gpus.of(kFirstProcess, {0x7000}));
}

TEST_F(GpuOfRangeTest, AProcessThatEndedHasNone) {
  gpus.forget(kFirstProcess);
  EXPECT_FALSE(gpus.of(kFirstProcess, {0x4000}));
  EXPECT_EQ(gpus.pieces(kFirstProcess, range(0, 0x10000)).size(), 1u);
}

}  // namespace
}  // namespace wddm::host
