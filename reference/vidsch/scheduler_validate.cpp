// What must hold of the scheduler's own state after every step.
#include "reference/harness_assert.h"
#include "reference/vidsch/scheduler.h"

namespace wddm::vidsch {

void Scheduler::validate() const {
  pool_.validate();
  std::size_t listed = 0;
  std::vector<std::uint32_t> needs(config_.packets + 1, 0);
  for (std::uint32_t adapter = 0; adapter < config_.physical_adapters; ++adapter) {
    for (std::uint32_t node = 0; node < config_.nodes; ++node) {
      const EngineId id{NodeId{node}, adapter};
      const Engine& each = engine(id);
      validate_engine(each, id);
      listed += each.hardware.size + each.paging.size;
      for (const PacketList* list : {&each.hardware, &each.paging})
        for (const Packet* p = pool_.front(*list); p; p = pool_.next(*p))
          if (p->kind == PacketKind::Paging && !p->before_served && pool_.find(p->before))
            ++needs[p->before.value & 0xFFFF];
    }
  }
  for (std::uint32_t i = 0; i < contexts_.size(); ++i) {
    if (!contexts_[i].exists) continue;
    validate_context(contexts_[i], ContextId{i});
    listed += contexts_[i].queue.size;
    for (const Packet* p = pool_.front(contexts_[i].queue); p; p = pool_.next(*p))
      HARNESS_ASSERT(p->needs == needs[p->id.value & 0xFFFF]);
  }
  // Every packet is in exactly one list.
  HARNESS_ASSERT(listed + pool_.free_count() == config_.packets);
}

void Scheduler::validate_engine(const Engine& each, EngineId id) const {
  each.ledger.validate();
  pool_.validate(each.hardware);
  pool_.validate(each.paging);
  std::size_t submitted = 0;
  for (const Packet* p = pool_.front(each.hardware); p; p = pool_.next(*p)) {
    HARNESS_ASSERT(p->engine == id);
    const auto state = each.ledger.state_of(p->fence);
    if (p->state == PacketState::Submitted) {
      HARNESS_ASSERT(state == FenceState::Outstanding && p->needs == 0);
      ++submitted;
    } else {
      HARNESS_ASSERT(p->state == PacketState::Rejected && state == FenceState::Rejected);
    }
  }
  HARNESS_ASSERT(submitted == each.ledger.outstanding_count());
  bool queued = false;
  for (const Packet* p = pool_.front(each.paging); p; p = pool_.next(*p)) {
    HARNESS_ASSERT(p->engine == id && p->kind == PacketKind::Paging);
    if (p->state == PacketState::Preempted) {
      HARNESS_ASSERT(!queued && p->fence.value != 0);
    } else {
      HARNESS_ASSERT(p->state == PacketState::Queued && p->submissions == 0);
      queued = true;
    }
  }
  if (config_.preemption_aware) return;
  std::size_t open = 0;
  for (const ContextId context_id : each.contexts) {
    const Packet* front = pool_.front(context(context_id).queue);
    if (front && !front->first) ++open;
  }
  HARNESS_ASSERT(open <= 1);  // SCHED-001
}

void Scheduler::validate_context(const Context& each, ContextId id) const {
  pool_.validate(each.queue);
  HARNESS_ASSERT(each.queue.empty() || accepts(id));
  std::uint32_t on_hardware = 0;
  const Engine& target = engine(each.engine);
  for (const Packet* p = pool_.front(target.hardware); p; p = pool_.next(*p))
    if (p->kind == PacketKind::Render && p->context == id) ++on_hardware;
  HARNESS_ASSERT(on_hardware == each.on_hardware);
  const Packet* before = nullptr;
  for (const Packet* p = pool_.front(each.queue); p; before = p, p = pool_.next(*p)) {
    HARNESS_ASSERT(p->context == id && p->kind == PacketKind::Render);
    HARNESS_ASSERT(p->state == PacketState::Queued || p->state == PacketState::Preempted);
    if (!before) continue;
    HARNESS_ASSERT(before->order <= p->order);
    HARNESS_ASSERT(before->state == PacketState::Preempted || p->state == PacketState::Queued);
    // Portions of one command tile it (SCHED-004).
    HARNESS_ASSERT(before->last == p->first);
    if (!p->first) HARNESS_ASSERT(before->end == p->begin && before->command == p->command);
  }
  HARNESS_ASSERT(!before || before->last);
}

}  // namespace wddm::vidsch
