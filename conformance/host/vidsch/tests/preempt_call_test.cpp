// What PreemptCommand is told, and what is recorded of it.
#include "conformance/host/vidsch/preempt_call.h"

#include "conformance/host/tests/host_fixture.h"

namespace wddm::host {
namespace {

class PreemptCallTest : public HostTest {};

TEST_F(PreemptCallTest, PreemptNamesFenceAndEngine) {
  driver.answers[DdiId::PreemptCommand] = STATUS_UNSUCCESSFUL;
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    call_preempt(world.adapter,
                 {.engine = {.node = NodeId{1}, .physical_adapter = 2}, .fence = FenceId{33}}, 4);

    ASSERT_EQ(driver.preempted.size(), 1u);
    EXPECT_EQ(driver.preempted[0].PreemptionFenceId, 33u);
    EXPECT_EQ(driver.preempted[0].NodeOrdinal, 1u);
    EXPECT_EQ(driver.preempted[0].EngineOrdinal, 2u);
  });
  const ev::PreemptAsked asked = seen<ev::PreemptAsked>().at(0);
  EXPECT_EQ(asked.outstanding, 4u);
  EXPECT_EQ(asked.status, static_cast<std::uint32_t>(STATUS_UNSUCCESSFUL));
}

struct NotesLevel : FakeDriver {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    levels.push_back(nt::irql());
    return FakeDriver::PreemptCommand(adapter, preempt);
  }
  std::vector<std::uint8_t> levels;
};

TEST_F(PreemptCallTest, PreemptComesAtLowIrqlToADriverThatAsksForIt) {
  NotesLevel asks;
  asks.caps.SchedulingCaps.LowIrqlPreemptCommand = 1;
  session().wire = &asks;
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    call_preempt(world.adapter, {.engine = {}, .fence = FenceId{33}}, 0);
  });
  EXPECT_EQ(asks.levels, std::vector<std::uint8_t>{nt::kPassive});
}

TEST_F(PreemptCallTest, PreemptComesAtDispatchLevelToOthers) {
  NotesLevel does_not;
  session().wire = &does_not;
  on_machine([&](World& world) {
    ASSERT_NO_FATAL_FAILURE(begin(world));
    call_preempt(world.adapter, {.engine = {}, .fence = FenceId{33}}, 0);
  });
  EXPECT_EQ(does_not.levels, std::vector<std::uint8_t>{nt::kDispatch});
}

}  // namespace
}  // namespace wddm::host
