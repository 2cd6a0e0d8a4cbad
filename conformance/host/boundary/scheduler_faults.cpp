#include "conformance/host/boundary/scheduler_faults.h"

#include <map>

#include "conformance/host/boundary/fault_seats.h"

namespace wddm::host {
namespace {

// SPLIT-016: a portion does not wait for its page-ins.
class SubmitsBeforePageIn final : public DecisionSeat {
  vidsch::EnqueuePaging order(const vidsch::EnqueuePaging& paging) override {
    vidsch::EnqueuePaging unordered = paging;
    unordered.before = {};
    return unordered;
  }
};

// SPLIT-017: other contexts run between portions, whatever the driver can bear.
class InterleavesPortions final : public DecisionSeat {
  void configure(vidsch::Config& config) override { config.preemption_aware = true; }
  bool interleaves(bool) override { return true; }
};

// SUBMIT-011: what the hardware has is cancelled too.
class CancelsWhatIsSubmitted final : public DecisionSeat {
  bool cancels_what_is_submitted() override { return true; }
};

// SUBMIT-004: the fence is known once Patch has returned.
class PatchesWithTheLastFence final : public DecisionSeat {
  FenceId told_by_patch(FenceId fence) override { return FenceId{fence.value - 1}; }
};

// PREEMPT-002
class ResetsUnasked final : public DecisionSeat {
  bool resets_unasked() override { return true; }
};

// PREEMPT-016
class HidesResubmission final : public DecisionSeat {
  bool tells_resubmission() override { return false; }
};

// Other numbers for packets that come again.
class AltersFences : public DecisionSeat {
 public:
  void submits(PacketOrdinal packet, bool paging, FenceId fence) final {
    const auto [known, is_new] = first_.try_emplace(packet.value, fence);
    if (!is_new && paging == alters_paging()) told_[fence.value] = number_for(known->second);
  }
  FenceId told(FenceId fence) final {
    const auto found = told_.find(fence.value);
    return found == told_.end() ? fence : found->second;
  }
  FenceId told_by_patch(FenceId fence) final { return told(fence); }
  FenceId heard(FenceId fence) final {
    for (const auto& [own, told] : told_) {
      if (told == fence) return FenceId{own};
    }
    return fence;
  }

 private:
  [[nodiscard]] virtual bool alters_paging() const = 0;
  [[nodiscard]] virtual FenceId number_for(FenceId first) = 0;

  std::map<std::uint32_t, FenceId> first_;  // of each packet
  std::map<std::uint32_t, FenceId> told_;   // by the scheduler's number
};

// PREEMPT-018: paging that was preempted gets a new fence.
class RenewsPagingFences final : public AltersFences {
  [[nodiscard]] bool alters_paging() const override { return true; }
  [[nodiscard]] FenceId number_for(FenceId) override { return FenceId{next_++}; }
  std::uint32_t next_ = 0x10000000;
};

// PREEMPT-020: rendering that was preempted keeps its fence.
class KeepsRenderFences final : public AltersFences {
  [[nodiscard]] bool alters_paging() const override { return false; }
  [[nodiscard]] FenceId number_for(FenceId first) override { return first; }
};

// PREEMPT-027
class PreemptsTwice final : public DecisionSeat {
  std::uint32_t preemption_calls() override { return 2; }
};

// SCHED-008
class ForgetsWhatWasStopped final : public DecisionSeat {
  bool forgets_stopped() override { return true; }
};

// SCHED-009
class QueuesBeyondCaps final : public DecisionSeat {
  void configure(vidsch::Config& config) override {
    config.hardware_queue_cap = config.adapter_queue_cap = 0;
  }
};

// PREEMPT-019
class PagesAfterOthers final : public DecisionSeat {
  void configure(vidsch::Config& config) override { config.paging_first = false; }
};

// ENGRST-005
class LeavesItAtTheEngine final : public DecisionSeat {
  bool promotes() override { return false; }
};

// ENGRST-007
class AsksForNoDependents final : public DecisionSeat {
  bool asks_for_dependents() override { return false; }
};

// ENGRST-010
class ListensAfterSnapshot final : public DecisionSeat {
  bool listens_after_snapshot() override { return true; }
};

constexpr FaultSeat kSchedulerSeats[] = {
    {OracleFault::SubmitBeforePageIn, make_seat<SubmitsBeforePageIn>},
    {OracleFault::InterleavePortions, make_seat<InterleavesPortions>},
    {OracleFault::CancelWhatIsSubmitted, make_seat<CancelsWhatIsSubmitted>},
    {OracleFault::PatchToldAnotherFence, make_seat<PatchesWithTheLastFence>},
    {OracleFault::ResetUnasked, make_seat<ResetsUnasked>},
    {OracleFault::ResubmissionUntold, make_seat<HidesResubmission>},
    {OracleFault::PagingFenceRenewed, make_seat<RenewsPagingFences>},
    {OracleFault::RenderFenceKept, make_seat<KeepsRenderFences>},
    {OracleFault::PreemptTwice, make_seat<PreemptsTwice>},
    {OracleFault::StoppedIsLost, make_seat<ForgetsWhatWasStopped>},
    {OracleFault::QueueBeyondCap, make_seat<QueuesBeyondCaps>},
    {OracleFault::PagingAfterOthers, make_seat<PagesAfterOthers>},
    {OracleFault::NotPromoted, make_seat<LeavesItAtTheEngine>},
    {OracleFault::DependentsUnasked, make_seat<AsksForNoDependents>},
    {OracleFault::ListenAfterSnapshot, make_seat<ListensAfterSnapshot>},
};

}  // namespace

std::unique_ptr<DecisionSeat> scheduler_fault(OracleFault fault) {
  return seat_among(kSchedulerSeats, fault);
}

}  // namespace wddm::host
