// Processes, and which of them devices are made with.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::mcdm_038 {
namespace {

class Mcdm038 : public TraceTest {
 protected:
  void process(std::uint32_t number) { add(ev::ProcessCreated{.process = number}); }
  void device(std::uint32_t number, std::uint32_t process, std::uint32_t named) {
    add(ev::DeviceCreated{.device = number, .process = process, .named = named});
  }
  void ends(DdiId ddi, std::uint32_t object) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi), .object = object});
  }
  bool holds() { return TraceTest::holds("MCDM-038"); }
};

TEST_F(Mcdm038, AProcessWithTwoDevices) {
  process(1);
  device(0, 1, 1);
  device(1, 1, 1);
  ends(DdiId::DestroyDevice, 0);
  ends(DdiId::DestroyDevice, 1);
  ends(DdiId::DestroyProcess, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("MCDM-038"), 4u);
}

TEST_F(Mcdm038, ADeviceWithoutItsProcess) {
  process(1);
  device(0, 1, kNone);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, ADeviceOfAnother) {
  process(1);
  process(2);
  device(0, 1, 2);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, ADeviceBeforeItsProcess) {
  device(0, 1, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, AProcessThatIsMadeTwice) {
  process(1);
  process(1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, AProcessThatComesAgain) {
  process(1);
  ends(DdiId::DestroyProcess, 1);
  process(1);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm038, AProcessThatGoesBeforeItsDevice) {
  process(1);
  device(0, 1, 1);
  ends(DdiId::DestroyProcess, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, AProcessThatGoesTwice) {
  process(1);
  ends(DdiId::DestroyProcess, 1);
  ends(DdiId::DestroyProcess, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Mcdm038, AnySuccessIsOne) {
  add(ev::ProcessCreated{.process = 1, .status = 0x40000000});
  device(0, 1, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Mcdm038, WhatWasRefusedIsNotThere) {
  add(ev::DeviceCreated{.status = 0xC0000001, .process = 1, .named = kNone});
  EXPECT_EQ(times_reached("MCDM-038"), 0u);
}

}  // namespace
}  // namespace wddm::mcdm_038
