// Drivers that go wrong where they are asked to stop, to reset or to tell a fence in a state that
// is not the usual one: an engine that is empty, the other of two, numbers that wrap, a second
// start. A clause says so in its own scenario.
#include <map>
#include <set>
#include <utility>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class SchedulingFaults : public ReplayTest {};

// -- requests to preempt

// An engine is busy until the packet that it was given last has completed. Its hardware, which has
// nothing, says nothing.
struct WaitsForWhatWasTakenBack final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) {
      submitted_ = submit->SubmissionFenceId;
      has_packets_ = true;
    }
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    const bool asks_hardware = preempt->NodeOrdinal == 0 && completed_ != submitted_;
    if (asks_hardware && !has_packets_) return STATUS_SUCCESS;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->NodeOrdinal == 0) empty_at(reset->LastAbortedFenceId);
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
               data->DmaPreempted.NodeOrdinal == 0) {
      empty_at(data->DmaPreempted.LastCompletedFenceId);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }

 private:
  void empty_at(UINT completed) {
    completed_ = completed;
    has_packets_ = false;
  }
  UINT submitted_ = 0, completed_ = 0;
  bool has_packets_ = false;
};

TEST_F(SchedulingFaults, AnEngineThatAPreemptionHasEmptied) {
  EXPECT_TRUE(fires<WaitsForWhatWasTakenBack>("PREEMPT-005"));
}

// The same after resets alone.
struct WaitsForWhatAResetTook final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) {
      submitted_ = submit->SubmissionFenceId;
      was_reset_ = false;
    }
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal == 0 && was_reset_ && aborted_ != submitted_) return STATUS_SUCCESS;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->NodeOrdinal != 0) return status;
    was_reset_ = true;
    aborted_ = reset->LastAbortedFenceId;
    return status;
  }
  UINT submitted_ = 0, aborted_ = 0;
  bool was_reset_ = false;
};

TEST_F(SchedulingFaults, AnEngineThatAResetHasEmptied) {
  EXPECT_TRUE(fires<WaitsForWhatAResetTook>("PREEMPT-005"));
}

// A reset of one engine forgets what all of them were asked for.
struct ResetForgetsAllRequests final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    pending_.insert(preempt->NodeOrdinal);
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    pending_.clear();
    return Interposer::ResetEngine(adapter, reset);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        pending_.erase(data->DmaPreempted.NodeOrdinal) == 0) {
      return;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::set<UINT> pending_;
};

TEST_F(SchedulingFaults, ARequestBesideTheResetOfAnotherEngine) {
  EXPECT_TRUE(fires<ResetForgetsAllRequests>("PREEMPT-005"));
}

// What a request wanted has come about by the reset: it is answered as soon as anything is.
struct AnswersBehindTheReset final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal == 0) asked_ = preempt->PreemptionFenceId;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->NodeOrdinal != 0 || asked_ == 0) return status;
    late_.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
    late_.DmaPreempted.PreemptionFenceId = std::exchange(asked_, 0);
    late_.DmaPreempted.LastCompletedFenceId = reset->LastAbortedFenceId;
    is_late_ = true;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (std::exchange(is_late_, false)) Interposer::NotifyInterrupt(adapter, &late_);
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        data->DmaPreempted.NodeOrdinal == 0) {
      asked_ = 0;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  UINT asked_ = 0;
  bool is_late_ = false;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA late_{};
};

TEST_F(SchedulingFaults, ARequestThatAResetHasEnded) {
  EXPECT_TRUE(fires<AnswersBehindTheReset>("PREEMPT-005"));
}

// -- fences

// A reset of one engine moves the fence of all.
struct ResetMovesAllFences final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    aborted_ = reset->LastAbortedFenceId;
    return status;
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    if (query->NodeOrdinal != 0 && aborted_ != 0) query->CurrentFence = aborted_;
    return status;
  }
  UINT aborted_ = 0;
};

TEST_F(SchedulingFaults, TheFenceOfAnotherEngineAfterAReset) {
  EXPECT_TRUE(fires_in_that_of<ResetMovesAllFences>("ENGRST-003", "FENCE-005"));
}

// ... or, of a link, that of the GPU that leads it alone.
struct ResetMovesFencesOfTheLead final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    stays_ |= reset->EngineOrdinal != 0;
    return Interposer::ResetEngine(adapter, reset);
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    if (query->EngineOrdinal != 0 && stays_) query->CurrentFence = completed_;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.EngineOrdinal != 0 && data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
      stays_ = false;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  UINT completed_ = 0;
  bool stays_ = false;
};

TEST_F(SchedulingFaults, TheFenceOfTheOtherGpuAfterAReset) {
  EXPECT_TRUE(fires<ResetMovesFencesOfTheLead>("ENGRST-003", Configured::Linked));
}

/// Passes what QueryCurrentFence reports through one method.
struct OfQueries : Interposer {
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    asks_ = true;
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    asks_ = false;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    const bool completed = data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED;
    if (completed && !alter(altered)) return;
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  /// False: it is not reported. Called for other reports of completion too.
  virtual bool alter(DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) = 0;
  bool asks_ = false;
};

