// Reasons to preempt an engine, and what follows.
#include "conformance/rules/tests/trace_test.h"
#include "reference/trace/ddi.h"

namespace wddm::preempt_001 {
namespace {

class Preempt001 : public TraceTest {
 protected:
  void wants(std::uint32_t outstanding = 1) {
    add(ev::PreemptionDue{.outstanding = outstanding, .paging = 1});
  }
  void calls(DdiId ddi = DdiId::PreemptCommand, std::uint32_t node = 0) {
    add(ev::DdiEntered{.ddi = static_cast<std::uint32_t>(ddi)},
        std::vector{ddi_arguments::PreemptCommand{.node = node}});
  }
  bool holds() { return TraceTest::holds("PREEMPT-001"); }
};

TEST_F(Preempt001, ItIsPreempted) {
  wants();
  calls();
  add(ev::Ended{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-001"), 1u);
}

TEST_F(Preempt001, ItIsNot) {
  wants();
  add(ev::Ended{});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt001, AnotherCallWillNotDo) {
  wants();
  calls(DdiId::SubmitCommand);
  add(ev::Submitted{});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt001, NorWillOneForAnotherEngine) {
  wants();
  calls(DdiId::PreemptCommand, 1);
  add(ev::Ended{});
  EXPECT_FALSE(holds());
}

TEST_F(Preempt001, TheNextRequestIsTooLate) {
  wants();
  wants();
  calls();
  EXPECT_FALSE(holds());
}

TEST_F(Preempt001, AnEmptyEngineMayBeLeftAlone) {
  wants(0);
  add(ev::Ended{});
  EXPECT_TRUE(holds());
  EXPECT_EQ(times_reached("PREEMPT-001"), 0u);
}

TEST_F(Preempt001, ATraceThatBreaksOffAccusesNobody) {
  wants();
  EXPECT_TRUE(holds());
}

}  // namespace
}  // namespace wddm::preempt_001
