// Drivers whose engines are reset well while they have one packet, and not where they have several,
// none, or company: another engine at work, another reset right before. A clause says so in its own
// scenario, or in that of another clause of resets.
#include <map>

#include "conformance/harness/tests/replay_support.h"
#include "conformance/rules/rule.h"

namespace wddm::harness {
namespace {

class ResetFaults : public ReplayTest {};

// The hardware has one reset for all engines, and the driver names none that goes along.
template <UINT kNode>
struct TakesTheOtherAlong final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (reset->NodeOrdinal == kNode) {
      DXGKARG_RESETENGINE other = *reset;
      other.NodeOrdinal = 1 - kNode;
      static_cast<void>(Interposer::ResetEngine(adapter, &other));
    }
    return Interposer::ResetEngine(adapter, reset);
  }
};

TEST_F(ResetFaults, WorkOfAnEngineBesideTheResetOfAnother) {
  EXPECT_TRUE(fires_in_that_of<TakesTheOtherAlong<0>>("ENGRST-006", "FENCE-001"));
  EXPECT_TRUE(fires_in_that_of<TakesTheOtherAlong<1>>("ENGRST-006", "FENCE-001"));
}

// What the engine was given last, by the driver's own count.
struct KnowsTheLast : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    last_[submit->NodeOrdinal] = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  std::map<UINT, UINT> last_;
};

// Of several packets the one behind that which ran is named.
struct NamesTheNext final : KnowsTheLast {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->LastAbortedFenceId != last_[reset->NodeOrdinal]) ++reset->LastAbortedFenceId;
    return status;
  }
};
// ... or the one before it.
struct NamesTheOneBefore final : KnowsTheLast {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    if (reset->LastAbortedFenceId != last_[reset->NodeOrdinal]) --reset->LastAbortedFenceId;
    return status;
  }
};

TEST_F(ResetFaults, OneOfSeveralPackets) {
  EXPECT_TRUE(fires<NamesTheNext>("ENGRST-002"));
  EXPECT_TRUE(fires<NamesTheOneBefore>("ENGRST-002"));
}

// What a reset has aborted is kept until something completes.
struct NamesWhatTheLastResetAborted final : Interposer {
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    const auto kept = aborted_.try_emplace(reset->NodeOrdinal, reset->LastAbortedFenceId).first;
    reset->LastAbortedFenceId = kept->second;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      aborted_.erase(data->DmaCompleted.NodeOrdinal);
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  std::map<UINT, UINT> aborted_;
};

TEST_F(ResetFaults, AResetRightBehindAnother) {
  EXPECT_TRUE(fires<NamesWhatTheLastResetAborted>("ENGRST-002"));
}

// An engine that was reset does not start with its first packet, but with its second.
template <UINT kNode>
struct DropsTheFirstPacket final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == kNode && was_reset_) {
      was_reset_ = false;
      return STATUS_SUCCESS;
    }
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    was_reset_ |= reset->NodeOrdinal == kNode;
    return Interposer::ResetEngine(adapter, reset);
  }
  bool was_reset_ = false;
};

TEST_F(ResetFaults, WorkBehindAReset) {
  EXPECT_TRUE(fires_in_that_of<DropsTheFirstPacket<0>>("ENGRST-001", "FENCE-001"));
  EXPECT_TRUE(fires_in_that_of<DropsTheFirstPacket<1>>("ENGRST-003", "FENCE-001"));
}

// The second engine, which nobody else preempts, is not looked at where it has emptied.
struct FindsNothingOnTheSecond final : Interposer {
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 1) at_work_ = true;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
        data->DmaPreempted.NodeOrdinal == 1) {
      at_work_ = false;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    if (reset->NodeOrdinal == 1 && !at_work_) return STATUS_UNSUCCESSFUL;
    return Interposer::ResetEngine(adapter, reset);
  }
  bool at_work_ = false;
};

TEST_F(ResetFaults, AnotherEngineThatIsEmptyByThen) {
  EXPECT_TRUE(fires<FindsNothingOnTheSecond>("ENGRST-004"));
}

}  // namespace
}  // namespace wddm::harness
