// From ops to what the host does: implicit start and end, ops that are skipped with their reason,
// and modifiers that hold for one op.
#include "conformance/host/run/interpreter.h"

#include "conformance/host/tests/play_fixture.h"

namespace wddm::host {
namespace {

using InterpreterTest = PlayTest;

TEST_F(InterpreterTest, ScenarioWithoutOpsStartsAndEndsTheDriver) {
  play({});

  EXPECT_EQ(driver.calls, (Calls{"DriverEntry", "AddDevice", "StartDevice", "QueryAdapterInfo",
                                 "QueryAdapterInfo", "QueryAdapterInfo", "CreateDevice",
                                 "DestroyDevice", "StopDevice", "RemoveDevice", "Unload"}));
}

TEST_F(InterpreterTest, OpsOfUnassignedKindsAreNothing) {
  play({op(static_cast<OpKind>(255)), op(static_cast<OpKind>(0))});

  EXPECT_TRUE(seen<ev::OpStarted>().empty());
  EXPECT_TRUE(skipped().empty());
}

TEST_F(InterpreterTest, OpOnAnEmptySlotIsSkippedWithWhatIsMissing) {
  play({op(OpKind::DestroyDevice, 9), op(OpKind::CreateContext, 0, 9, 0),
        op(OpKind::DestroyContext, 9), op(OpKind::MakeResident, 9), op(OpKind::Preempt, 9)});

  EXPECT_EQ(skipped(), (Calls{"destroy_device: no such device", "create_context: no such device",
                              "destroy_context: no such context",
                              "make_resident: no such allocation", "preempt: no such node"}));
}

// A legal scenario may do more than a trace holds.
TEST_F(InterpreterTest, WhatIsLeftOfAFullTraceIsForTheEnd) {
  driver.on_query = [](const DXGKARG_QUERYADAPTERINFO&) {
    for (std::uint32_t i = 0; i <= 3u << 15; ++i) session().tap(ev::IsrEntered{});
  };

  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 2)});

  EXPECT_EQ(times("CreateDevice"), 2) << "device 0, and that of the op that starts the driver";
  EXPECT_EQ(times("DestroyDevice"), 2);
  EXPECT_EQ(times("Unload"), 1);
}

TEST_F(InterpreterTest, SlotInUseIsSkipped) {
  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 1)});

  EXPECT_EQ(skipped(), Calls{"create_device: the slot is in use"});
  EXPECT_EQ(times("CreateDevice"), 2) << "device 0 and device 1";
}

TEST_F(InterpreterTest, StoppedAdapterIsStartedByNameOnly) {
  play({op(OpKind::Stop), op(OpKind::CreateDevice, 1), op(OpKind::Start),
        op(OpKind::CreateDevice, 1)});

  EXPECT_EQ(skipped(), Calls{"create_device: the adapter is not running"});
  EXPECT_EQ(times("StartDevice"), 2);
}

TEST_F(InterpreterTest, AdapterThatDoesNotStartIsTriedOnce) {
  driver.answers[DdiId::StartDevice] = STATUS_UNSUCCESSFUL;

  play({op(OpKind::CreateDevice, 1), op(OpKind::CreateDevice, 2)});

  EXPECT_EQ(skipped().size(), 2u);
  EXPECT_EQ(driver.calls,
            (Calls{"DriverEntry", "AddDevice", "StartDevice", "RemoveDevice", "Unload"}));
}

TEST_F(InterpreterTest, AdapterThatDidNotStartIsTakenAwayBeforeItIsTriedAgain) {
  driver.answers[DdiId::StartDevice] = STATUS_UNSUCCESSFUL;

  play({op(OpKind::Start), op(OpKind::Start)});

  EXPECT_EQ(driver.calls, (Calls{"DriverEntry", "AddDevice", "StartDevice", "RemoveDevice",
                                 "AddDevice", "StartDevice", "RemoveDevice", "Unload"}));
}

TEST_F(InterpreterTest, SettingsAreWrittenBeforeTheDriverReadsThem) {
  play({op(OpKind::Start), op(OpKind::Configure)});

  EXPECT_EQ(skipped(), Calls{"configure: the driver has read its settings"});
}

