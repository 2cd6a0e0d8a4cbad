// What the host asks for: contexts, queues, submission, preemption requests.
#include "reference/vidsch/scheduler.h"

#include <algorithm>

#include "reference/harness_assert.h"

namespace wddm::vidsch {

Scheduler::Scheduler(const Config& config)
    : config_(config), pool_(config.packets), contexts_(config.contexts) {
  HARNESS_ASSERT(config.nodes != 0 && config.physical_adapters != 0);
  const std::size_t engines = std::size_t{config.nodes} * config.physical_adapters;
  // Outstanding packets, as many remembered ones, and some preemption requests.
  const std::size_t remembered = 2 * config.packets + 16;
  engines_.reserve(engines);
  for (std::size_t i = 0; i < engines; ++i) {
    engines_.push_back({FenceLedger(remembered), FenceSequence(config.first_fence), {}, {}, {}});
    engines_.back().contexts.reserve(config.contexts);
  }
  // The most that one event can cause: every packet and every context ends.
  most_decisions_ = 2 * config.packets + config.contexts + engines + 4;
  decisions_.reserve(most_decisions_);
}

std::span<const Decision> Scheduler::step(const Input& input) {
  decisions_.clear();
  decisions_.reserve(most_decisions_);  // does something only in a fresh copy
  std::visit([this](const auto& event) { on(event); }, input);
  return decisions_;
}

void Scheduler::decide(const Decision& decision) {
  HARNESS_ASSERT(decisions_.size() < most_decisions_);
  decisions_.push_back(decision);
}

std::size_t Scheduler::index_of(EngineId engine) const {
  HARNESS_ASSERT(engine.node.value < config_.nodes);
  HARNESS_ASSERT(engine.physical_adapter < config_.physical_adapters);
  return std::size_t{engine.physical_adapter} * config_.nodes + engine.node.value;
}

const Scheduler::Context& Scheduler::context(ContextId id) const {
  HARNESS_ASSERT(exists(id));
  return contexts_[id.value];
}

Scheduler::Context& Scheduler::context(ContextId id) {
  HARNESS_ASSERT(exists(id));
  return contexts_[id.value];
}

bool Scheduler::exists(ContextId id) const {
  return id.value < contexts_.size() && contexts_[id.value].exists;
}

bool Scheduler::accepts(ContextId id) const {
  return exists(id) && !contexts_[id.value].destroying && !contexts_[id.value].failed;
}

bool Scheduler::idle() const {
  return pool_.free_count() == config_.packets;
}

const FenceLedger& Scheduler::ledger(EngineId id) const {
  return engine(id).ledger;
}

void Scheduler::on(const CreateContext& input) {
  HARNESS_ASSERT(input.context.value < contexts_.size() && !exists(input.context));
  engine(input.engine).contexts.push_back(input.context);
  Context& fresh = contexts_[input.context.value];
  fresh = Context{};
  fresh.exists = true;
  fresh.device = input.device;
  fresh.engine = input.engine;
  fresh.priority = input.priority;
}

void Scheduler::on(const DestroyContext& input) {
  Context& gone = context(input.context);
  HARNESS_ASSERT(!gone.destroying);
  gone.destroying = true;
  cancel_all(gone.queue);  // may be its end
  if (exists(input.context)) let_go_if_done(input.context);
}

void Scheduler::on(const FailDevice& input) {
  fail(input.device);
}

void Scheduler::on(const EnqueueRender& input) {
  HARNESS_ASSERT(accepts(input.context) && !input.ends.empty() && input.ends.size() <= room());
  Context& owner = context(input.context);
  const std::uint64_t order = next_order_++;
  std::uint32_t begin = input.begin;
  for (std::size_t i = 0; i < input.ends.size(); ++i) {
    const std::uint32_t end = input.ends[i];
    HARNESS_ASSERT(begin < end || (begin == end && input.ends.size() == 1));
    Packet& packet = pool_.make();
    packet.kind = PacketKind::Render;
    packet.first = begin == 0;
    packet.last = i + 1 == input.ends.size();
    packet.engine = owner.engine;
    packet.context = input.context;
    packet.command = input.command;
    packet.begin = begin;
    packet.end = end;
    packet.order = order;
    pool_.push_back(owner.queue, packet);
    decide(Enqueued{packet.id});
    begin = end;
  }
}

void Scheduler::on(const EnqueuePaging& input) {
  HARNESS_ASSERT(room() != 0);
  Packet& packet = pool_.make();
  packet.kind = PacketKind::Paging;
  packet.engine = input.engine;
  packet.command = input.command;
  packet.order = next_order_++;
  packet.after = input.after;
  packet.before = input.before;
  if (Packet* needing = pool_.find(input.before)) {
    HARNESS_ASSERT(needing->kind == PacketKind::Render);
    HARNESS_ASSERT(needing->state == PacketState::Queued ||
                   needing->state == PacketState::Preempted);
    ++needing->needs;
  }
  pool_.push_back(engine(input.engine).paging, packet);
  decide(Enqueued{packet.id});
}

void Scheduler::on(const Submit& input) {
  HARNESS_ASSERT(may_submit(input.packet));
  Packet& packet = *pool_.find(input.packet);
  Engine& target = engine(packet.engine);
  if (packet.kind == PacketKind::Paging) {
    pool_.remove(target.paging, packet);
    // A preempted paging packet keeps its fence (PREEMPT-018).
    if (packet.state == PacketState::Queued) packet.fence = target.fences.next();
  } else {
    Context& owner = context(packet.context);
    pool_.remove(owner.queue, packet);
    ++owner.on_hardware;
    packet.fence = target.fences.next();  // always a new one (PREEMPT-020)
  }
  HARNESS_ASSERT(target.ledger.submitted(packet.fence, packet.kind) == SubmitOutcome::Accepted);
  packet.state = PacketState::Submitted;
  ++packet.submissions;
  pool_.push_back(target.hardware, packet);
  if (packet.kind == PacketKind::Paging) {
    const Packet* needing = pool_.find(packet.before);
    if (needing && needing->engine == packet.engine) serve_before(packet);
  }
  decide(SubmitPacket{packet.id, packet.engine, packet.fence, packet.was_preempted});
}

void Scheduler::on(const Reject& input) {
  Packet* packet = pool_.find(input.packet);
  HARNESS_ASSERT(packet && packet->state == PacketState::Submitted);
  HARNESS_ASSERT(packet->kind == PacketKind::Render);
  const EngineId where = packet->engine;
  const DeviceId device = context(packet->context).device;
  HARNESS_ASSERT(pool_.back(engine(where).hardware) == packet);
  packet->state = PacketState::Rejected;
  engine(where).ledger.rejected(packet->fence);
  settle(where, Cause::Completion);
  fail(device);
}

void Scheduler::on(const RequestPreempt& input) {
  HARNESS_ASSERT(may_preempt(input.engine));
  Engine& target = engine(input.engine);
  const FenceId fence = target.fences.next();
  HARNESS_ASSERT(target.ledger.preempt_requested(fence) == SubmitOutcome::Accepted);
  decide(Preempt{input.engine, fence});
}

}  // namespace wddm::vidsch
