#include "reference/vidsch/fence_ledger.h"

#include <algorithm>
#include <bit>

#include "reference/harness_assert.h"

namespace wddm::vidsch {

// Chains are searched from new to old, and it is the new ones that are asked for: few buckets are
// fast enough, and cleared sooner.
constexpr std::size_t kPerBucket = 8;

FenceLedger::FenceLedger(std::size_t capacity)
    : capacity_(capacity), heads_(std::max(std::bit_ceil(capacity) / kPerBucket, std::size_t{1})) {
  HARNESS_ASSERT(capacity != 0);
  ring_.reserve(capacity);
}

void FenceLedger::clear() {
  std::fill(heads_.begin(), heads_.end(), 0);
  ring_.clear();
  next_ = live_ = reset_floor_ = 1;
  request_ = last_completed_ = 0;
  last_completed_fence_ = {};
  last_submitted_.reset();
  last_reported_.reset();
  outstanding_ = 0;
}

// Identifiers of one bucket are chained from new to old; a chain ends where the ring was
// overwritten.
FenceLedger::Position FenceLedger::find(FenceId fence) const {
  Position position = heads_[bucket(fence)];
  while (position >= oldest() && position != 0 && at(position).fence != fence)
    position = at(position).previous;
  return position >= oldest() ? position : 0;
}

FenceLedger::Position FenceLedger::append(FenceId fence, PacketKind kind, FenceState state) {
  if (next_ > capacity_) HARNESS_ASSERT(oldest() < live_ && oldest() != request_);
  if (ring_.size() < capacity_) ring_.emplace_back();
  Position& head = heads_[bucket(fence)];
  at(next_) = {.fence = fence, .kind = kind, .state = state, .reported = false, .previous = head};
  head = next_;
  return next_++;
}

// ------------------------------------------------------------------------------ what the OS did

SubmitOutcome FenceLedger::judge_submitted(FenceId fence, PacketKind kind) const {
  const Position known = find(fence);
  if (known == 0) return SubmitOutcome::Accepted;
  const Entry& entry = at(known);
  switch (entry.state) {
    case FenceState::Outstanding:
    case FenceState::Rejected:
    case FenceState::Requested:
      return SubmitOutcome::FenceOutstanding;
    case FenceState::Preempted:
      if (kind == PacketKind::Render) return SubmitOutcome::RenderFenceReused;
      return entry.kind == PacketKind::Paging ? SubmitOutcome::Accepted : SubmitOutcome::FenceUsed;
    case FenceState::Completed:
    case FenceState::Dropped:
    case FenceState::Aborted:
    case FenceState::Answered:
    case FenceState::Cancelled:
      break;
  }
  return SubmitOutcome::FenceUsed;
}

SubmitOutcome FenceLedger::submitted(FenceId fence, PacketKind kind) {
  const SubmitOutcome outcome = judge_submitted(fence, kind);
  if (outcome != SubmitOutcome::Accepted) return outcome;
  append(fence, kind, FenceState::Outstanding);
  last_submitted_ = fence;
  ++outstanding_;
  return outcome;
}

SubmitOutcome FenceLedger::preempt_requested(FenceId fence) {
  if (request_ != 0) return SubmitOutcome::RequestOutstanding;
  if (const Position known = find(fence); known != 0) {
    const FenceState state = at(known).state;
    const bool live = state == FenceState::Outstanding || state == FenceState::Rejected;
    return live ? SubmitOutcome::FenceOutstanding : SubmitOutcome::FenceUsed;
  }
  request_ = append(fence, PacketKind::Render, FenceState::Requested);
  return SubmitOutcome::Accepted;
}

void FenceLedger::rejected(FenceId fence) {
  const Position position = find(fence);
  HARNESS_ASSERT(position != 0 && at(position).state == FenceState::Outstanding);
  at(position).state = FenceState::Rejected;
  --outstanding_;
  settle();
}

// --------------------------------------------------------------------- what the driver reported

ReportOutcome FenceLedger::judge_completed(FenceId fence) const {
  const Position position = find(fence);
  if (position == 0) return ReportOutcome::UnknownFence;
  const Entry& entry = at(position);
  const bool reset = position < reset_floor_;
  switch (entry.state) {
    case FenceState::Requested:
    case FenceState::Answered:
    case FenceState::Cancelled:
      return ReportOutcome::PreemptionFence;
    case FenceState::Outstanding:
    case FenceState::Rejected:
      return reset ? ReportOutcome::WasReset : ReportOutcome::Accepted;
    case FenceState::Completed:
      if (reset) return ReportOutcome::WasReset;
      if (position == last_completed_ || fence == last_reported_) return ReportOutcome::Repeated;
      return entry.reported ? ReportOutcome::AlreadyReported : ReportOutcome::OutOfOrder;
    case FenceState::Preempted:
    case FenceState::Dropped:
    case FenceState::Aborted:
      break;
  }
  return reset ? ReportOutcome::WasReset : ReportOutcome::WasPreempted;
}

ReportOutcome FenceLedger::completed(FenceId fence) {
  const ReportOutcome outcome = judge_completed(fence);
  if (!is_legal(outcome)) return outcome;
  const Position position = find(fence);
  at(position).reported = true;
  last_reported_ = fence;
  if (outcome == ReportOutcome::Accepted) {
    complete_through(position);
    settle();
  }
  return outcome;
}

ReportOutcome FenceLedger::judge_preempted(FenceId preemption, FenceId last_completed) const {
  const auto state = state_of(preemption);
  if (state == FenceState::Answered) return ReportOutcome::AlreadyAnswered;
  if (state == FenceState::Cancelled) return ReportOutcome::WasReset;
  if (request_ == 0) return ReportOutcome::UnexpectedPreempted;
  if (at(request_).fence != preemption) return ReportOutcome::PreemptionIdMismatch;
  return judge_last_completed(last_completed);
}

ReportOutcome FenceLedger::judge_last_completed(FenceId last_completed) const {
  if (last_completed_ != 0 && last_completed == last_completed_fence_)
    return ReportOutcome::Accepted;
  const Position position = find(last_completed);
  if (position == 0) {
    // No source says what a driver reports before its first completion, so anything goes.
    if (last_completed_ == 0) return ReportOutcome::Accepted;
    return ReportOutcome::LastCompletedUnknown;
  }
  switch (at(position).state) {
    case FenceState::Outstanding:
    case FenceState::Rejected:
      break;
    case FenceState::Completed:
      return ReportOutcome::LastCompletedTooOld;
    case FenceState::Preempted:
    case FenceState::Dropped:
      return ReportOutcome::LastCompletedWasPreempted;
    case FenceState::Aborted:
      return ReportOutcome::LastCompletedWasReset;
    case FenceState::Requested:
    case FenceState::Answered:
    case FenceState::Cancelled:
      return ReportOutcome::LastCompletedIsPreemption;
  }
  if (position > request_) return ReportOutcome::LastCompletedAfterRequest;
  // A rejected packet right behind it has completed with it.
  for (Position next = position + 1; next < request_; ++next) {
    if (at(next).state == FenceState::Outstanding) break;
    if (at(next).state == FenceState::Rejected) return ReportOutcome::LastCompletedTooOld;
  }
  return ReportOutcome::Accepted;
}

ReportOutcome FenceLedger::preempted(FenceId preemption, FenceId last_completed) {
  const ReportOutcome outcome = judge_preempted(preemption, last_completed);
  if (!is_legal(outcome)) return outcome;
  const Position position = find(last_completed);
  if (position >= live_) {
    at(position).reported = true;
    complete_through(position);
  }
  send_back(request_);
  at(request_).state = FenceState::Answered;
  request_ = 0;
  settle();
  return outcome;
}

ReportOutcome FenceLedger::judge_engine_reset(FenceId last_aborted) const {
  if (last_completed_ != 0 && last_aborted == last_completed_fence_) return ReportOutcome::Accepted;
  const Position position = find(last_aborted);
  if (position == 0)
    return last_completed_ == 0 ? ReportOutcome::Accepted : ReportOutcome::AbortedOutOfRange;
  switch (at(position).state) {
    case FenceState::Requested:
    case FenceState::Answered:
    case FenceState::Cancelled:
      return ReportOutcome::AbortedOutOfRange;
    case FenceState::Outstanding:
    case FenceState::Rejected:
    case FenceState::Completed:
    case FenceState::Preempted:
    case FenceState::Dropped:
    case FenceState::Aborted:
      break;
  }
  return position > last_completed_ ? ReportOutcome::Accepted : ReportOutcome::AbortedOutOfRange;
}

ReportOutcome FenceLedger::engine_reset(FenceId last_aborted) {
  const ReportOutcome outcome = judge_engine_reset(last_aborted);
  if (!is_legal(outcome)) return outcome;
  const Position position = find(last_aborted);
  if (position > last_completed_) {
    const bool was_outstanding = at(position).state == FenceState::Outstanding;
    complete_through(position);
    if (was_outstanding) at(position).state = FenceState::Aborted;
  }
  send_back(next_);
  if (request_ != 0) at(request_).state = FenceState::Cancelled;
  request_ = 0;
  reset_floor_ = next_;
  settle();
  return outcome;
}

void FenceLedger::adapter_reset() {
  for (Position position = live_; position < next_; ++position) {
    Entry& entry = at(position);
    if (entry.state == FenceState::Outstanding || entry.state == FenceState::Rejected)
      entry.state = FenceState::Aborted;
  }
  outstanding_ = 0;
  if (request_ != 0) at(request_).state = FenceState::Cancelled;
  request_ = 0;
  if (last_submitted_) {
    last_completed_ = next_ - 1;
    last_completed_fence_ = *last_submitted_;
  }
  reset_floor_ = next_;
  settle();
}

// ------------------------------------------------------------------------------------- movement

/// Completions are cumulative: every packet up to `position` is done, and LCF is there.
void FenceLedger::complete_through(Position position) {
  for (Position p = live_; p <= position; ++p) {
    Entry& entry = at(p);
    if (entry.state == FenceState::Outstanding) --outstanding_;
    if (entry.state == FenceState::Outstanding || entry.state == FenceState::Rejected)
      entry.state = FenceState::Completed;
  }
  last_completed_ = position;
  last_completed_fence_ = at(position).fence;
}

/// What is still with the driver before `end` goes back to the OS.
void FenceLedger::send_back(Position end) {
  for (Position p = live_; p < end; ++p) {
    Entry& entry = at(p);
    if (entry.state == FenceState::Outstanding) {
      entry.state = FenceState::Preempted;
      --outstanding_;
    } else if (entry.state == FenceState::Rejected) {
      entry.state = FenceState::Dropped;
    }
  }
}

/// Moves `live_` on, and LCF over rejected packets that nothing precedes any more (SUBMIT-008).
void FenceLedger::settle() {
  for (; live_ < next_ && at(live_).state != FenceState::Outstanding; ++live_)
    if (at(live_).state == FenceState::Rejected) complete_through(live_);
}

// ------------------------------------------------------------------------------------ questions

std::size_t FenceLedger::outstanding(std::span<FenceId> out) const {
  std::size_t count = 0;
  for (Position p = live_; p < next_ && count < out.size(); ++p)
    if (at(p).state == FenceState::Outstanding) out[count++] = at(p).fence;
  return count;
}

std::size_t FenceLedger::covered_by(FenceId fence) const {
  const Position position = find(fence);
  if (position == 0) return 0;
  const FenceState state = at(position).state;
  if (state != FenceState::Outstanding && state != FenceState::Rejected) return 0;
  std::size_t count = 0;
  for (Position p = live_; p <= position; ++p) count += at(p).state == FenceState::Outstanding;
  return count;
}

std::optional<FenceId> FenceLedger::last_completed() const {
  if (last_completed_ == 0) return std::nullopt;
  return last_completed_fence_;
}

std::optional<FenceId> FenceLedger::pending_preemption() const {
  if (request_ == 0) return std::nullopt;
  return at(request_).fence;
}

std::optional<FenceState> FenceLedger::state_of(FenceId fence) const {
  const Position position = find(fence);
  if (position == 0) return std::nullopt;
  return at(position).state;
}

void FenceLedger::validate() const {
  HARNESS_ASSERT(live_ <= next_ && reset_floor_ <= next_ && last_completed_ < next_);
  HARNESS_ASSERT(last_completed_ < live_);
  std::size_t outstanding = 0;
  Position request = 0;
  for (Position p = oldest(); p < next_; ++p) {
    const Entry& entry = at(p);
    const bool live = entry.state == FenceState::Outstanding || entry.state == FenceState::Rejected;
    HARNESS_ASSERT(!live || p >= live_);
    HARNESS_ASSERT(find(entry.fence) >= p);
    if (entry.state == FenceState::Outstanding) ++outstanding;
    if (entry.state == FenceState::Requested) {
      HARNESS_ASSERT(request == 0);
      request = p;
    }
  }
  HARNESS_ASSERT(outstanding == outstanding_ && request == request_);
}

}  // namespace wddm::vidsch
