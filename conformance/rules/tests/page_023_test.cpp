// How our host may go on with an operation.
#include "conformance/rules/tests/paging_test.h"

namespace wddm::page_023 {
namespace {

class Page023 : public PagingTest {
 protected:
  static constexpr std::uint32_t kBusy = 0xC01E0102;
  void transfer(const ev::PagingBuilt& call) { built(DXGK_OPERATION_TRANSFER, {}, call); }
};

TEST_F(Page023, EachPassGoesOnWhereTheLastStopped) {
  transfer({.status = kInsufficient, .multipass_out = 3, .pass = 0});
  transfer({.status = kInsufficient, .multipass_in = 3, .multipass_out = 7, .pass = 1});
  transfer({.multipass_in = 7, .pass = 2});
  EXPECT_TRUE(holds("PAGE-023"));
  EXPECT_EQ(times_reached("PAGE-023"), 3u);
}

TEST_F(Page023, ItBeginsAgain) {
  transfer({.status = kInsufficient, .multipass_out = 3, .pass = 0});
  transfer({.multipass_in = 0, .pass = 1});
  EXPECT_FALSE(holds("PAGE-023"));
}

// The next paging buffer is mapped into the aperture before the operation goes on in it.
TEST_F(Page023, MappingOfABufferMayComeInBetween) {
  const auto maps = [this](std::uint32_t page, const ev::PagingBuilt& call) {
    built(DXGK_OPERATION_MAP_APERTURE_SEGMENT, {.destination_segment = 2, .page = page}, call);
  };
  maps(5, {.allocation = kNone, .status = kInsufficient, .multipass_out = 3, .pass = 0});
  maps(9, {.allocation = kNone, .multipass_out = 1, .pass = 0});
  maps(5, {.allocation = kNone, .multipass_in = 3, .pass = 1});
  EXPECT_TRUE(holds("PAGE-023"));
  maps(7, {.allocation = kNone, .status = kInsufficient, .multipass_out = 3, .pass = 0});
  maps(7, {.allocation = kNone, .multipass_in = 0, .pass = 1});
  EXPECT_FALSE(holds("PAGE-023"));
}

TEST_F(Page023, TheFirstBeginsAtNothing) {
  transfer({.multipass_in = 3, .pass = 0});
  EXPECT_FALSE(holds("PAGE-023"));
}

TEST_F(Page023, BusyIsAskedAgainWhenIdle) {
  transfer({.status = kBusy, .pass = 0, .idle = 0});
  transfer({.pass = 0, .idle = 1});
  EXPECT_TRUE(holds("PAGE-023"));
}

TEST_F(Page023, BusyIsAskedAgainAsBefore) {
  transfer({.status = kBusy, .pass = 0, .idle = 0});
  transfer({.pass = 0, .idle = 0});
  EXPECT_FALSE(holds("PAGE-023"));
}

TEST_F(Page023, WhatIsBusyMayHaveWrittenWhereItGoesOn) {
  transfer({.status = kBusy, .multipass_out = 1, .pass = 0, .idle = 0});
  transfer({.multipass_in = 1, .pass = 0, .idle = 1});
  EXPECT_TRUE(holds("PAGE-023"));
}

TEST_F(Page023, AfterAResetItIsAnotherOperation) {
  transfer({.status = kBusy, .pass = 0, .idle = 0});
  add(ev::AdapterReset{});
  transfer({.pass = 0, .idle = 0});
  EXPECT_TRUE(holds("PAGE-023"));
}

TEST_F(Page023, TwoThreadsBuildTwoOperations) {
  transfer({.status = kInsufficient, .multipass_out = 3, .pass = 0});
  thread_ = 1;
  built(DXGK_OPERATION_DISCARD_CONTENT);
  thread_ = 0;
  transfer({.multipass_in = 3, .pass = 1});
  EXPECT_TRUE(holds("PAGE-023"));
}

TEST_F(Page023, AFillOfMemory) {
  platform_.segments.resize(2);
  platform_.segments[1].flags.value = 1;
  built(DXGK_OPERATION_FILL, {.destination_segment = 1});
  EXPECT_TRUE(holds("PAGE-023"));
}

TEST_F(Page023, AFillOfAnAperture) {
  platform_.segments.resize(2);
  platform_.segments[1].flags.value = 1;
  built(DXGK_OPERATION_FILL, {.destination_segment = 2});
  EXPECT_FALSE(holds("PAGE-023"));
}

}  // namespace
}  // namespace wddm::page_023