struct FindsWorkOfNodeZero final : OfQueries {
  bool alter(DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override {
    if (asks_) data.DmaCompleted.NodeOrdinal = 0;
    return true;
  }
};

TEST_F(SchedulingFaults, AMissedFenceOfTheOtherNode) {
  EXPECT_TRUE(fires<FindsWorkOfNodeZero>("FENCE-005"));
}

// Newer is what is the greater number.
template <class Number>
struct FindsGreaterNumbers final : OfQueries {
  NTSTATUS StopDevice(PVOID context) override {
    last_.clear();
    return Interposer::StopDevice(context);
  }
  bool alter(DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) override {
    const auto fence = static_cast<Number>(data.DmaCompleted.SubmissionFenceId);
    const auto last = last_.try_emplace(data.DmaCompleted.NodeOrdinal, fence).first;
    if (asks_ && fence < last->second) return false;
    last->second = fence;
    return true;
  }
  std::map<UINT, Number> last_;
};

TEST_F(SchedulingFaults, AMissedFenceBehindTheEndOfNumbers) {
  EXPECT_TRUE(fires<FindsGreaterNumbers<UINT>>("FENCE-005"));
  EXPECT_TRUE(fires<FindsGreaterNumbers<INT>>("FENCE-005"));
}

// -- page faults

// What an interrupt has to tell of page faults comes last.
template <DXGK_INTERRUPT_TYPE kBefore>
struct TellsOfFaultsLast final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal == 0) asked_ = preempt->PreemptionFenceId;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) asked_ = 0;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    const bool faulted = data->InterruptType == DXGK_INTERRUPT_DMA_PAGE_FAULTED;
    if (faulted && asked_ != 0) tell(adapter, data->DmaPageFaulted.FaultedFenceId);
    Interposer::NotifyInterrupt(adapter, data);
  }
  void tell(HANDLE adapter, UINT faulted) {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA before{};
    before.InterruptType = kBefore;
    if (kBefore == DXGK_INTERRUPT_DMA_PREEMPTED) {
      before.DmaPreempted.PreemptionFenceId = std::exchange(asked_, 0);
      before.DmaPreempted.LastCompletedFenceId = completed_;
    } else {
      before.DmaCompleted.SubmissionFenceId = faulted;
    }
    Interposer::NotifyInterrupt(adapter, &before);
  }
  UINT asked_ = 0, completed_ = 0;
};

TEST_F(SchedulingFaults, AFaultThatIsToldBehindAnAnswerOrItsCompletion) {
  EXPECT_TRUE(fires<TellsOfFaultsLast<DXGK_INTERRUPT_DMA_PREEMPTED>>("MMU-014"));
  EXPECT_TRUE(fires<TellsOfFaultsLast<DXGK_INTERRUPT_DMA_COMPLETED>>("MMU-014"));
}

// -- where packets were stopped

/// Has the driver forget where the context was stopped whose packet was submitted first.
struct ForgetsTheFirst : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (first_ == nullptr && !submit->Flags.Paging) first_ = submit->hContext;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void forget(HANDLE adapter) {
    DXGKARG_CANCELCOMMAND cancel{};
    cancel.hContext = first_;
    static_cast<void>(Interposer::CancelCommand(adapter, &cancel));
  }
  HANDLE first_ = nullptr;
};

struct CancelsWhatIsOnTheEngine final : ForgetsTheFirst {
  NTSTATUS CancelCommand(HANDLE adapter, const DXGKARG_CANCELCOMMAND*) override {
    forget(adapter);
    return STATUS_SUCCESS;
  }
};

TEST_F(SchedulingFaults, AStoppedPacketBesideThoseThatAreCancelled) {
  EXPECT_TRUE(fires<CancelsWhatIsOnTheEngine>("PREEMPT-015"));
}

struct ResetForgetsAllStops final : ForgetsTheFirst {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (reset->NodeOrdinal == 1) forget(adapter);
    return Interposer::ResetEngine(adapter, reset);
  }
};

TEST_F(SchedulingFaults, AStoppedPacketBesideTheResetOfAnotherEngine) {
  EXPECT_TRUE(fires<ResetForgetsAllStops>("PREEMPT-015"));
}

// The place where a cancelled packet was stopped is kept by the number of its context, which
// another one has then. Its first packet goes on there, at its end.
struct KeepsStopsOfCancelledPackets final : Interposer {
  NTSTATUS CancelCommand(HANDLE adapter, const DXGKARG_CANCELCOMMAND* cancel) override {
    cancelled_ = true;
    return Interposer::CancelCommand(adapter, cancel);
  }
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* create) override {
    const NTSTATUS status = Interposer::CreateContext(device, create);
    if (cancelled_ && !create->Flags.SystemContext) later_.insert(create->hContext);
    return status;
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (later_.erase(submit->hContext) != 0) {
      altered.DmaBufferSubmissionStartOffset = submit->DmaBufferSubmissionEndOffset;
    }
    return Interposer::SubmitCommand(adapter, &altered);
  }
  bool cancelled_ = false;
  std::set<HANDLE> later_;
};

TEST_F(SchedulingFaults, AContextInThePlaceOfACancelledOne) {
  EXPECT_TRUE(fires_in_that_of<KeepsStopsOfCancelledPackets>("SUBMIT-010", "SUBMIT-015"));
}

}  // namespace
}  // namespace wddm::harness
