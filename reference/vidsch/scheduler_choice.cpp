// Which packets may be submitted next. The rules, in this order:
//   1. no packet while a preemption request is unanswered or a queue limit is reached (SCHED-009);
//   2. preempted paging packets first, in their order (PREEMPT-018, PREEMPT-019);
//   3. Windows 7 model: with a command begun, only paging and its next portion (SCHED-001,
//   SCHED-002);
//   4. otherwise the engine's next paging packet and the first packet of every context, if ready.
// Left out: which of them Windows would take. The default order is paging, then priority, then age.
#include <algorithm>

#include "reference/harness_assert.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::vidsch {

bool Scheduler::takes_packets(const Engine& engine) const {
  if (engine.ledger.pending_preemption()) return false;
  const std::size_t here = engine.ledger.outstanding_count();
  if (config_.hardware_queue_cap != 0 && here >= config_.hardware_queue_cap) return false;
  if (config_.adapter_queue_cap == 0) return true;
  std::size_t everywhere = 0;
  for (const Engine& each : engines_) everywhere += each.ledger.outstanding_count();
  return everywhere < config_.adapter_queue_cap;
}

const Packet* Scheduler::forced_paging(const Engine& engine) const {
  if (!config_.paging_first) return nullptr;
  const Packet* front = pool_.front(engine.paging);
  return front && front->state == PacketState::Preempted ? front : nullptr;
}

/// The portion that must follow on this engine, in the Windows 7 model: the first packet of a queue
/// whose command was begun. Queues are in order, so what is before it has been submitted.
const Packet* Scheduler::open_command(const Engine& engine) const {
  if (config_.preemption_aware) return nullptr;
  for (const ContextId id : engine.contexts) {
    const Packet* front = pool_.front(context(id).queue);
    if (front && !front->first) return front;
  }
  return nullptr;
}

/// Whether what the packet depends on has happened, or is ahead of it on the same engine.
bool Scheduler::ready(const Packet& packet) const {
  if (packet.kind == PacketKind::Render) return packet.needs == 0;
  const Packet* after = pool_.find(packet.after);
  if (!after) return true;
  switch (after->state) {
    case PacketState::Queued:
      return false;
    case PacketState::Submitted:
      return after->engine == packet.engine;
    case PacketState::Free:
    case PacketState::Rejected:
    case PacketState::Preempted:
      break;
  }
  return true;
}

bool Scheduler::better(const Packet& a, const Packet& b) const {
  if (a.kind != b.kind) return (a.kind == PacketKind::Paging) == config_.paging_first;
  if (a.kind == PacketKind::Render) {
    const int priority_a = context(a.context).priority;
    const int priority_b = context(b.context).priority;
    if (priority_a != priority_b) return priority_a > priority_b;
  }
  return a.order < b.order;
}

/// Inserts by rank; a full set loses its last.
void Scheduler::offer(Choices& choices, const Packet& packet) const {
  if (!ready(packet)) return;
  std::size_t at = choices.count_;
  while (at > 0 && better(packet, *pool_.find(choices.packets_[at - 1]))) --at;
  if (at == Choices::kMost) return;
  choices.count_ = std::min(choices.count_ + 1, Choices::kMost);
  for (std::size_t i = choices.count_ - 1; i > at; --i)
    choices.packets_[i] = choices.packets_[i - 1];
  choices.packets_[at] = packet.id;
}

Choices Scheduler::legal_next(EngineId id) const {
  const Engine& target = engine(id);
  Choices choices;
  if (!takes_packets(target)) return choices;
  if (const Packet* forced = forced_paging(target)) {
    // What it had to wait for is void: it was submitted before.
    choices.packets_[choices.count_++] = forced->id;
    return choices;
  }
  if (const Packet* paging = pool_.front(target.paging)) offer(choices, *paging);
  if (const Packet* open = open_command(target)) {
    offer(choices, *open);
    return choices;
  }
  for (const ContextId each : target.contexts)
    if (const Packet* front = pool_.front(context(each).queue)) offer(choices, *front);
  return choices;
}

bool Scheduler::may_submit(PacketId id) const {
  const Packet* packet = pool_.find(id);
  if (!packet) return false;
  if (packet->state != PacketState::Queued && packet->state != PacketState::Preempted) return false;
  const Engine& target = engine(packet->engine);
  if (!takes_packets(target)) return false;
  if (const Packet* forced = forced_paging(target)) return packet == forced;
  if (!ready(*packet)) return false;
  if (packet->kind == PacketKind::Paging) return packet == pool_.front(target.paging);
  const Packet* open = open_command(target);
  return packet == pool_.front(context(packet->context).queue) && (!open || packet == open);
}

bool Scheduler::may_keep_back(PacketId id) const {
  const Packet* packet = pool_.find(id);
  return packet && packet->kind == PacketKind::Render && packet->state == PacketState::Preempted &&
         config_.preemption_aware;
}

bool Scheduler::may_preempt(EngineId id) const {
  return !engine(id).ledger.pending_preemption().has_value();
}

bool Scheduler::wants_preempt(EngineId id) const {
  const Engine& target = engine(id);
  if (!config_.preemption_aware || !may_preempt(id)) return false;
  const Packet* best = nullptr;
  for (const ContextId each : target.contexts) {
    const Packet* front = pool_.front(context(each).queue);
    if (front && ready(*front) && (!best || better(*front, *best))) best = front;
  }
  if (!best) return false;
  const int priority = context(best->context).priority;
  for (const Packet* p = pool_.front(target.hardware); p; p = pool_.next(*p))
    if (p->kind == PacketKind::Render && context(p->context).priority < priority) return true;
  return false;
}

}  // namespace wddm::vidsch
