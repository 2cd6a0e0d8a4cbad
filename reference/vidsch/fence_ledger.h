// Which fences of one engine are outstanding, and whether a report about them is legal.
//
// The ledger is told what was seen at the boundary: packets submitted, preemption requested,
// reports of the driver, resets. It judges each report by FENCE-001..003, FENCE-007,
// PREEMPT-005..008, PREEMPT-011, SUBMIT-008, ENGRST-002..003 and TDR-002, and each new identifier
// by PREEMPT-018, PREEMPT-020 and PREEMPT-027. Order means order of submission, never of numbers:
// paging fences are reused after a preemption, and 32 bits may wrap. Left out: packets, contexts,
// time, whether the hardware really finished (memory shows that), and a second request before the
// first is answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reference/types.h"

namespace wddm::vidsch {

enum class PacketKind : std::uint8_t {
  Render,  ///< DXGK_SUBMITCOMMANDFLAGS.Paging = 0, whatever the packet contains.
  Paging,  ///< Paging = 1.
};

/// Judgement of what the OS submitted. Our own scheduler must always see Accepted.
enum class SubmitOutcome : std::uint8_t {
  Accepted,
  FenceOutstanding,    ///< The fence belongs to a packet or request that isn't settled yet.
  FenceUsed,           ///< The fence was used before, and not by a preempted paging packet.
  RenderFenceReused,   ///< A preempted fence comes back on a render packet (PREEMPT-020).
  RequestOutstanding,  ///< Second preemption request before the answer to the first (PREEMPT-027).
};

/// Judgement of what the driver reported.
enum class ReportOutcome : std::uint8_t {
  Accepted,
  Repeated,  ///< Names the last completed fence again: undocumented, tolerated (FENCE-003).

  // DXGK_INTERRUPT_DMA_COMPLETED
  UnknownFence,     ///< Never submitted to this engine (FENCE-003).
  OutOfOrder,       ///< Its completion was already implied by a later fence (FENCE-002).
  AlreadyReported,  ///< Was reported itself, and a later fence since (FENCE-002).
  WasPreempted,     ///< Preempted and not submitted again (PREEMPT-011).
  WasReset,         ///< Submitted or requested before a reset of the engine (TDR-002, FENCE-003).
  PreemptionFence,  ///< Names a preemption request, which completes nothing (PREEMPT-008).

  // DXGK_INTERRUPT_DMA_PREEMPTED
  UnexpectedPreempted,   ///< No request is outstanding and none had this id (PREEMPT-005).
  AlreadyAnswered,       ///< The request was answered before (PREEMPT-005).
  PreemptionIdMismatch,  ///< A request is outstanding, with another id (PREEMPT-005).
  LastCompletedUnknown,  ///< LastCompletedFenceId was never submitted here (PREEMPT-006).
  LastCompletedTooOld,   ///< ... lies before the last completed fence (PREEMPT-007, FENCE-007).
  LastCompletedWasPreempted,  ///< ... was preempted by an earlier request (PREEMPT-006).
  LastCompletedWasReset,      ///< ... was aborted by a reset and isn't the last completed fence.
  LastCompletedAfterRequest,  ///< ... was submitted after the request (PREEMPT-012).
  LastCompletedIsPreemption,  ///< ... is a PreemptionFenceId (PREEMPT-008).

  // DxgkDdiResetEngine
  AbortedOutOfRange,  ///< LastAbortedFenceId isn't between last completed and last submitted.
};

/// Whether the driver may make this report.
constexpr bool is_legal(ReportOutcome outcome) {
  return outcome == ReportOutcome::Accepted || outcome == ReportOutcome::Repeated;
}

const char* name(SubmitOutcome outcome);
const char* name(ReportOutcome outcome);

/// What became of an identifier.
enum class FenceState : std::uint8_t {
  Outstanding,  ///< A packet the driver has and hasn't reported.
  Rejected,     ///< SubmitCommandVirtual refused it; completes when all before it did (SUBMIT-008).
  Completed,
  Preempted,  ///< Went back to the OS: preempted, or not reached by an engine reset.
  Dropped,    ///< Was Rejected when it went back; it never completes.
  Aborted,    ///< Ended by a reset.
  Requested,  ///< A preemption request without an answer.
  Answered,   ///< A preemption request with its answer.
  Cancelled,  ///< A preemption request that a reset ended.
};

/// The fences of one engine (NodeOrdinal, EngineOrdinal). A plain value; allocates only when made,
/// a copy also later.
///
/// An event that is judged illegal changes nothing.
class FenceLedger {
 public:
  /// Remembers the newest `capacity` identifiers; more may not be outstanding at a time. A fence
  /// that has been forgotten counts as never submitted.
  explicit FenceLedger(std::size_t capacity = 1024);
  /// Back to the state of a new ledger.
  void clear();