TEST_F(InterpreterTest, EventsBelongToTheirOps) {
  play({op(OpKind::Start), op(OpKind::CreateDevice, 1)});

  EXPECT_EQ(seen<ev::OpStarted>().size(), 2u);
  EXPECT_EQ(ops_of<ev::OpStarted>(), (std::vector<std::uint16_t>{0, 1}));
  EXPECT_EQ(ops_of<ev::Running>(), std::vector<std::uint16_t>{0});
  EXPECT_EQ(ops_of<ev::InterruptsAfterStop>(), std::vector<std::uint16_t>{kNoOp});
}

// The driver asks for its device information at each query for capabilities, of which requery has
// two.
class InterpreterModifierTest : public InterpreterTest {
 protected:
  InterpreterModifierTest() {
    driver.on_query = [this](const DXGKARG_QUERYADAPTERINFO& query) {
      if (query.Type != DXGKQAITYPE_DRIVERCAPS) return;
      DXGK_DEVICE_INFO info{};
      results.push_back(driver.callbacks.DxgkCbGetDeviceInformation(driver.device_handle, &info));
    };
  }
  std::vector<NTSTATUS> results;
  const std::uint8_t callback = static_cast<std::uint8_t>(FallibleCallback::GetDeviceInformation);
};

TEST_F(InterpreterModifierTest, FailingCallbackHoldsForOneOp) {
  play({op(OpKind::Start), op(OpKind::FailCallback, callback, 0, 0, 1), op(OpKind::Requery),
        op(OpKind::Requery)});

  std::vector<NTSTATUS> expected(9, STATUS_SUCCESS);
  expected[1] = STATUS_UNSUCCESSFUL;
  EXPECT_EQ(results, expected);
}

// Armed for the fifth call, of which there is none in the op: what is left over drops.
TEST_F(InterpreterModifierTest, WhatAModifierDidNotSpendIsGone) {
  play({op(OpKind::Start), op(OpKind::FailCallback, callback, 0, 0, 5), op(OpKind::Requery),
        op(OpKind::Requery)});

  EXPECT_EQ(results, std::vector<NTSTATUS>(9, STATUS_SUCCESS));
}

// A choice is no op that spends it: the modifier waits for the next one that does something.
TEST_F(InterpreterModifierTest, ModifierOutlivesChoices) {
  play({op(OpKind::Start), op(OpKind::FailCallback, callback, 0, 0, 1), op(OpKind::Interleave, 1),
        op(OpKind::Requery)});

  EXPECT_EQ(results, (std::vector<NTSTATUS>{STATUS_SUCCESS, STATUS_UNSUCCESSFUL, STATUS_SUCCESS,
                                            STATUS_SUCCESS, STATUS_SUCCESS}));
}

TEST_F(InterpreterTest, CycleTakesTheDeviceAwayIfAsked) {
  play({op(OpKind::Cycle, 0, 0, 0, 2), op(OpKind::Cycle, 1, 0, 0, 1)});

  EXPECT_EQ(times("StartDevice"), 4);
  EXPECT_EQ(times("AddDevice"), 2);
  EXPECT_EQ(times("DriverEntry"), 1);
}

TEST_F(InterpreterTest, AllocationIsDestroyedOnceAndItsDeviceAfterIt) {
  play({op(OpKind::CreateAllocation, 3, 0, 0, 1)});

  EXPECT_EQ(times("DestroyAllocation"), 1);
  EXPECT_EQ(skipped(), Calls{});
}

TEST_F(InterpreterTest, MissingEntryIsTheReason) {
  driver.table.DxgkDdiPreemptCommand = nullptr;

  play({op(OpKind::Preempt, 0)});

  EXPECT_EQ(skipped(), Calls{std::string("preempt: ") + ddi_info(DdiId::PreemptCommand).absence});
  EXPECT_EQ(times("PreemptCommand"), 0);
}

}  // namespace
}  // namespace wddm::host
