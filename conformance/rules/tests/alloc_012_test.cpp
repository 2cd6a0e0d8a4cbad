// Allocations beside what was asked for.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_012 {
namespace {

constexpr std::uint32_t kCpuVisible = 1;

class Alloc012 : public TraceTest {
 protected:
  bool holds_with(const ev::AllocationCreated& created) {
    add(created);
    return TraceTest::holds("ALLOC-012");
  }
};

TEST_F(Alloc012, AsMuchOrMore) {
  EXPECT_TRUE(holds_with({.size = 8192, .asked_pages = 2}));
  EXPECT_TRUE(holds_with({.size = 65536, .flags = kCpuVisible, .asked_pages = 2}));
  EXPECT_EQ(times_reached("ALLOC-012"), 2u);
}

TEST_F(Alloc012, Less) {
  EXPECT_FALSE(holds_with({.size = 8191, .asked_pages = 2}));
}

TEST_F(Alloc012, WhatIsToBeLockedIsVisible) {
  EXPECT_TRUE(
      holds_with({.size = 4096, .flags = kCpuVisible, .asked_pages = 1, .asked_cpu_visible = 1}));
  EXPECT_FALSE(holds_with({.size = 4096, .asked_pages = 1, .asked_cpu_visible = 1}));
}

TEST_F(Alloc012, OnDemandItIsVisibleToo) {
  constexpr std::uint32_t kOnDemand = 1u << 18;
  add(ev::AllocationCreated{
      .size = 4096, .flags = kOnDemand, .asked_pages = 1, .asked_cpu_visible = 1});
  EXPECT_FALSE(holds("ALLOC-012"));  // a reserved bit before WDDM 2.0
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  EXPECT_TRUE(holds("ALLOC-012"));
}

TEST_F(Alloc012, OfFourGigabytesAllAreThere) {
  EXPECT_FALSE(holds_with({.size = 4096, .asked_pages = 1u << 20}));
}

TEST_F(Alloc012, WhatNobodyAskedForIsAsItIs) {
  EXPECT_TRUE(holds_with({.size = 1, .asked_cpu_visible = 1}));
  EXPECT_EQ(times_reached("ALLOC-012"), 0u);
}

class Alloc012Groups : public TraceTest {
 protected:
  void group(std::uint64_t size, ev::AllocationGroup group = {}) {
    group.asked = 49152;
    group.size = size;
    group.count = 3;
    if (group.described == 0) group.described = 3;
    add(group);
  }
};

TEST_F(Alloc012Groups, EachOfSeveralHasItsOwnSize) {
  group(49152);
  group(65536);
  EXPECT_TRUE(holds("ALLOC-012"));
  EXPECT_EQ(times_reached("ALLOC-012"), 2u);
}

TEST_F(Alloc012Groups, NotThatOfTheFirst) {
  group(16384);
  EXPECT_FALSE(holds("ALLOC-012"));
}

TEST_F(Alloc012Groups, WhatWasRefusedHasNone) {
  group(0, {.status = 0xC000000D});
  group(0, {.described = 1});
  EXPECT_TRUE(holds("ALLOC-012"));
  EXPECT_EQ(times_reached("ALLOC-012"), 0u);
}

TEST_F(Alloc012Groups, StandardAllocationsAreAnothersMatter) {
  group(16384, {.standard = 3});
  EXPECT_TRUE(holds("ALLOC-012"));
}

}  // namespace
}  // namespace wddm::alloc_012