  // ---- What the OS did.
  [[nodiscard]] SubmitOutcome submitted(FenceId fence, PacketKind kind);
  [[nodiscard]] SubmitOutcome preempt_requested(FenceId fence);
  /// SubmitCommandVirtual returned STATUS_INVALID_PARAMETER for the outstanding `fence`.
  void rejected(FenceId fence);

  // ---- What the driver reported.
  /// DMA_COMPLETED; also a page fault that names a fence. Covers every packet up to `fence`.
  [[nodiscard]] ReportOutcome completed(FenceId fence);
  /// DMA_PREEMPTED. Packets between `last_completed` and the request go back to the OS.
  [[nodiscard]] ReportOutcome preempted(FenceId preemption, FenceId last_completed);
  /// DxgkDdiResetEngine returned this LastAbortedFenceId. Packets before it count as completed,
  /// packets behind it go back to the OS, the outstanding request is cancelled.
  [[nodiscard]] ReportOutcome engine_reset(FenceId last_aborted);
  /// DxgkDdiResetFromTimeout: everything outstanding is aborted, LCF becomes LSF.
  void adapter_reset();

  // ---- The same judgements without their consequences.
  [[nodiscard]] SubmitOutcome judge_submitted(FenceId fence, PacketKind kind) const;
  [[nodiscard]] ReportOutcome judge_completed(FenceId fence) const;
  [[nodiscard]] ReportOutcome judge_preempted(FenceId preemption, FenceId last_completed) const;
  [[nodiscard]] ReportOutcome judge_engine_reset(FenceId last_aborted) const;

  // ---- Questions.
  [[nodiscard]] std::size_t outstanding_count() const { return outstanding_; }
  /// Writes the outstanding fences, oldest first, as many as fit; returns how many those are.
  std::size_t outstanding(std::span<FenceId> out) const;
  /// How many of them, the oldest, a report of `fence` covers: its own packet and those before it,
  /// be it outstanding or rejected. None if it is neither.
  [[nodiscard]] std::size_t covered_by(FenceId fence) const;
  /// LCF: the fence that DmaPreempted and QueryCurrentFence must give; nothing before the first.
  [[nodiscard]] std::optional<FenceId> last_completed() const;
  /// LSF: the packet submitted last, whatever became of it.
  [[nodiscard]] std::optional<FenceId> last_submitted() const { return last_submitted_; }
  /// The preemption request that has no answer yet.
  [[nodiscard]] std::optional<FenceId> pending_preemption() const;
  /// What became of the newest use of `fence`; nothing if it is unknown.
  [[nodiscard]] std::optional<FenceState> state_of(FenceId fence) const;

  void validate() const;

 private:
  /// Counts identifiers from 1, so that 0 can mean "none"; never reused.
  using Position = std::uint64_t;

  struct Entry {
    FenceId fence{};
    PacketKind kind = PacketKind::Render;
    FenceState state = FenceState::Outstanding;
    bool reported = false;  // named by a report itself, not only covered by a later one
    Position previous = 0;  // older entry of the same bucket
  };

  [[nodiscard]] Entry& at(Position position) { return ring_[(position - 1) % capacity_]; }
  [[nodiscard]] const Entry& at(Position position) const {
    return ring_[(position - 1) % capacity_];
  }
  [[nodiscard]] Position oldest() const { return next_ > capacity_ ? next_ - capacity_ : 1; }
  [[nodiscard]] std::size_t bucket(FenceId fence) const { return fence.value % heads_.size(); }
  [[nodiscard]] Position find(FenceId fence) const;
  Position append(FenceId fence, PacketKind kind, FenceState state);

  [[nodiscard]] ReportOutcome judge_last_completed(FenceId last_completed) const;
  void complete_through(Position position);
  void send_back(Position end);
  void settle();

  std::size_t capacity_;
  std::vector<Entry> ring_;      // grows up to the capacity
  std::vector<Position> heads_;  // newest position per bucket of fence numbers
  Position next_ = 1;            // of the next identifier
  Position live_ = 1;            // no entry before it is Outstanding or Rejected
  Position request_ = 0;         // preemption request without an answer
  Position last_completed_ = 0;
  FenceId last_completed_fence_{};  // kept apart: its entry may have been forgotten
  Position reset_floor_ = 1;        // identifiers before it are of before the last reset
  std::optional<FenceId> last_submitted_;
  std::optional<FenceId> last_reported_;
  std::size_t outstanding_ = 0;
};

}  // namespace wddm::vidsch
