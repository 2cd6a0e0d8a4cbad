// Pool that resources leave: by each of them, or by the first of a kind alone.
#include <string>

#include "conformance/host/nt/core/kernel.h"
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::destroy_006 {
namespace {

constexpr std::uint32_t kFailure = 0xC0000001;

class Destroy006 : public TraceTest {
 protected:
  void comes_and_goes(std::int32_t left_bytes, std::uint32_t count = 3) {
    group_ = {.count = count, .left_bytes = left_bytes, .left_blocks = left_bytes / 64};
    add(group_);
  }
  // The resource of the allocations: it stays, it goes (DestroyResource), or there is none.
  enum Resource { kStays, kGoes, kAlone };
  void destroys(Resource resource, nt::FindingKind finding = nt::FindingKind::None) {
    const auto ddi = static_cast<std::uint32_t>(DdiId::DestroyAllocation);
    const ddi_arguments::DestroyAllocation call{
        .allocations = 1, .flags = resource == kGoes, .has_resource = resource != kAlone};
    add(ev::DdiEntered{.ddi = ddi}, std::vector{call});
    if (finding != nt::FindingKind::None) {
      const std::string what = "block 7: freed already";
      add(ev::Finding{.kind = static_cast<std::uint32_t>(finding)},
          std::vector<char>(what.begin(), what.end()));
    }
    add(ev::DdiReturned{.ddi = ddi});
  }
  bool holds() { return TraceTest::holds("DESTROY-006"); }
  std::uint32_t reached() { return times_reached("DESTROY-006"); }

  ev::AllocationGroup group_;
};

TEST_F(Destroy006, EachLeavesSomething) {
  comes_and_goes(64);
  comes_and_goes(64);
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, TheFirstMayMakeADriverSetUpACache) {
  comes_and_goes(64);
  comes_and_goes(0);
  comes_and_goes(0);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 2u);
}

TEST_F(Destroy006, ABlockMayBeGivenBackAgain) {
  comes_and_goes(64);
  comes_and_goes(-64);
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

TEST_F(Destroy006, OneThatAnotherDeviceHasOpenIsOfAKindOfItsOwn) {
  const auto shared = [this](std::uint32_t elsewhere) {
    add(ev::AllocationGroup{
        .count = 3, .left_bytes = 64, .left_blocks = 1, .elsewhere = elsewhere});
  };
  comes_and_goes(64);
  shared(1);
  shared(2);
  EXPECT_TRUE(holds()) << "each may set something up";
  EXPECT_EQ(reached(), 0u);
  shared(1);
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, OneOfAKindIsNotJudged) {
  comes_and_goes(64, 1);
  comes_and_goes(64, 2);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

class Destroy006Ends : public Destroy006 {
 protected:
  static ev::AllocationGroup whole() {
    return {.count = 3, .described = 3, .opened = 3, .parts = 1, .calls = 1};
  }
  bool holds_for(const ev::AllocationGroup& group) {
    add(group);
    return holds();
  }
};

TEST_F(Destroy006Ends, BothCallsSucceed) {
  EXPECT_TRUE(holds_for(whole()));
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Destroy006Ends, SeveralAreNotClosed) {
  auto group = whole();
  group.close_status = kFailure;
  EXPECT_FALSE(holds_for(group));
}

TEST_F(Destroy006Ends, SeveralAreNotDestroyed) {
  auto group = whole();
  group.destroy_status = kFailure;
  EXPECT_FALSE(holds_for(group));
}

TEST_F(Destroy006Ends, InPartsTheyMayBeRefused) {
  auto group = whole();
  group.destroy_status = kFailure;
  group.parts = 2;
  EXPECT_TRUE(holds_for(group));
  group.parts = 1;
  group.calls = 2;
  EXPECT_TRUE(holds_for(group));
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006Ends, OfWhatDidNotComeNothingIsAsked) {
  auto group = whole();
  group.close_status = group.destroy_status = kFailure;
  group.opened = 1;
  EXPECT_TRUE(holds_for(group));
  group.opened = 3;
  group.open_status = kFailure;
  EXPECT_TRUE(holds_for(group));
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006Ends, WhereCallsAreMadeToFailNothingIsAsked) {
  op(OpKind::FailPool);
  auto group = whole();
  group.destroy_status = kFailure;
  EXPECT_TRUE(holds_for(group));
}

TEST_F(Destroy006, WhatWasNotMadeIsAnotherMatter) {
  comes_and_goes(64);
  group_.status = kFailure;
  add(group_);
  EXPECT_TRUE(holds());
  group_.status = 0;
  group_.destroy_status = kFailure;
  add(group_);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006, AnAdapterThatIsStartedAgainSetsUpAgain) {
  comes_and_goes(64);
  add(ev::MappingBalance{});
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

TEST_F(Destroy006, BesideAnotherThreadPoolSaysNothing) {
  comes_and_goes(64);
  op(OpKind::Neighbour);
  comes_and_goes(64);
  EXPECT_TRUE(holds());
}

// -- in parts

TEST_F(Destroy006, EachThatGoesInPartsLeavesSomething) {
  for (int i = 0; i < 2; ++i) {
    comes_and_goes(0);
    group_ = {.count = 3, .left_bytes = 64, .left_blocks = 1, .parts = 2};
    add(group_);
  }
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, WhatGoesInAnotherWayIsOfAnotherKind) {
  for (std::uint32_t reversed = 0; reversed < 2; ++reversed) {
    group_ = {.count = 3, .left_bytes = 64, .left_blocks = 1, .parts = 2, .reversed = reversed};
    add(group_);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// -- that came in several calls

TEST_F(Destroy006, EachThatGrewLeavesSomething) {
  for (int i = 0; i < 2; ++i) {
    comes_and_goes(0);
    group_ = {.count = 3, .left_bytes = 64, .left_blocks = 1, .parts = 1, .calls = 3};
    add(group_);
  }
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, WhatCameInAnotherWayIsOfAnotherKind) {
  for (std::uint32_t early = 0; early < 2; ++early) {
    group_ = {.count = 3,
              .left_bytes = 64,
              .left_blocks = 1,
              .parts = 1,
              .calls = 2,
              .left_early = early};
    add(group_);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006, ADriverMayRefuseToAddToAResource) {
  for (int i = 0; i < 2; ++i) {
    group_ = {.count = 3, .status = kFailure, .left_bytes = 64, .left_blocks = 1, .calls = 3};
    add(group_);
  }
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

// -- whose resource is named

TEST_F(Destroy006, TheResourceGoesWithTheLastPart) {
  destroys(kStays);
  destroys(kGoes);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Destroy006, TheResourceIsFreedOnceMore) {
  destroys(kStays);
  destroys(kGoes, nt::FindingKind::PoolDoubleFree);
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, AnotherPartWasFreedWithTheFirst) {
  destroys(kStays);
  destroys(kStays, nt::FindingKind::PoolDoubleFree);
  EXPECT_FALSE(holds());
}

TEST_F(Destroy006, WhoFreesTwiceInOneCallHasAnotherTrouble) {
  destroys(kGoes, nt::FindingKind::PoolDoubleFree);
  destroys(kStays);
  destroys(kGoes, nt::FindingKind::PoolDoubleFree);
  EXPECT_TRUE(holds());
}

TEST_F(Destroy006, WithoutAResourceNothingIsLeft) {
  destroys(kAlone);
  destroys(kAlone, nt::FindingKind::PoolDoubleFree);
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Destroy006, OtherFindingsAreOfOtherThings) {
  destroys(kStays);
  destroys(kGoes, nt::FindingKind::IrqlTooHigh);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::destroy_006
