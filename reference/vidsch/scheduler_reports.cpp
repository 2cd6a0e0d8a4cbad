// What the driver's reports and resets do to the queues. The ledger judges; this file moves packets
// to where the ledger says their fences went.
#include "reference/harness_assert.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::vidsch {
namespace {

/// Of a packet whose fence the ledger counts as done.
Ending ending_of(const Packet& packet) {
  if (packet.state == PacketState::Rejected) return Ending::Rejected;
  return packet.faulted ? Ending::Faulted : Ending::Completed;
}

}  // namespace

void Scheduler::on(const ReportCompleted& input) {
  decide(Judged{input.engine, engine(input.engine).ledger.completed(input.fence)});
  settle(input.engine, Cause::Completion);
}

void Scheduler::on(const ReportPreempted& input) {
  decide(Judged{input.engine,
                engine(input.engine).ledger.preempted(input.preemption, input.last_completed)});
  settle(input.engine, Cause::Preemption);
}

/// A packet faults while it runs: one that is over already, or implied to be, cannot.
void Scheduler::on(const ReportFaulted& input) {
  Engine& target = engine(input.engine);
  ReportOutcome outcome = target.ledger.judge_completed(input.fence);
  if (outcome == ReportOutcome::Repeated) outcome = ReportOutcome::AlreadyReported;
  if (outcome == ReportOutcome::Accepted) outcome = target.ledger.completed(input.fence);
  decide(Judged{input.engine, outcome});
  if (!is_legal(outcome)) return;
  for (Packet* p = pool_.front(target.hardware); p != nullptr; p = pool_.next(*p)) {
    if (p->fence == input.fence) p->faulted = true;
  }
  settle(input.engine, Cause::Completion);
}

void Scheduler::on(const ReportEngineReset& input) {
  Engine& target = engine(input.engine);
  decide(Judged{input.engine, target.ledger.engine_reset(input.last_aborted)});
  // Look before packets move: the aborted one decides what happens to its device.
  const Packet* aborted = nullptr;
  for (const Packet* p = pool_.front(target.hardware); p; p = pool_.next(*p))
    if (target.ledger.state_of(p->fence) == FenceState::Aborted) aborted = p;
  const bool paging = aborted && aborted->kind == PacketKind::Paging;
  const bool render = aborted && aborted->kind == PacketKind::Render;
  const DeviceId device = render ? context(aborted->context).device : DeviceId{};
  settle(input.engine, Cause::Reset);
  if (render) fail(device);
  if (paging) decide(AdapterResetNeeded{input.engine});
}

void Scheduler::on(const ResetAdapter&) {
  for (std::uint32_t adapter = 0; adapter < config_.physical_adapters; ++adapter) {
    for (std::uint32_t node = 0; node < config_.nodes; ++node) {
      const EngineId id{NodeId{node}, adapter};
      engine(id).ledger.adapter_reset();
      settle(id, Cause::Reset);
      cancel_all(engine(id).paging);
    }
  }
  for (Context& each : contexts_) {
    if (!each.exists) continue;
    each.failed = true;
    cancel_all(each.queue);
  }
}

/// Packets leave the hardware queue for where the ledger has their fences. Decisions come in
/// submission order; packets that return move from the back, so that they keep it too.
void Scheduler::settle(EngineId id, Cause cause) {
  Engine& target = engine(id);
  for (Packet* p = pool_.front(target.hardware); p != nullptr;) {
    Packet* const next = pool_.next(*p);
    switch (target.ledger.state_of(p->fence).value()) {
      case FenceState::Completed:
      case FenceState::Dropped:
        pool_.remove(target.hardware, *p);
        retire(*p, ending_of(*p));
        break;
      case FenceState::Aborted:
        pool_.remove(target.hardware, *p);
        retire(*p, Ending::Aborted);
        break;
      case FenceState::Preempted:
        if (may_return(*p)) decide(Requeued{p->id, p->fence});
        break;
      case FenceState::Outstanding:
      case FenceState::Rejected:
      case FenceState::Requested:
      case FenceState::Answered:
      case FenceState::Cancelled:
        // Nothing is submitted behind a request, so with one packet all behind it stay too.
        return;
    }
    p = next;
  }
  while (Packet* packet = pool_.back(target.hardware)) {
    pool_.remove(target.hardware, *packet);
    requeue(*packet, cause);
  }
}

bool Scheduler::may_return(const Packet& packet) const {
  return packet.kind == PacketKind::Paging || accepts(packet.context);
}

void Scheduler::requeue(Packet& packet, Cause cause) {
  HARNESS_ASSERT(packet.state == PacketState::Submitted);
  if (cause == Cause::Preemption) packet.was_preempted = true;
  if (packet.kind == PacketKind::Paging) {
    packet.state = PacketState::Preempted;
    pool_.push_front(engine(packet.engine).paging, packet);
  } else if (may_return(packet)) {
    packet.state = PacketState::Preempted;
    packet.fence = FenceId{};
    --context(packet.context).on_hardware;
    pool_.push_front(context(packet.context).queue, packet);
  } else {
    retire(packet, Ending::Cancelled);
  }
}

/// Ends a packet that is in no list.
void Scheduler::retire(Packet& packet, Ending ending) {
  const Packet end = packet;
  if (end.kind == PacketKind::Paging) serve_before(packet);
  pool_.release(packet);
  decide(Retired{end, ending});
  if (end.kind != PacketKind::Render) return;
  if (end.state == PacketState::Submitted || end.state == PacketState::Rejected)
    --context(end.context).on_hardware;
  let_go_if_done(end.context);
}

void Scheduler::cancel_all(PacketList& list) {
  while (Packet* packet = pool_.front(list)) {
    pool_.remove(list, *packet);
    retire(*packet, Ending::Cancelled);
  }
}

void Scheduler::fail(DeviceId device) {
  for (Context& each : contexts_) {
    if (!each.exists || each.device != device) continue;
    each.failed = true;
    cancel_all(each.queue);
  }
}

void Scheduler::let_go_if_done(ContextId id) {
  Context& each = context(id);
  if (!each.destroying || each.on_hardware != 0 || !each.queue.empty()) return;
  std::erase(engine(each.engine).contexts, id);
  each = Context{};
  decide(ContextGone{id});
}

/// The render packet behind a paging packet needs to wait for it no longer. That stays so when the
/// paging packet is preempted: then it comes before every other packet of the engine anyway.
void Scheduler::serve_before(Packet& paging) {
  Packet* needing = pool_.find(paging.before);
  if (!needing || paging.before_served) return;
  HARNESS_ASSERT(needing->needs != 0);
  --needing->needs;
  paging.before_served = true;
}

}  // namespace wddm::vidsch
