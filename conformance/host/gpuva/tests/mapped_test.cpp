// Which allocation, and which part of it, an update of entries is about.
#include <gtest/gtest.h>

#include "conformance/host/gpuva/tables/page_table_operations.h"

namespace wddm::host {
namespace {

constexpr Mapped kMapped{AllocationId{7}, 0x3000, {{0x104000}, 0x20000}};

TEST(Mapped, TheOffsetFollowsTheEntries) {
  const Mapped first = kMapped.of({{0x104000}, 0x1000});
  EXPECT_EQ(first.allocation, AllocationId{7});
  EXPECT_EQ(first.offset, 0x3000u);
  const Mapped last = kMapped.of({{0x123000}, 0x1000});
  EXPECT_EQ(last.allocation, AllocationId{7});
  EXPECT_EQ(last.offset, 0x22000u);
}

// Sixteen entries for what is left of a larger one, or a table from its start.
TEST(Mapped, EntriesBeyondItAreOfNoAllocation) {
  for (const gpummu::VaRange entries :
       {gpummu::VaRange{{0x100000}, 0x10000}, gpummu::VaRange{{0x120000}, 0x10000},
        gpummu::VaRange{{0}, 0x200000}, gpummu::VaRange{{0x124000}, 0x1000}}) {
    EXPECT_EQ(kMapped.of(entries).allocation, kNoAllocation) << entries.first.value;
    EXPECT_EQ(kMapped.of(entries).offset, 0u) << entries.first.value;
  }
}

TEST(Mapped, WhatIsAboutNoAllocationNamesNone) {
  EXPECT_EQ(Mapped{}.of({{0}, 0x1000}).allocation, kNoAllocation);
}

}  // namespace
}  // namespace wddm::host
