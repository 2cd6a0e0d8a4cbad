// Drivers that go wrong in a rare order of events only: what is asked for crosses what ends, a
// reset or power comes in between, numbers wrap there. A clause says so in its own scenario.
#include <map>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class OrderFaults : public ReplayTest {};

// -- debug information

// The extension of a later interface is longer.
struct FillsALongerExtension final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    collect->pExtension[1].BucketingKey = 0x117;
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

// What is for later use has room for one more number.
struct FillsReservedMembers final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    collect->pExtension->Reserved5 = collect->Reason;
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

struct ClearsTheExtension final : Interposer {
  NTSTATUS CollectDbgInfo(HANDLE adapter, const DXGKARG_COLLECTDBGINFO* collect) override {
    *collect->pExtension = {};
    return Interposer::CollectDbgInfo(adapter, collect);
  }
};

TEST_F(OrderFaults, DebugInformationBesideItsExtension) {
  EXPECT_TRUE(fires<FillsALongerExtension>("TDR-008"));
  EXPECT_TRUE(fires<FillsReservedMembers>("TDR-008"));
  EXPECT_FALSE(fires<ClearsTheExtension>("TDR-008"));
}

// -- resets

// An engine has come as far as the greater of two numbers says.
template <class Number>
struct AbortsTheGreaterNumber final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    const auto last = completed_.find(reset->NodeOrdinal);
    if (last != completed_.end() && last->second > static_cast<Number>(reset->LastAbortedFenceId)) {
      reset->LastAbortedFenceId = static_cast<UINT>(last->second);
    }
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      completed_[data->DmaCompleted.NodeOrdinal] =
          static_cast<Number>(data->DmaCompleted.SubmissionFenceId);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::map<UINT, Number> completed_;
};

TEST_F(OrderFaults, AResetBehindTheEndOfNumbers) {
  EXPECT_TRUE(fires<AbortsTheGreaterNumber<UINT>>("ENGRST-002"));
  EXPECT_TRUE(fires<AbortsTheGreaterNumber<INT>>("ENGRST-002"));
}

// An engine that was reset waits for its next packet to be started, and so does the adapter then.
struct RestartsWhatWasNotReset final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    engine_was_reset_ = false;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    engine_was_reset_ = true;
    return Interposer::ResetEngine(adapter, reset);
  }
  NTSTATUS RestartFromTimeout(HANDLE adapter) override {
    return engine_was_reset_ ? STATUS_SUCCESS : Interposer::RestartFromTimeout(adapter);
  }
  bool engine_was_reset_ = false;
};

TEST_F(OrderFaults, AnAdapterThatIsResetBehindItsEngine) {
  EXPECT_TRUE(fires<RestartsWhatWasNotReset>("TDR-004"));
}

// -- power

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

TEST_F(OrderFaults, PowerThatComesBackFromAnotherState) {
  EXPECT_TRUE(fires<ComesFromD3Alone>("MCDM-036"));
  EXPECT_TRUE(fires<ComesFromSleepAlone>("MCDM-036"));
}

}  // namespace
}  // namespace wddm::harness
