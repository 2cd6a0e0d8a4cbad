// Sizes relative to what the driver under test needs.
#include "conformance/host/boundary/needs.h"

#include <gtest/gtest.h>

namespace wddm::host {
namespace {

constexpr std::uint32_t kAsked = 4096;

Op render(Measure measure, std::uint32_t bytes) {
  return {.kind = OpKind::Render, .b = static_cast<std::uint8_t>(measure), .x = bytes};
}

/// Two renders were measured, of 100 and of 60 + 40 + 12 bytes, and paging of 48 and 200 bytes,
/// of copies 72, of unmaps 20.
Needs measured() {
  Needs needs;
  needs.measure();
  needs.rendered(0, 100, 5);
  for (const std::uint32_t bytes : {60, 40, 12}) needs.rendered(1, bytes, 2);
  needs.paged(48);
  needs.paged(200);
  needs.paged(16);
  for (const std::uint32_t bytes : {24, 72, 48}) needs.paged(OwnMeasure::CopyOfEntries, bytes);
  needs.paged(OwnMeasure::Unmap, 20);
  needs.apply();
  return needs;
}

TEST(Needs, CountsFromWhatAllPassesOfTheRenderTook) {
  const Needs needs = measured();
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededPlus, 0), 0, kAsked), 100u);
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededMinus, 1), 1, kAsked), 111u);
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededTimes, 2), 1, kAsked), 224u);
  EXPECT_EQ(needs.patch_capacity({.kind = OpKind::Render, .c = 1}, 1, kAsked), 6u);
}

TEST(Needs, OfPagingAreThoseOfTheLargestOperation) {
  EXPECT_EQ(measured().paging_bytes(Measure::NeededMinus, 8, kAsked), 192u);
}

TEST(Needs, OfKindsThatCountForThemselvesAreThoseOfTheLargestOfTheKind) {
  const Needs needs = measured();
  EXPECT_EQ(needs.paging_bytes(OwnMeasure::CopyOfEntries, Measure::NeededMinus, 8, kAsked), 64u);
  EXPECT_EQ(needs.paging_bytes(OwnMeasure::Unmap, Measure::NeededMinus, 8, kAsked), 12u);
  EXPECT_EQ(needs.paging_bytes(OwnMeasure::VirtualFill, Measure::NeededMinus, 8, kAsked), kAsked)
      << "there was none";
}

TEST(Needs, WithoutAMeasureSizesAreAsWritten) {
  EXPECT_EQ(measured().dma_bytes(render(Measure::Absolute, 80), 0, kAsked), 80u);
  EXPECT_EQ(measured().dma_bytes(render(Measure::Absolute, 0), 0, kAsked), kAsked);
}

TEST(Needs, WhileMeasuringEverythingIsAsAskedFor) {
  Needs needs;
  needs.measure();
  EXPECT_EQ(needs.dma_bytes(render(Measure::Absolute, 80), 0, kAsked), kAsked);
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededMinus, 1), 0, kAsked), kAsked);
}

TEST(Needs, WhatWasNotMeasuredIsAsAskedFor) {
  EXPECT_EQ(measured().dma_bytes(render(Measure::NeededMinus, 1), 7, kAsked), kAsked);
}

TEST(Needs, SizesStayWithinWhatAnOpMayAskFor) {
  const Needs needs = measured();
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededMinus, 5000), 0, kAsked), 1u);
  EXPECT_EQ(needs.dma_bytes(render(Measure::NeededTimes, 1048576), 0, kAsked), 1048576u);
  EXPECT_EQ(needs.patch_capacity({.kind = OpKind::Render, .c = 3, .y = 65536}, 0, kAsked), 65536u);
}

TEST(AnyRelativeSize, IsToldByTheFieldsOfTheOps) {
  const Op plain[] = {render(Measure::Absolute, 80), {.kind = OpKind::Idle}};
  const Op relative[] = {{.kind = OpKind::PagingBuffer, .a = 2, .x = 1}};
  EXPECT_FALSE(any_relative_size(plain));
  EXPECT_TRUE(any_relative_size(relative));
}

}  // namespace
}  // namespace wddm::host
