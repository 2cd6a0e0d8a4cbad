// Drivers that go wrong in a rare order of events only: what is asked for crosses what ends, a
// reset or power comes in between, numbers wrap there. A clause says so in its own scenario.
#include <map>
#include <set>
#include <utility>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class OrderFaults : public ReplayTest {};

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

// A request is a command in the ring, which has room for packets alone.
struct AsksWhereThereIsRoom final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    ++packets_;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    const bool full = packets_ >= 16;
    const NTSTATUS status = Interposer::PreemptCommand(adapter, preempt);
    return full ? STATUS_INSUFFICIENT_RESOURCES : status;
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    packets_ = 0;  // those that end one by one never fill it
    Interposer::NotifyInterrupt(adapter, data);
  }
  unsigned packets_ = 0;
};

TEST_F(OrderFaults, ARequestToAnEngineThatIsFull) {
  EXPECT_TRUE(fires<AsksWhereThereIsRoom>("PREEMPT-004"));
}

// While one engine owes an answer none is given packets.
struct GivesNothingMeanwhile final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (owes_ && submit->NodeOrdinal != 0) return STATUS_SUCCESS;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    owes_ |= preempt->NodeOrdinal == 0;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answers(*data) && data->DmaPreempted.NodeOrdinal == 0) owes_ = false;
    Interposer::NotifyInterrupt(adapter, data);
  }
  bool owes_ = false;
};

TEST_F(OrderFaults, PacketsForTheOtherEngineBeforeTheAnswer) {
  EXPECT_TRUE(fires_in_that_of<GivesNothingMeanwhile>("PREEMPT-023", "FENCE-001"));
}

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

// What an engine has answered by the reset of the adapter is told as soon as anything is.
struct TellsBehindTheReset final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal == 0) asked_ = preempt->PreemptionFenceId;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  NTSTATUS ResetFromTimeout(HANDLE adapter) override {
    late_ = asked_;
    return Interposer::ResetFromTimeout(adapter);
  }
  void NotifyInterrupt(HANDLE adapter, const Report* data) override {
    if (answers(*data) && data->DmaPreempted.NodeOrdinal == 0) asked_ = 0;
    if (const UINT fence = std::exchange(late_, 0); fence != 0) {
      Report late{};
      late.InterruptType = DXGK_INTERRUPT_DMA_PREEMPTED;
      late.DmaPreempted.PreemptionFenceId = fence;
      Interposer::NotifyInterrupt(adapter, &late);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  UINT asked_ = 0, late_ = 0;
};

TEST_F(OrderFaults, AnAnswerThatTheResetOfTheAdapterHasEnded) {
  EXPECT_TRUE(fires_in_that_of<TellsBehindTheReset>("TDR-002", "PREEMPT-005"));
}

// A fence of paging comes twice at most.
struct TakesAFenceTwice final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->Flags.Paging && ++times_[submit->SubmissionFenceId] > 2) return STATUS_SUCCESS;
    return Interposer::SubmitCommand(adapter, submit);
  }
  std::map<UINT, int> times_;
};

TEST_F(OrderFaults, PagingThatIsPreemptedAgain) {
  EXPECT_TRUE(fires<TakesAFenceTwice>("PREEMPT-017"));
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

}  // namespace
}  // namespace wddm::harness
