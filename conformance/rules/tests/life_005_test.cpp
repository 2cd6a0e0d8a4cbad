// What the driver took while pool allocations failed, and what became of it.
#include "conformance/rules/tests/trace_test.h"

namespace wddm::life_005 {
namespace {

class Life005 : public TraceTest {
 protected:
  void submitted(std::uint32_t packet, std::uint32_t status = 0) {
    add(ev::Submitted{.packet = packet, .status = status});
  }
  void starts(std::uint32_t entries) {
    ddi_arguments::StartDevice arguments{};
    arguments.required_dma_queue_entry = entries;
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(DdiId::StartDevice)},
        std::vector{arguments});
  }
  void stuck(std::uint32_t excused = 0) { add(ev::Stuck{.excused = excused}); }
  void ended(std::uint32_t packet, PacketFate fate) {
    add(ev::PacketEnded{.packet = packet, .fate = static_cast<std::uint32_t>(fate)});
  }
  bool holds() { return TraceTest::holds("LIFE-005"); }
};

TEST_F(Life005, SubmitCommandDoesNotFail) {
  submitted(1, 0xC000009A);
  EXPECT_FALSE(holds());
}

TEST_F(Life005, WhatIsTakenWhilePoolFailsIsNotDropped) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  submitted(1);
  stuck();
  ended(1, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Life005, AChoiceBetweenTheFailureAndItsOpChangesNothing) {
  op(OpKind::FailPool);
  op(OpKind::QueueDepth);
  op(OpKind::Idle);
  submitted(1);
  stuck();
  ended(1, PacketFate::Lost);
  EXPECT_FALSE(holds());
}

TEST_F(Life005, WhatIsTakenWhilePoolFailsMayComplete) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  submitted(1);
  ended(1, PacketFate::Completed);
  EXPECT_TRUE(holds());
}

TEST_F(Life005, ThePoolFailsForOneOpOnly) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  op(OpKind::Idle);
  submitted(1);
  stuck();
  ended(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Life005, TheLastOpEndsTheFailureToo) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  all_ops_ended();
  submitted(1);
  stuck();
  ended(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Life005, WhatTheScenarioItselfHoldsUpIsNotDropped) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  submitted(1);
  stuck(1);
  ended(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

TEST_F(Life005, EachStartAnnouncesItsOwnNumber) {
  starts(2);
  submitted(1);
  ended(1, PacketFate::Completed);
  starts(1);
  EXPECT_EQ(times_reached("LIFE-005"), 0u);
  submitted(2);
  EXPECT_EQ(times_reached("LIFE-005"), 1u);
}

TEST_F(Life005, WhatEndsBeforeItsCallReturnsIsHeldNoLonger) {
  starts(2);
  enters(1);
  ended(1, PacketFate::Completed);
  submitted(1);
  enters(2);
  submitted(2);
  EXPECT_EQ(times_reached("LIFE-005"), 0u);
  enters(3);
  submitted(3);
  EXPECT_EQ(times_reached("LIFE-005"), 1u);
}

TEST_F(Life005, WhatIsStoppedWithoutAResetIsNotDropped) {
  op(OpKind::FailPool);
  op(OpKind::Idle);
  submitted(1);
  ended(1, PacketFate::Lost);
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::life_005
