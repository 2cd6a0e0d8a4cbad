#include "conformance/host/vidsch/vidsch_worker.h"

#include <algorithm>

#include "conformance/host/adapter/resources.h"

namespace wddm::host {
namespace {

VidSchWorker* g_worker = nullptr;

vidsch::EngineId engine_of(std::uint32_t node) {
  return {.node = NodeId{node}};
}

}  // namespace

VidSchWorker* current_vidsch() {
  return g_worker;
}

VidSchWorker::VidSchWorker(Adapter& adapter, Objects& objects, Residency& residency,
                           PredictedMemory& memory, const Choices& choices)
    : adapter_(adapter),
      objects_(objects),
      residency_(residency),
      memory_(memory),
      choices_(choices) {
  g_worker = this;
}

void VidSchWorker::begin() {
  vidsch::Config config;
  config.nodes = adapter_.nodes();
  config.preemption_aware = adapter_.preemption_aware() || faulted(OracleFault::InterleavePortions);
  config.contexts = kSlots;
  config.adapter_queue_cap = kRequiredDmaQueueEntry;
  config.first_fence = next_fence_;
  scheduler_ = std::make_unique<vidsch::Scheduler>(config);
  known_contexts_.fill(false);
  last_context_.fill(kNone);
  reports_.clear();
  half_translated_.clear();
  half_done_ = 0;
  memory_is_known_ = true;
  if (!started_) nt::spawn_host_thread("VidSch worker", &VidSchWorker::thread, this);
  started_ = true;
}

void VidSchWorker::thread(void* context) {
  static_cast<VidSchWorker*>(context)->work();
}

void VidSchWorker::work() {
  for (;;) {
    wake_.wait_for_work("work for VidSch");
    check_if_idle();
    while (!wanted_preemptions_.empty()) {
      const std::uint32_t node = wanted_preemptions_.front();
      wanted_preemptions_.erase(wanted_preemptions_.begin());
      if (!scheduler_->may_preempt(engine_of(node))) continue;
      for (const auto& decision : scheduler_->step(vidsch::RequestPreempt{engine_of(node)})) {
        if (const auto* ask = std::get_if<vidsch::Preempt>(&decision)) {
          call_preempt(*ask);
          break;
        }
      }
    }
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::uint32_t node = 0; node < adapter_.nodes(); ++node) moved |= pump(node);
    }
  }
}

bool VidSchWorker::pump(std::uint32_t node) {
  const vidsch::EngineId engine = engine_of(node);
  if (scheduler_->ledger(engine).outstanding_count() >= choices_.queue_depth) return false;
  const vidsch::Choices legal = scheduler_->legal_next(engine);
  const vidsch::PacketId chosen = choose(node, legal);
  if (chosen == vidsch::PacketId{}) return false;
  const auto decisions = scheduler_->step(vidsch::Submit{chosen});
  for (const auto& decision : decisions) {
    if (const auto* found = std::get_if<vidsch::SubmitPacket>(&decision)) {
      const vidsch::SubmitPacket copy = *found;
      submit(copy);
      return true;
    }
  }
  return false;
}

// Paging between two portions could go into the hardware queue behind the first of them. But when
// both are preempted paging comes back first (PREEMPT-019), and would take the memory of a portion
// that is yet to run.
bool VidSchWorker::takes_memory_in_use(vidsch::PacketId id) const {
  const Item& paging = packets_.at(id.value);
  return paging.packet.submissions == 0 && packets_.contains(paging.behind.value);
}

// First come, first served, unless other contexts are to run between portions. None: all wait.
vidsch::PacketId VidSchWorker::choose(std::uint32_t node, const vidsch::Choices& legal) const {
  const bool wrong = faulted(OracleFault::InterleavePortions);
  if (choices_.interleave || wrong) {
    for (const vidsch::PacketId id : legal.packets()) {
      const vidsch::Packet* const packet = scheduler_->packet(id);
      if (packet->kind == vidsch::PacketKind::Render &&
          packet->context.value != last_context_[node]) {
        return id;
      }
    }
  }
  const auto packets = legal.packets();
  const auto free = std::find_if(packets.begin(), packets.end(),
                                 [this](vidsch::PacketId id) { return !takes_memory_in_use(id); });
  return free == packets.end() ? vidsch::PacketId{} : *free;
}

