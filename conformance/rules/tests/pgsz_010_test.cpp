// Memory behind the Size of allocations in segments of 64 KB pages.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::pgsz_010 {
namespace {

constexpr std::uint32_t kFill = 9;
constexpr std::uint32_t kUse64KBPages = 1u << 11;

class Pgsz010 : public TraceTest {
 protected:
  Pgsz010() { platform_.segments.push_back({.flags = {kUse64KBPages}}); }
  void filled(std::uint64_t size, std::uint32_t write_set = 1) {
    add(ev::AllocationCreated{.size = 0x2000, .allocation = 5, .write_set = write_set});
    add(ev::PagingBuilt{.operation = kFill, .allocation = 5},
        std::vector<PagingArguments>{{.size = size}});
    add(ev::PagingDone{.operation = kFill, .allocation = 5, .packet = 9});
  }
  void differs(std::uint32_t offset) {
    add(ev::MemoryDiffers{.where = static_cast<std::uint32_t>(MemoryPlace::Allocation),
                          .object = 5,
                          .offset = offset,
                          .length = 4,
                          .cause = static_cast<std::uint32_t>(MemoryCause::Paging),
                          .cause_object = 9});
  }
};

TEST_F(Pgsz010, WhatLiesBehindTheSize) {
  filled(0x10000);
  differs(0x2000);
  EXPECT_EQ(failures("PGSZ-010"), 1u);
}

TEST_F(Pgsz010, WhatLiesInFrontOfItIsAnothersMatter) {
  filled(0x10000);
  differs(0x1ffc);
  EXPECT_TRUE(holds("PGSZ-010"));
  EXPECT_EQ(times_reached("PGSZ-010"), 1u);
}

TEST_F(Pgsz010, ARangeThatEndsAtTheSize) {
  filled(0x2000);
  differs(0x2000);
  EXPECT_EQ(times_reached("PGSZ-010"), 0u);
}

TEST_F(Pgsz010, AnAllocationThatLivesElsewhere) {
  filled(0x10000, 2);
  differs(0x2000);
  EXPECT_EQ(times_reached("PGSZ-010"), 0u);
}

}  // namespace
}  // namespace wddm::pgsz_010
