// Allocations that lists name, and AccessedPhysically.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_011 {
namespace {

constexpr std::uint32_t kAccessedPhysically = 1u << 15;

class Alloc011 : public TraceTest {
 protected:
  void created(std::uint32_t allocation, std::uint32_t flags) {
    add(ev::AllocationCreated{.allocation = allocation, .flags = flags});
  }
  void names(std::uint32_t allocation) {
    add(ev::RenderCalled{}, std::vector<AllocationRecord>{{.allocation = allocation}});
  }
  bool holds() { return TraceTest::holds("ALLOC-011"); }
};

TEST_F(Alloc011, ItIsSet) {
  created(0, kAccessedPhysically);
  names(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-011"), 1u);
}

TEST_F(Alloc011, ItIsNot) {
  created(0, 1);
  names(0);
  EXPECT_FALSE(holds());
}

TEST_F(Alloc011, TheLatestOfANumberCounts) {
  created(0, 0);
  created(0, kAccessedPhysically);
  names(0);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc011, WhatNoListNamesNeedNotHaveIt) {
  created(0, 0);
  names(kNone);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-011"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_011
