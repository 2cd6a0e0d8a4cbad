// Buffers behind requests that are pending.
#include "conformance/rules/tests/client_test.h"

namespace wddm::res_006 {
namespace {

using gpuva::ResidencyStatus;

class Res006 : public ClientTest {
 protected:
  bool holds() { return TraceTest::holds("RES-006"); }
};

TEST_F(Res006, BehindAWaitOfItsContext) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  waits(5);
  uses();
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("RES-006"), 1u);
}

TEST_F(Res006, OrOfTheCpu) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  waits(6, kNone);
  uses();
  EXPECT_TRUE(holds());
}

TEST_F(Res006, WithoutOne) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  uses();
  EXPECT_FALSE(holds());
}

TEST_F(Res006, BehindAWaitForAnOlderValue) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  waits(4);
  uses();
  EXPECT_FALSE(holds());
}

TEST_F(Res006, OfAnotherContext) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  waits(5, 3);
  uses();
  EXPECT_FALSE(holds());
}

TEST_F(Res006, WhatIsThereNeedsNone) {
  makes_resident();
  uses();
  EXPECT_TRUE(holds());
}

TEST_F(Res006, AnotherDeviceOfTheSameNumberHasAskedForNothing) {
  makes_resident(ResidencyStatus::Pending, 0, 5);
  add(ev::DeviceCreated{});
  makes_resident();
  uses();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::res_006
