// Drivers that go wrong in a rare order of events only: what is asked for crosses what ends, a
// reset or power comes in between, numbers wrap there. A clause says so in its own scenario.
#include <map>
#include <set>
#include <utility>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class OrderFaults : public ReplayTest {
 protected:
  /// Whether `id` fires in the scenario of another clause.
  template <class Kind>
  bool fires_in_that_of(const char* other, const char* id) {
    const Fault fault = fault_of<Kind>();
    return says(
        run(with_settings(scenario_of(find_rule(other)->scenario), settings_of_fault(other)),
            &fault),
        id);
  }
};

using Report = DXGKARGCB_NOTIFY_INTERRUPT_DATA;

bool completes(const Report& report) {
  return report.InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
}
bool answers(const Report& report) {
  return report.InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED;
}

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

// -- one interrupt, two engines

// Where an engine has answered, its packets are all that could have ended.
struct TellsOfAnswersAlone final : Interposer {
  BOOLEAN InterruptRoutine(PVOID context, ULONG message) override {
    answered_ = false;
    const BOOLEAN ours = Interposer::InterruptRoutine(context, message);
    answered_ = false;
    return ours;
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answered_ && completes(*data)) return;
    answered_ |= answers(*data);
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool answered_ = false;
};

TEST_F(OrderFaults, APacketThatEndsWhereTheOtherEngineAnswers) {
  EXPECT_TRUE(fires<TellsOfAnswersAlone>("FENCE-001"));
}

// The number that was read for one engine is used for the next.
struct AnswersWithTheOthersFence final : Interposer {
  BOOLEAN InterruptRoutine(PVOID context, ULONG message) override {
    read_ = 0;
    return Interposer::InterruptRoutine(context, message);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    Report altered = *data;
    if (completes(*data)) read_ = data->DmaCompleted.SubmissionFenceId;
    if (answers(*data) && read_ != 0) altered.DmaPreempted.LastCompletedFenceId = read_;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  UINT read_ = 0;
};

TEST_F(OrderFaults, AnAnswerWhereAPacketOfTheOtherEngineEnds) {
  EXPECT_TRUE(fires_in_that_of<AnswersWithTheOthersFence>("FENCE-001", "PREEMPT-006"));
}

// -- answers

// All that the hardware has to say is taken from it where its fence is asked for.
struct QueryTakesTheAnswer final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    pending_ = true;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    taken_ = pending_;
    return Interposer::QueryCurrentFence(adapter, query);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answers(*data)) {
      pending_ = false;
      if (std::exchange(taken_, false)) return;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool pending_ = false, taken_ = false;
};

TEST_F(OrderFaults, AnAnswerThatWaitsWhileTheEngineIsAsked) {
  EXPECT_TRUE(fires<QueryTakesTheAnswer>("PREEMPT-005"));
}

// An engine was found busy, and has told of its last packet before it is asked.
struct AsksWhoHasEnded final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    asks_ = true;
    ended_ = false;
    const NTSTATUS status = Interposer::PreemptCommand(adapter, preempt);
    asks_ = false;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    ended_ |= asks_ && completes(*data);
    if (answers(*data) && std::exchange(ended_, false)) return;
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool asks_ = false, ended_ = false;
};

TEST_F(OrderFaults, APacketThatEndsWhileItsEngineIsAsked) {
  EXPECT_TRUE(fires<AsksWhoHasEnded>("PREEMPT-005"));
}

// -- resets

// The reset of one engine dismisses what interrupts of any have to tell.
struct ResetDismissesAll final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    dismissed_ = true;
    return Interposer::ResetEngine(adapter, reset);
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    dismissed_ = false;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (dismissed_ && completes(*data)) return;
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool dismissed_ = false;
};

TEST_F(OrderFaults, APacketThatHadEndedBesideTheResetOfAnotherEngine) {
  EXPECT_TRUE(fires_in_that_of<ResetDismissesAll>("ENGRST-001", "FENCE-001"));
}

// A packet that was stopped is known by the fence that it had at first.
struct AbortsTheFirstFence final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    const auto buffer = submit->DmaBufferPhysicalAddress.QuadPart;
    const bool again = was_stopped_ && buffer == buffer_;
    if (submit->NodeOrdinal == 0 && !again) {
      first_ = submit->SubmissionFenceId;
      buffer_ = buffer;
      was_stopped_ = false;
    }
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->NodeOrdinal == 0 && was_stopped_) reset->LastAbortedFenceId = first_;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answers(*data) && data->DmaPreempted.NodeOrdinal == 0) was_stopped_ = true;
    Interposer::NotifyInterrupt(adapter, data);
  }
  LONGLONG buffer_ = 0;
  UINT first_ = 0;
  bool was_stopped_ = false;
};

TEST_F(OrderFaults, AResetOfWhatHadBeenStopped) {
  EXPECT_TRUE(fires<AbortsTheFirstFence>("ENGRST-002"));
}

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

// Nothing has completed but what was reported: an engine that empties in time was aborted before.
struct AbortsWhatWasReported final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    answered_ = false;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (answered_) reset->LastAbortedFenceId = completed_;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (completes(*data)) completed_ = data->DmaCompleted.SubmissionFenceId;
    answered_ |= answers(*data);
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool answered_ = false;
  UINT completed_ = 0;
};

TEST_F(OrderFaults, AnEngineThatEmptiesBehindAnotherReset) {
  EXPECT_TRUE(fires<AbortsWhatWasReported>("ENGRST-004"));
}

/// Asks no engine that seems to have been asked already.
struct RemembersRequests final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (!pending_.insert(preempt->NodeOrdinal).second) return STATUS_SUCCESS;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    pending_.erase(reset->NodeOrdinal);
    return Interposer::ResetEngine(adapter, reset);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answers(*data)) pending_.erase(data->DmaPreempted.NodeOrdinal);
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::set<UINT> pending_;
};

TEST_F(OrderFaults, ARequestThatTheResetOfTheAdapterHasEnded) {
  EXPECT_TRUE(fires_in_that_of<RemembersRequests>("TDR-004", "PREEMPT-005"));
}

// Where the registers are is kept from the first start: behind another nothing comes of a restart.
struct RestartsByTheFirstRegisters final : Interposer {
  NTSTATUS StartDevice(PVOID miniport, PDXGK_START_INFO info, PDXGKRNL_INTERFACE table,
                       PULONG sources, PULONG children) override {
    ++starts_;
    return Interposer::StartDevice(miniport, info, table, sources, children);
  }
  NTSTATUS RestartFromTimeout(HANDLE adapter) override {
    return starts_ > 1 ? STATUS_SUCCESS : Interposer::RestartFromTimeout(adapter);
  }
  int starts_ = 0;
};

TEST_F(OrderFaults, AResetAfterAnotherStart) {
  EXPECT_TRUE(fires<RestartsByTheFirstRegisters>("TDR-004"));
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
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (completes(*data)) {
      completed_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::map<UINT, UINT> submitted_, completed_;
  bool was_off_ = false;
};

TEST_F(OrderFaults, ARequestWhenPowerIsBack) {
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

TEST_F(OrderFaults, PowerThatComesBackToAnEngineThatWasReset) {
  EXPECT_TRUE(fires<LeavesWhatWasReset>("MCDM-036"));
}

TEST_F(OrderFaults, PowerThatComesBackFromAnotherState) {
  EXPECT_TRUE(fires<ComesFromD3Alone>("MCDM-036"));
  EXPECT_TRUE(fires<ComesFromSleepAlone>("MCDM-036"));
}

}  // namespace
}  // namespace wddm::harness
