// Requests that fail for want of memory.
#include "conformance/rules/tests/trace_test.h"
#include "reference/gpuva/residency_request.h"

namespace wddm::res_005 {
namespace {

using gpuva::ResidencyStatus;

class Res005 : public TraceTest {
 protected:
  void asks(ResidencyStatus status, std::uint64_t too_much = 0) {
    add(
        ev::ResidencyAsked{
            .bytes_to_trim = too_much, .status = static_cast<std::uint32_t>(status), .count = 1},
        std::vector<std::uint32_t>{1});
  }
  void counted(std::uint32_t count) {
    add(ev::ResidencyCounted{.allocation = 1, .count = count, .resident = 1});
  }
  bool holds() { return TraceTest::holds("RES-005"); }
};

TEST_F(Res005, NothingChanges) {
  asks(ResidencyStatus::Ok);
  counted(1);
  asks(ResidencyStatus::OutOfMemory, 4096);
  counted(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-005"), 1u);
}

TEST_F(Res005, ItCounts) {
  asks(ResidencyStatus::OutOfMemory, 4096);
  counted(1);
  EXPECT_FALSE(holds());
}

TEST_F(Res005, ItSaysNotHowMuch) {
  asks(ResidencyStatus::OutOfMemory);
  EXPECT_FALSE(holds());
}

TEST_F(Res005, WhatSucceedsMayCount) {
  asks(ResidencyStatus::Ok);
  counted(1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-005"), 0u);
}

TEST_F(Res005, ANewAllocationIsRequiredByNobody) {
  asks(ResidencyStatus::Ok);
  counted(1);
  add(ev::AllocationCreated{.allocation = 1});
  asks(ResidencyStatus::OutOfMemory, 4096);
  counted(0);
  EXPECT_TRUE(holds());
  counted(1);
  EXPECT_FALSE(holds());
}

TEST_F(Res005, AnotherAllocationInAnotherSlotChangesNothing) {
  asks(ResidencyStatus::Ok);
  counted(1);
  add(ev::AllocationCreated{.allocation = 2});
  asks(ResidencyStatus::OutOfMemory, 4096);
  counted(0);
  EXPECT_FALSE(holds());
}

TEST_F(Res005, ANewDeviceHasRequiredNothing) {
  asks(ResidencyStatus::Ok);
  counted(1);
  add(ev::DeviceCreated{});
  asks(ResidencyStatus::OutOfMemory, 4096);
  counted(0);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::res_005
