// Segment sets of what the CPU is to reach, on a driver with memory that it sees, memory that it
// does not see, and an aperture.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::lock_009 {
namespace {

constexpr std::uint32_t kVisible = 1u << 0, kOnDemand = 1u << 18;
constexpr std::uint32_t kSeen = 1, kHidden = 2, kAperture = 4;  // segment sets

class Lock009 : public TraceTest {
 protected:
  Lock009() {
    platform_.started = true;
    platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
    platform_.segments = {{.flags = {4}}, {.flags = {0}}, {.flags = {1}}};
  }
  void created(std::uint32_t set, std::uint32_t flags = kVisible) {
    add(ev::AllocationCreated{.write_set = set, .flags = flags});
  }
  bool holds() { return TraceTest::holds("LOCK-009"); }
  std::uint32_t reached() { return times_reached("LOCK-009"); }
  bool applies() { return find_rule("LOCK-009")->applies(platform_) == nullptr; }
};

TEST_F(Lock009, HiddenMemoryAloneIsNotEnough) {
  created(kHidden);
  EXPECT_FALSE(holds());
}

TEST_F(Lock009, NorBesideMemoryThatIsSeen) {
  created(kHidden | kSeen);
  EXPECT_FALSE(holds());
}

TEST_F(Lock009, OnDemandCountsAsVisible) {
  created(kHidden, kOnDemand);
  EXPECT_FALSE(holds());
}

TEST_F(Lock009, AnApertureSuffices) {
  created(kHidden | kAperture);
  EXPECT_TRUE(holds());
}

TEST_F(Lock009, MemoryThatIsSeenNeedsNone) {
  created(kSeen);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Lock009, WhatTheCpuNeedNotReachMayHide) {
  created(kHidden, 0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// Before WDDM 2.0 the member is MaximumRenamingListLength.
TEST_F(Lock009, WithoutVirtualAddressesTheMemberMayBeALength) {
  add(ev::AllocationCreated{.write_set = kHidden, .flags = kVisible, .renaming = 1});
  EXPECT_FALSE(holds());
}

class Lock009Linked : public Lock009 {
 protected:
  Lock009Linked() {
    platform_.gpu_mmu = true;
    platform_.linked_adapters = 2;
  }
  void segment_of_the_other(std::uint32_t number, std::uint32_t flags) {
    add(ev::SegmentReported{.segment = number, .flags = flags, .physical_adapter = 1});
  }
  void created_there(std::uint32_t set) {
    add(ev::AllocationCreated{.write_set = set, .flags = kVisible, .renaming = 1});
  }
};

TEST_F(Lock009Linked, TheOtherGpuShowsTheCpuAllItsMemory) {
  segment_of_the_other(1, 4);
  segment_of_the_other(2, 4);
  created_there(kHidden);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Lock009Linked, TheOtherGpuHidesMemoryToo) {
  segment_of_the_other(1, 0);
  segment_of_the_other(2, 1);
  created_there(kSeen | kHidden);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
  created_there(kSeen);
  EXPECT_FALSE(holds());
}

TEST_F(Lock009, AppliesWhereMemoryIsHidden) {
  EXPECT_TRUE(applies());
  platform_.segments[1].flags.value = 4;
  EXPECT_FALSE(applies());
}

TEST_F(Lock009, AppliesFromWddm20On) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Win8);
  EXPECT_FALSE(applies());
}

}  // namespace
}  // namespace wddm::lock_009
