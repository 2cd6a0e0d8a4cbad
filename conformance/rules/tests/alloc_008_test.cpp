// What OpenAllocation leaves behind.
#include "conformance/host/nt/core/kernel.h"
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_008 {
namespace {

constexpr std::uint32_t kCreate = 1;

class Alloc008 : public TraceTest {
 protected:
  bool holds_with(const ev::AllocationOpened& opened) {
    add(opened);
    return holds();
  }
  bool holds() { return TraceTest::holds("ALLOC-008"); }
  void opens(std::uint32_t flags = 0, std::uint32_t device = 1) {
    add(ev::AllocationOpened{
        .allocation = 3, .device = device, .flags = flags, .has_handle = 1, .group = kNone});
  }
  void begins(DdiId ddi, std::uint32_t object = 3) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = object});
  }
  void ends(DdiId ddi, std::uint32_t status = 0, std::uint32_t object = 3) {
    add(ev::DdiReturned{
        .ddi = static_cast<std::uint32_t>(ddi), .object = object, .status = status});
  }
  void frees_twice() {
    add(ev::Finding{.kind = static_cast<std::uint32_t>(nt::FindingKind::PoolDoubleFree)});
  }
};

TEST_F(Alloc008, AHandleAndNothingElse) {
  EXPECT_TRUE(holds_with({.has_handle = 1}));
  EXPECT_EQ(times_reached("ALLOC-008"), 1u);
}

TEST_F(Alloc008, NoHandle) {
  EXPECT_FALSE(holds_with({}));
}

TEST_F(Alloc008, DataOfTheAllocationChangeWithCreateAlone) {
  EXPECT_TRUE(holds_with({.flags = kCreate, .has_handle = 1, .changed = 4}));
  EXPECT_FALSE(holds_with({.has_handle = 1, .changed = 4}));
}

TEST_F(Alloc008, DataOfTheResourceNeverChange) {
  EXPECT_FALSE(holds_with({.flags = kCreate, .has_handle = 1, .resource_changed = 4}));
}

TEST_F(Alloc008, ACallThatFailsOpensNothing) {
  EXPECT_TRUE(holds_with({.status = 0xC0000017}));
  EXPECT_EQ(times_reached("ALLOC-008"), 0u);
}

TEST_F(Alloc008, EachOpeningIsClosedByItself) {
  opens(kCreate);
  opens();
  for (int i = 0; i < 2; ++i) {
    begins(DdiId::CloseAllocation);
    ends(DdiId::CloseAllocation);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("ALLOC-008"), 4u);
}

TEST_F(Alloc008, TheSecondCloseOfWhatWasOpenedTwiceFreesAgain) {
  opens(kCreate);
  opens();
  begins(DdiId::CloseAllocation);
  frees_twice();
  EXPECT_FALSE(holds());
}

TEST_F(Alloc008, TheSecondCloseOfWhatWasOpenedTwiceIsRefused) {
  opens(kCreate);
  opens();
  begins(DdiId::CloseAllocation);
  ends(DdiId::CloseAllocation, 0xC0000008);
  EXPECT_FALSE(holds());
}

// By two devices, by a device that came in place of another, and of an allocation that did.
TEST_F(Alloc008, WhatEachDeviceHasOpenOnceIsNotOpenedAgain) {
  opens(kCreate, 1);
  opens(0, 2);
  ends(DdiId::DestroyDevice, 0, 2);
  opens(0, 2);
  ends(DdiId::DestroyAllocation);
  opens(kCreate, 1);
  begins(DdiId::CloseAllocation);
  frees_twice();
  ends(DdiId::CloseAllocation, 0xC0000008);
  EXPECT_TRUE(holds());
}

TEST_F(Alloc008, WhoFreesTwiceWhatWasOpenedOnceHasAnotherTrouble) {
  opens(kCreate);
  begins(DdiId::CloseAllocation);
  frees_twice();
  ends(DdiId::CloseAllocation);
  opens(0, 1);
  begins(DdiId::CloseAllocation);
  frees_twice();
  EXPECT_TRUE(holds());
}

TEST_F(Alloc008, WhatIsFreedTwiceBetweenClosesIsNoMatterOfOpenings) {
  opens(kCreate);
  opens();
  frees_twice();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::alloc_008
