// Packets that have ended and that nobody was told of: faults of clauses that have another seeded
// one, caught by the clause in its own scenario.
#include <map>

#include "conformance/harness/tests/replay_support.h"

namespace wddm::harness {
namespace {

class UntoldCompletions : public ReplayTest {};

// Nothing is at work, so it answers with what it has told, and whatever has ended since is not.
struct IdleMeansTold final : Interposer {
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    inside_ = true;
    const NTSTATUS status = Interposer::PreemptCommand(adapter, preempt);
    inside_ = false;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      if (inside_) return;
      told_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && inside_) {
      altered.DmaPreempted.LastCompletedFenceId = told_[data->DmaPreempted.NodeOrdinal];
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }
  std::map<UINT, UINT> told_;  // by node
  bool inside_ = false;
};

TEST_F(UntoldCompletions, IdleEnginesAnswerWithWhatWasTold) {
  EXPECT_TRUE(fires<IdleMeansTold>("PREEMPT-007"));
}

}  // namespace
}  // namespace wddm::harness
