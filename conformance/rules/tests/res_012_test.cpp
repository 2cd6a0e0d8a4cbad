// Devices that run when memory was taken from them.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::res_012 {
namespace {

class Res012 : public TraceTest {
 protected:
  Res012() { builds(7, 5); }
  void builds(std::uint32_t render, std::uint32_t device, std::uint32_t required_only = 1) {
    add(ev::BufferBuilt{
        .render = render, .context = device, .device = device, .required_only = required_only});
  }
  void counted(std::uint32_t count, std::uint32_t resident, std::uint32_t device = 5) {
    add(ev::ResidencyCounted{
        .device = device, .allocation = 3, .count = count, .resident = resident});
  }
  void runs(std::uint32_t render = 7, std::uint32_t again = 0) {
    add(ev::Submitted{.packet = 9, .render = render, .context = 5, .again = again});
  }
  bool holds() { return TraceTest::holds("RES-012"); }
  std::uint32_t reached() { return times_reached("RES-012"); }
};

TEST_F(Res012, WhenItIsBack) {
  counted(1, 0);
  counted(1, 1);
  runs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 1u);
}

TEST_F(Res012, WhileItIsNot) {
  counted(1, 0);
  runs();
  EXPECT_FALSE(holds());
}

TEST_F(Res012, WhatIsNotRequiredAnyMore) {
  counted(1, 0);
  counted(0, 0);
  runs();
  EXPECT_TRUE(holds());
}

TEST_F(Res012, NothingWasTaken) {
  counted(1, 1);
  runs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Res012, FromAnotherDevice) {
  counted(1, 0, 6);
  runs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

TEST_F(Res012, ABufferThatBringsInWhatItUses) {
  builds(8, 5, 0);
  counted(1, 0);
  runs(8);
  EXPECT_TRUE(holds());
}

TEST_F(Res012, APacketThatWasStopped) {
  counted(1, 0);
  runs(7, 1);
  EXPECT_TRUE(holds());
}

TEST_F(Res012, AnAllocationThatIsGone) {
  counted(1, 0);
  add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::DestroyAllocation), .object = 3});
  runs();
  EXPECT_TRUE(holds());
}

TEST_F(Res012, AnotherDeviceInTheSlot) {
  counted(1, 0);
  add(ev::DeviceCreated{.device = 5});
  runs();
  EXPECT_TRUE(holds());
  EXPECT_EQ(reached(), 0u);
}

}  // namespace
}  // namespace wddm::res_012
