// Completion, preemption and reset of an engine. Nothing here may be pageable.
#include "dxgkrnl.h"
#include "node.h"

namespace reference_kmd {

// At device IRQL. One report covers all packets that ended since the last one.
bool Node::report_completions() {
  const ULONG completed = read(HW_NODE_COMPLETED);
  if (completed == reported_) return false;
  reported_ = completed;
  dxgkrnl_.notify_completed(ordinal_, read(HW_NODE_COMPLETED_FENCE));
  return true;
}

bool Node::handle_interrupt() {
  const ULONG causes = read(HW_NODE_INT_CAUSE);
  if (causes == 0) return false;
  // Acknowledged before the fence is read: what ends in between raises the line again.
  write(HW_NODE_INT_ACK, causes & HW_CAUSE_COMPLETED);
  // The engine stops at either of these, so they never come together.
  if ((causes & HW_CAUSE_FAULTED) != 0) {
    report_page_fault();
    return true;
  }
  if ((causes & HW_CAUSE_PREEMPTED) == 0) return report_completions();
  answer_preemption();
  return true;
}

// The engine halts until the acknowledgement, so nothing changes while we look.
void Node::answer_preemption() {
  const ULONG head = read(HW_NODE_RING_HEAD);
  const ULONG first = head - read(HW_NODE_DISCARDED);
  const bool stopped = read(HW_NODE_STOPPED) != 0;
  remember_stopped_packet();
  remember_unstarted(first, head);
  const UINT ended = read(HW_NODE_PREEMPTED_FENCE);
  const UINT completed = stopped ? ended : settle_refused(first, head, ended);
  // The fence covers what ended since the last report, which therefore needs none of its own.
  reported_ = read(HW_NODE_COMPLETED);
  dxgkrnl_.notify_preempted(ordinal_, read(HW_NODE_PREEMPTED_REQUEST), completed);
  write(HW_NODE_INT_ACK, HW_CAUSE_PREEMPTED);
}

void Node::remember_stopped_packet() {
  if (read(HW_NODE_STOPPED) == 0) return;
  const Queued& packet = queued_[slot_of(read(HW_NODE_STOPPED_INDEX))];
  StoppedPacket stop;
  stop.valid = true;
  stop.start = packet.start;
  stop.end = packet.end;
  stop.resume_offset = read(HW_NODE_STOPPED_OFFSET);
  stop.resume_units = read(HW_NODE_STOPPED_UNITS);
  packet.context->remember_stop(stop);
}

// The engine has answered a preemption, and is reset before anybody was told: the packets come
// again as behind an answer that was told.
void Node::remember_untold_answer() {
  if ((read(HW_NODE_INT_CAUSE) & HW_CAUSE_PREEMPTED) == 0) return;
  const ULONG head = read(HW_NODE_RING_HEAD);
  remember_stopped_packet();
  remember_unstarted(head - read(HW_NODE_DISCARDED), head);
}

// Packets that went on from an earlier stop and left the ring again before they began.
void Node::remember_unstarted(ULONG from, ULONG to) {
  for (ULONG number = from; number != to; ++number) {
    const Queued& packet = queued_[slot_of(number)];
    if (packet.resumed.valid) packet.context->remember_stop(packet.resumed);
  }
}

// Packets that were refused do not come back: with nothing before them their fences are due.
UINT Node::settle_refused(ULONG from, ULONG to, UINT completed) {
  const UINT before = completed;
  for (ULONG number = from; number != to && queued_[slot_of(number)].refused; ++number) {
    completed = queued_[slot_of(number)].fence;
  }
  if (completed != before) write(HW_NODE_FENCE, completed);
  return completed;
}

void Node::preempt(UINT request) {
  const auto ask_hardware = [this, request] {
    write(HW_NODE_PREEMPT_MODE, preempt_mode());
    write(HW_NODE_PREEMPT, request);
  };
  const auto synchronized = [this, request, &ask_hardware] {
    if (read(HW_NODE_STATE) != HW_STATE_IDLE) {
      ask_hardware();
      return;
    }
    // Nothing is left to stop: the driver answers in place of the engine.
    report_completions();
    dxgkrnl_.notify_preempted(ordinal_, request, last_completed_fence());
    dxgkrnl_.queue_dpc();
  };
  if (!dxgkrnl_.synchronize(synchronized)) ask_hardware();
}

UINT Node::query_fence() {
  UINT fence = 0;
  const auto synchronized = [this, &fence] {
    if (report_completions()) dxgkrnl_.queue_dpc();
    fence = last_completed_fence();
  };
  return dxgkrnl_.synchronize(synchronized) ? fence : last_completed_fence();
}

bool Node::responsive() const {
  const ULONG state = read(HW_NODE_STATE);
  return state != HW_STATE_HUNG && state != HW_STATE_WAITING;
}

bool Node::is_occupied() const {
  return read(HW_NODE_STATE) != HW_STATE_IDLE || read(HW_NODE_CONTROL) == 0;
}

UINT Node::reset() {
  UINT aborted = 0;
  const auto synchronized = [this, &aborted] {
    remember_untold_answer();
    aborted = last_completed_fence();
    const ULONG head = read(HW_NODE_RING_HEAD);
    if (read(HW_NODE_ACTIVE) != 0) aborted = queued_[slot_of(head - 1)].fence;
    remember_unstarted(head, tail_);
    write(HW_NODE_CONTROL, HW_CONTROL_RUN | HW_CONTROL_RESET);
    write(HW_NODE_FENCE, aborted);
    reported_ = read(HW_NODE_COMPLETED);
  };
  if (!dxgkrnl_.synchronize(synchronized)) synchronized();
  return aborted;
}

void Node::settle_all() {
  const auto synchronized = [this] {
    write(HW_NODE_FENCE, last_submitted_);
    reported_ = read(HW_NODE_COMPLETED);
    own_context_->remember_stop(StoppedPacket());
  };
  if (!dxgkrnl_.synchronize(synchronized)) synchronized();
}

void Node::forget_stop(Context* context) {
  const auto synchronized = [context] { context->remember_stop(StoppedPacket()); };
  if (!dxgkrnl_.synchronize(synchronized)) synchronized();
}

}  // namespace reference_kmd
