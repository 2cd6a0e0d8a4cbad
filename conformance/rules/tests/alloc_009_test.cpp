// Handles of the allocations of a resource, which come in one call or in several.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::alloc_009 {
namespace {

constexpr std::uint32_t kFailure = 0xC0000001;

class Alloc009 : public TraceTest {
 protected:
  bool holds(const ev::AllocationGroup& group) {
    add(group);
    return TraceTest::holds("ALLOC-009");
  }
  std::uint32_t reached() { return times_reached("ALLOC-009"); }
};

TEST_F(Alloc009, EachHasItsHandles) {
  EXPECT_TRUE(holds({.count = 3, .described = 3, .opened = 3}));
  EXPECT_TRUE(holds({.count = 3, .described = 3, .opened = 3, .calls = 3}));
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Alloc009, OneHasNoneOrThatOfAnother) {
  EXPECT_FALSE(holds({.count = 3, .described = 2, .opened = 3}));
}

TEST_F(Alloc009, OneIsNotOpened) {
  EXPECT_FALSE(holds({.count = 3, .described = 3, .opened = 2}));
}

TEST_F(Alloc009, OneThatCameLaterHasTheHandleOfAnEarlierOne) {
  EXPECT_FALSE(holds({.count = 3, .described = 1, .opened = 3, .calls = 3}));
}

TEST_F(Alloc009, WhatIsNotOpenedHasNoHandle) {
  EXPECT_TRUE(holds({.count = 3, .described = 3, .open_status = kFailure}));
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Alloc009, NoMoreComeBehindACallThatFails) {
  EXPECT_TRUE(holds({.count = 3, .status = kFailure, .described = 1, .calls = 3}));
  EXPECT_TRUE(holds({.count = 3, .described = 1, .open_status = kFailure, .calls = 3}));
  EXPECT_TRUE(holds({.count = 3, .close_status = kFailure, .calls = 2, .left_early = 1}));
  EXPECT_EQ(reached(), 0u);
}

class TogetherAlloc009 : public TraceTest {
 protected:
  void creates(std::uint32_t count) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::CreateAllocation), .object = 3},
        std::vector{ddi_arguments::CreateAllocation{.allocations = count}});
  }
  void opens(std::uint32_t count) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::OpenAllocation), .object = 3},
        std::vector{ddi_arguments::OpenAllocation{.allocations = count}});
  }
  void created(std::uint32_t handle) { add(ev::AllocationCreated{.has_handle = handle}); }
  void opened(std::uint32_t handle, std::uint32_t status = 0) {
    add(ev::AllocationOpened{.status = status, .has_handle = handle, .group = kNone});
  }
};

TEST_F(TogetherAlloc009, EachHasAHandleOfItsOwn) {
  creates(2);
  created(1);
  created(1);
  opens(2);
  opened(1);
  opened(1);
  EXPECT_TRUE(holds("ALLOC-009"));
  EXPECT_EQ(times_reached("ALLOC-009"), 4u);
}

TEST_F(TogetherAlloc009, OneIsCalledAsAnother) {
  creates(2);
  created(1);
  created(2);
  EXPECT_FALSE(holds("ALLOC-009"));
}

TEST_F(TogetherAlloc009, OneIsOpenedAsAnother) {
  opens(2);
  opened(1);
  opened(2);
  EXPECT_FALSE(holds("ALLOC-009"));
}

TEST_F(TogetherAlloc009, NothingIsSaidOfOneAloneOrOfWhatIsRefused) {
  creates(1);
  created(1);
  opens(1);
  opened(1);
  opens(2);
  opened(2, kFailure);
  EXPECT_TRUE(holds("ALLOC-009"));
  EXPECT_EQ(times_reached("ALLOC-009"), 0u);
}

}  // namespace
}  // namespace wddm::alloc_009