bool VidSchWorker::is_paging(const std::vector<std::uint32_t>& slots) const {
  return std::any_of(packets_.begin(), packets_.end(), [&](const auto& entry) {
    const Item& item = entry.second;
    if (!item.packet.paging) return false;
    const std::uint32_t paged = item.paging->operation->allocation;
    return paged == kNone || std::find(slots.begin(), slots.end(), paged) != slots.end();
  });
}

// Which of two nodes or contexts comes first is open: where one writes what the other uses, memory
// would be anyone's guess. The marker's words are apart.
bool VidSchWorker::competes(const RenderBuffer& buffer) const {
  const auto uses = [](const RenderBuffer& other, std::uint32_t slot, bool write) {
    for (std::size_t i = 0; i < other.allocation_slots.size(); ++i) {
      if (other.allocation_slots[i] != slot) continue;
      if (write || other.allocation_list[i].WriteOperation) return true;
    }
    return false;
  };
  return std::any_of(packets_.begin(), packets_.end(), [&](const auto& entry) {
    const RenderBuffer* const other = entry.second.render.get();
    if (other == nullptr || other->context == buffer.context) return false;
    for (std::size_t i = 0; i < buffer.allocation_slots.size(); ++i) {
      const std::uint32_t slot = buffer.allocation_slots[i];
      if (slot >= kMarkerAllocation) continue;
      if (uses(*other, slot, buffer.allocation_list[i].WriteOperation != 0)) return true;
    }
    return false;
  });
}

VidSchWorker::Item& VidSchWorker::item(vidsch::PacketId id) {
  const auto found = packets_.find(id.value);
  HARNESS_ASSERT(found != packets_.end());
  return found->second;
}

VidSchWorker::Item& VidSchWorker::add(vidsch::PacketId id, bool paging, std::uint32_t node) {
  Item& made = packets_[id.value];
  made.packet.id = next_packet_++;
  made.packet.paging = paging;
  made.packet.node = node;
  ++progress_;
  return made;
}

// The marker is the last command, yet a driver may put split points and releases behind it: it runs
// in the last portion that names its allocation.
std::size_t VidSchWorker::portion_of_marker(const RenderBuffer& buffer,
                                            const std::vector<Portion>& portions) {
  for (std::size_t i = portions.size(); i-- > 0;) {
    for (std::uint32_t e = 0; e < portions[i].count; ++e) {
      const std::size_t element = std::size_t{portions[i].first} + e;
      if (element >= buffer.patches.size()) break;
      const std::uint32_t entry = buffer.patches[element].AllocationIndex;
      if (entry < buffer.allocation_slots.size() &&
          buffer.allocation_slots[entry] == kMarkerAllocation) {
        return i;
      }
    }
  }
  return portions.size() - 1;
}

void VidSchWorker::enqueue(std::unique_ptr<RenderBuffer> buffer, std::vector<Portion> portions) {
  const std::shared_ptr<RenderBuffer> shared = std::move(buffer);
  const vidsch::EngineId engine = engine_of(shared->node);
  if (!known_contexts_[shared->context]) {
    known_contexts_[shared->context] = true;
    static_cast<void>(scheduler_->step(vidsch::CreateContext{
        .context = ContextId{shared->context}, .device = {}, .engine = engine}));
  }
  std::vector<std::uint32_t> ends;
  for (const Portion& portion : portions) ends.push_back(portion.end);
  shared->portions_left = static_cast<std::uint32_t>(portions.size());
  std::vector<vidsch::PacketId> ids;
  for (const auto& decision :
       scheduler_->step(vidsch::EnqueueRender{.context = ContextId{shared->context},
       .command = shared->render,
       .begin = portions.front().start,
       .ends = ends})) {
    if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
      ids.push_back(enqueued->packet);
    }
  }
  HARNESS_ASSERT(ids.size() == portions.size());
  const std::size_t marker = portion_of_marker(*shared, portions);
  for (std::size_t i = 0; i < portions.size(); ++i) {
    Portion& portion = portions[i];
    Item& made = add(ids[i], false, shared->node);
    made.packet.context = shared->context;
    made.packet.start = portion.start;
    made.packet.end = portion.end;
    made.packet.first = portion.first;
    made.packet.count = portion.count;
    made.packet.has_marker = i == marker;
    made.addresses = std::move(portion.addresses);
    made.render = shared;
    const vidsch::PacketId after = i == 0 ? vidsch::PacketId{} : ids[i - 1];
    const vidsch::PacketId before =
        faulted(OracleFault::SubmitBeforePageIn) ? vidsch::PacketId{} : ids[i];
    for (std::unique_ptr<PagingBuffer>& paging : portion.paging) {
      const std::uint32_t node = std::min(choices_.paging_node, adapter_.nodes() - 1);
      for (const auto& decision : scheduler_->step(vidsch::EnqueuePaging{
               .engine = engine_of(node), .command = 0, .after = after, .before = before})) {
        if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
          Item& page = add(enqueued->packet, true, node);
          page.packet.end = paging->used;
          page.packet.private_end = paging->private_used;
          page.paging = std::move(paging);
          page.behind = after;
          break;
        }
      }
    }
  }
  wake_.set();
}

