// Drivers that bring up no more than they think that power has taken: from other states than D3,
// for other reasons than sleep, of what they use later or had reset. A clause says so in its own
// scenario.
#include <map>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class PowerFaults : public ReplayTest {};

/// D0 does nothing after some calls.
struct StaysOff : Interposer {
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    if (state != PowerDeviceD0) stays_ = stays(state, action);
    if (state == PowerDeviceD0 && stays_) return STATUS_SUCCESS;
    return Interposer::SetPowerState(context, device, state, action);
  }
  virtual bool stays(DEVICE_POWER_STATE state, POWER_ACTION action) = 0;
  bool stays_ = false;
};

// It is brought up again where D3 was what it went to.
struct ComesFromD3Alone final : StaysOff {
  bool stays(DEVICE_POWER_STATE state, POWER_ACTION) override { return state != PowerDeviceD3; }
};

// ... where the machine slept.
struct ComesFromSleepAlone final : StaysOff {
  bool stays(DEVICE_POWER_STATE, POWER_ACTION action) override {
    return action != PowerActionSleep;
  }
};

// What asks engines to stop is set up at the start alone.
struct StopsNothingAfterD3 final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    submitted_[submit->NodeOrdinal] = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    const UINT node = preempt->NodeOrdinal;
    if (was_off_ && completed_[node] != submitted_[node]) return STATUS_SUCCESS;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    was_off_ |= state == PowerDeviceD3;
    return Interposer::SetPowerState(context, device, state, action);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      completed_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::map<UINT, UINT> submitted_, completed_;
  bool was_off_ = false;
};

TEST_F(PowerFaults, ARequestWhenPowerIsBack) {
  EXPECT_TRUE(fires_in_that_of<StopsNothingAfterD3>("MCDM-036", "PREEMPT-005"));
}

// Each engine is brought up as it was: one that was reset is not.
struct LeavesWhatWasReset final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    was_reset_ = true;
    return Interposer::ResetEngine(adapter, reset);
  }
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    if (state == PowerDeviceD0 && was_reset_) return STATUS_SUCCESS;
    return Interposer::SetPowerState(context, device, state, action);
  }
  bool was_reset_ = false;
};

TEST_F(PowerFaults, PowerThatComesBackToAnEngineThatWasReset) {
  EXPECT_TRUE(fires<LeavesWhatWasReset>("MCDM-036"));
}

TEST_F(PowerFaults, PowerThatComesBackFromAnotherState) {
  EXPECT_TRUE(fires<ComesFromD3Alone>("MCDM-036"));
  EXPECT_TRUE(fires<ComesFromSleepAlone>("MCDM-036"));
}

}  // namespace
}  // namespace wddm::harness
