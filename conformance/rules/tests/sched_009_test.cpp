// How many packets are on the hardware.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::sched_009 {
namespace {

class Sched009 : public TraceTest {
 protected:
  void starts(std::uint32_t entries) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice)},
        std::vector{ddi_arguments::StartDevice{.required_dma_queue_entry = entries}});
  }
  void submits(std::uint32_t packet, std::uint32_t node = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::SubmitCommand), .object = packet},
        std::vector{ddi_arguments::SubmitCommand{.node = node}});
  }
  bool holds() { return TraceTest::holds("SCHED-009"); }
};

TEST_F(Sched009, AsManyAsAnnounced) {
  starts(2);
  submits(1);
  submits(2, 1);
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("SCHED-009"), 2u);
}

TEST_F(Sched009, OneMore) {
  starts(2);
  submits(1);
  submits(2, 1);
  submits(3);
  EXPECT_FALSE(holds());
}

TEST_F(Sched009, WhatHasEndedMakesRoom) {
  starts(2);
  submits(1);
  submits(2);
  add(ev::PacketEnded{.packet = 1});
  submits(3);
  EXPECT_TRUE(holds());
}

TEST_F(Sched009, WhatTheDriverRefusesItDoesNotHold) {
  starts(2);
  submits(1);
  submits(2);
  add(ev::Submitted{.packet = 2, .status = 0xC000000D});
  submits(3);
  EXPECT_TRUE(holds());
}

TEST_F(Sched009, TheCapIsOfEachEngine) {
  platform_.interface_version = static_cast<std::uint32_t>(InterfaceVersion::Wddm2_0);
  platform_.scheduling.value = 1 << 7;
  submits(1);
  submits(2, 1);
  EXPECT_TRUE(holds());
  submits(3, 1);
  EXPECT_FALSE(holds());
}

TEST_F(Sched009, BeforeWddm2ThereIsNone) {
  platform_.scheduling.value = 1 << 7;
  submits(1);
  submits(2);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::sched_009