void VidSchWorker::enqueue(std::unique_ptr<PagingBuffer> buffer) {
  const std::uint32_t node = std::min(choices_.paging_node, adapter_.nodes() - 1);
  for (const auto& decision : scheduler_->step(vidsch::EnqueuePaging{.engine = engine_of(node)})) {
    if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
      Item& page = add(enqueued->packet, true, node);
      page.packet.end = buffer->used;
      page.packet.private_end = buffer->private_used;
      page.paging = std::move(buffer);
      break;
    }
  }
  wake_.set();
}

bool VidSchWorker::awaits_answer() const {
  for (std::uint32_t node = 0; node < adapter_.nodes(); ++node) {
    if (!scheduler_->may_preempt(engine_of(node))) return true;
  }
  return false;
}

bool VidSchWorker::may_take(std::uint64_t units) const {
  std::uint64_t most = 0;
  for (const auto& [id, item] : packets_) {
    if (item.packet.submissions == 0) continue;
    // A slow GPU accesses memory word by word.
    if (item.packet.paging) {
      const PagingArguments& paging = item.paging->operation->record;
      most += 1 + std::max(paging.size, paging.pages * kPageSize) / 4;
      continue;
    }
    if (item.render->hostile) return true;
    for (const gpu::Command& command : item.render->commands) {
      if (command.kind == gpu::CommandKind::Wait) return true;
      most += command.kind == gpu::CommandKind::Spin ? command.value : 1 + command.size / 4;
    }
  }
  return most >= units;
}

void VidSchWorker::forget_context(std::uint32_t context) {
  if (!known_contexts_[context]) return;
  known_contexts_[context] = false;
  static_cast<void>(scheduler_->step(vidsch::DestroyContext{ContextId{context}}));
}

void VidSchWorker::preempt(std::uint32_t node) {
  wanted_preemptions_.push_back(node);
  wake_.set();
}

void VidSchWorker::abandon() {
  for (auto& [id, lost] : packets_) {
    session().tap(ev::PacketEnded{.packet = lost.packet.id,
                                  .node = lost.packet.node,
                                  .fence = lost.packet.fence,
                                  .fate = static_cast<std::uint32_t>(PacketFate::Lost),
                                  .paging = lost.packet.paging});
    if (lost.packet.submissions != 0) read_marker(lost, 1, MarkerReason::AtEnd);
  }
  lost_.merge(packets_);
  packets_.clear();
  begin();
  memory_is_known_ = false;
  retired_.set();
}

// Memory is compared when nothing can be writing and no buffer has run in part: then all effects
// are predicted and a difference has one cause.
bool VidSchWorker::at_rest() const {
  return half_translated_.empty() &&
         std::none_of(packets_.begin(), packets_.end(), [](const auto& entry) {
           const Item& item = entry.second;
           return item.packet.submissions != 0 || (item.render && item.render->started) ||
                  (item.paging && item.paging->operation->started);
         });
}

void VidSchWorker::check_if_idle() {
  if (!check_due_ || !memory_is_known_ || !at_rest()) return;
  check_due_ = false;
  memory_.check(blame_);
}

}  // namespace wddm::host
