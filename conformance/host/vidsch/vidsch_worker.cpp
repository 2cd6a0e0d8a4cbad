#include "conformance/host/vidsch/vidsch_worker.h"

#include <algorithm>

#include "conformance/host/adapter/resources.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/walk_judge.h"
#include "conformance/host/vidsch/preempt_call.h"

namespace wddm::host {
namespace {

VidSchWorker* g_worker = nullptr;

PacketFate fate_of(vidsch::Ending ending) {
  switch (ending) {
    case vidsch::Ending::Completed:
      return PacketFate::Completed;
    case vidsch::Ending::Rejected:
      return PacketFate::Rejected;
    case vidsch::Ending::Aborted:
    case vidsch::Ending::Cancelled:
      return PacketFate::Lost;
  }
  return PacketFate::Lost;
}

// The marker is the last command, yet a driver may put split points and releases behind it: it runs
// in the last portion that names its allocation.
std::size_t portion_of_marker(const RenderBuffer& buffer,
                              const std::vector<VidSchWorker::Portion>& portions) {
  for (std::size_t i = portions.size(); i-- > 0;) {
    const RenderWork& work = portions[i].work;
    for (std::size_t element = work.first;
         element < std::size_t{work.first} + work.count && element < buffer.patches.size();
         ++element) {
      const std::uint32_t entry = buffer.patches[element].AllocationIndex;
      if (entry < buffer.allocations.size() && buffer.allocations[entry] == kMarkerAllocation) {
        return i;
      }
    }
  }
  return portions.size() - 1;
}

}  // namespace

VidSchWorker* current_vidsch() {
  return g_worker;
}

VidSchWorker::VidSchWorker(Adapter& adapter, const Addressing& addressing, PredictedMemory& memory,
                           MemoryComparison& comparison, const Choices& choices)
    : adapter_(adapter),
      addressing_(addressing),
      choices_(choices),
      markers_(memory, packets_),
      effects_(memory, comparison) {
  g_worker = this;
}

void VidSchWorker::begin() {
  vidsch::Config config;
  config.nodes = adapter_.nodes();
  config.preemption_aware = adapter_.preemption_aware();
  config.contexts = kSlots;
  config.adapter_queue_cap = kRequiredDmaQueueEntry;
  config.first_fence = next_fence_;
  decisions().configure(config);
  scheduler_ = std::make_unique<vidsch::Scheduler>(config);
  known_contexts_.fill(false);
  last_context_.clear();
  reports_.clear();
  wanted_preemptions_.clear();
  effects_.begin();
  if (!started_) nt::spawn_host_thread("VidSch worker", &VidSchWorker::thread, this);
  started_ = true;
}

void VidSchWorker::thread(void* context) {
  static_cast<VidSchWorker*>(context)->work();
}

void VidSchWorker::work() {
  for (;;) {
    wake_.wait_for_work("work for VidSch");
    if (effects_.due()) effects_.compare_if_due(packets_.at_rest());
    ask_for_preemptions();
    bool moved = true;
    while (moved) {
      moved = false;
      for (const NodeId node : IdRange<NodeId>(0, adapter_.nodes())) moved |= pump({node});
    }
  }
}

// -- what the scheduler decides

void VidSchWorker::ask_for_preemptions() {
  while (!wanted_preemptions_.empty()) {
    const EngineId engine = wanted_preemptions_.front();
    wanted_preemptions_.erase(wanted_preemptions_.begin());
    if (!scheduler_->may_preempt(engine)) continue;
    for (const auto& decision : scheduler_->step(vidsch::RequestPreempt{engine})) {
      const auto* const found = std::get_if<vidsch::Preempt>(&decision);
      if (found == nullptr) continue;
      const vidsch::Preempt ask = *found;
      next_fence_ = std::max(next_fence_, ask.fence.value + 1);
      call_preempt(adapter_, ask,
                   static_cast<std::uint32_t>(scheduler_->ledger(engine).outstanding_count()));
      ++progress_;
      break;
    }
  }
}

bool VidSchWorker::pump(EngineId engine) {
  if (scheduler_->ledger(engine).outstanding_count() >= choices_.queue_depth) return false;
  const vidsch::PacketId chosen = choose(engine, scheduler_->legal_next(engine));
  if (chosen == vidsch::PacketId{}) return false;
  for (const auto& decision : scheduler_->step(vidsch::Submit{chosen})) {
    if (const auto* found = std::get_if<vidsch::SubmitPacket>(&decision)) {
      const vidsch::SubmitPacket copy = *found;
      submit(copy);
      return true;
    }
  }
  return false;
}

// First come, first served, unless other contexts are to run between portions. None: all wait.
//
// Paging between two portions could go into the hardware queue behind the first of them. But when
// both are preempted paging comes back first (PREEMPT-019), and would take the memory of a portion
// that is yet to run.
vidsch::PacketId VidSchWorker::choose(EngineId engine, const vidsch::Choices& legal) const {
  const auto packets = legal.packets();
  const auto pick = [&](auto&& good) {
    const auto found = std::find_if(packets.begin(), packets.end(), good);
    return found == packets.end() ? vidsch::PacketId{} : *found;
  };
  if (decisions().interleaves(choices_.interleave)) {
    const auto last = last_context_.find(engine);
    const vidsch::PacketId other = pick([&](vidsch::PacketId id) {
      const vidsch::Packet& packet = *scheduler_->packet(id);
      return packet.kind == vidsch::PacketKind::Render &&
             (last == last_context_.end() || packet.context != last->second);
    });
    if (other != vidsch::PacketId{}) return other;
  }
  return pick([&](vidsch::PacketId id) {
    const Packet& packet = packets_.at(id);
    const bool takes_memory_in_use =
        packet.is_paging() && packet.submissions == 0 && packets_.contains(packet.paging()->behind);
    return !takes_memory_in_use;
  });
}

void VidSchWorker::submit(const vidsch::SubmitPacket& decision) {
  Packet& packet = packets_.at(decision.packet);
  packet.fence = decision.fence;
  next_fence_ = std::max(next_fence_, packet.fence.value + 1);
  ++packet.submissions;
  ++progress_;
  last_context_[packet.engine] = packet.context();
  if (RenderWork* const work = packet.render()) work->buffer->started = true;
  markers_.submitted(packet);
  const bool engine_idle = scheduler_->ledger(decision.engine).outstanding_count() == 1;
  in_patch_ = &packet;
  addressing_.settle(packet);
  in_patch_ = nullptr;
  // A driver may have reported it, or been reset, before it was ever submitted.
  const bool still_there =
      packets_.contains(decision.packet) && &packets_.at(decision.packet) == &packet;
  ended_in_patch_ = {};
  if (!still_there) return;
  if (choices_.scramble && engine_idle) adapter_.bus().scramble(packet.engine);
  addressing_.submit(packet);
}

// -- what it is given

void VidSchWorker::add(vidsch::PacketId id, EngineId engine,
                       std::variant<RenderWork, PagingWork> work) {
  packets_.add(id, {.ordinal = next_packet_, .engine = engine, .work = std::move(work)});
  ++next_packet_.value;
  ++progress_;
}

EngineId VidSchWorker::paging_engine() const {
  EngineId engine = choices_.paging_engine;
  engine.node = std::min(engine.node, NodeId{adapter_.nodes() - 1});
  return engine;
}

void VidSchWorker::enqueue_paging(std::unique_ptr<PagingBuffer> buffer, vidsch::PacketId after,
                                  vidsch::PacketId before) {
  const vidsch::EnqueuePaging input{
      .engine = paging_engine(), .command = 0, .after = after, .before = before};
  for (const auto& decision : scheduler_->step(decisions().order(input))) {
    if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
      return add(enqueued->packet, input.engine, PagingWork{std::move(buffer), after});
    }
  }
}

void VidSchWorker::enqueue(std::unique_ptr<RenderBuffer> buffer, std::vector<Portion> portions) {
  const std::shared_ptr<RenderBuffer> shared = std::move(buffer);
  const EngineId engine = shared->engine;
  if (!known_contexts_[shared->context]) {
    known_contexts_[shared->context] = true;
    static_cast<void>(scheduler_->step(
        vidsch::CreateContext{.context = shared->context, .device = {}, .engine = engine}));
  }
  std::vector<std::uint32_t> ends;
  for (const Portion& portion : portions) ends.push_back(portion.work.end);
  shared->portions_left = static_cast<std::uint32_t>(portions.size());
  std::vector<vidsch::PacketId> ids;
  for (const auto& decision : scheduler_->step(vidsch::EnqueueRender{.context = shared->context,
                              .command = shared->render,
                              .begin = portions.front().work.start,
                              .ends = ends})) {
    if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
      ids.push_back(enqueued->packet);
    }
  }
  HARNESS_ASSERT(ids.size() == portions.size());
  const std::size_t marker = portion_of_marker(*shared, portions);
  for (std::size_t i = 0; i < portions.size(); ++i) {
    RenderWork& work = portions[i].work;
    work.buffer = shared;
    work.has_marker = i == marker;
    add(ids[i], engine, std::move(work));
    const vidsch::PacketId after = i == 0 ? vidsch::PacketId{} : ids[i - 1];
    for (auto& paging : portions[i].paging) enqueue_paging(std::move(paging), after, ids[i]);
  }
  wake_.set();
}

void VidSchWorker::enqueue(std::unique_ptr<PagingBuffer> buffer) {
  enqueue_paging(std::move(buffer), {}, {});
  wake_.set();
}

bool VidSchWorker::awaits_answer() const {
  for (const NodeId node : IdRange<NodeId>(0, adapter_.nodes())) {
    if (!scheduler_->may_preempt({node})) return true;
  }
  return false;
}

void VidSchWorker::forget_context(ContextId context) {
  if (!known_contexts_[context]) return;
  known_contexts_[context] = false;
  static_cast<void>(scheduler_->step(vidsch::DestroyContext{context}));
}

void VidSchWorker::preempt(EngineId engine) {
  wanted_preemptions_.push_back(engine);
  wake_.set();
}

// -- what the driver reports

// At device IRQL: record, judge, remember. The report takes effect with NotifyDpc.
void VidSchWorker::notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  ev::Notified seen{.type = number_in(data.InterruptType),
                    .place = static_cast<std::uint32_t>(call_place())};
  Report report{
      .engine = {}, .preempted = false, .fence = {}, .last_completed = {}, .type = seen.type};
  switch (seen.type) {
    case DXGK_INTERRUPT_DMA_COMPLETED:
      seen.fence = data.DmaCompleted.SubmissionFenceId;
      seen.node = data.DmaCompleted.NodeOrdinal;
      seen.engine = data.DmaCompleted.EngineOrdinal;
      break;
    case DXGK_INTERRUPT_DMA_PREEMPTED:
      report.preempted = true;
      seen.fence = data.DmaPreempted.PreemptionFenceId;
      seen.last_completed = data.DmaPreempted.LastCompletedFenceId;
      seen.node = data.DmaPreempted.NodeOrdinal;
      seen.engine = data.DmaPreempted.EngineOrdinal;
      break;
    default:
      session().tap(seen);
      return;
  }
  report.engine = engine_of(seen);
  report.fence = FenceId{seen.fence};
  report.last_completed = FenceId{seen.last_completed};
  if (!scheduler_ || !adapter_.has(report.engine)) {
    session().tap(seen);
    session().tap(
        ev::ReportJudged{.node = seen.node,
                         .fence = seen.fence,
                         .outcome = static_cast<std::uint32_t>(vidsch::ReportOutcome::UnknownFence),
                         .type = seen.type,
                         .engine = seen.engine});
    return;
  }
  const vidsch::FenceLedger& ledger = scheduler_->ledger(report.engine);
  seen.outstanding = static_cast<std::uint32_t>(ledger.outstanding_count());
  session().tap(seen);
  markers_.read_all(ledger, report.engine, report.preempted ? report.last_completed : report.fence,
                    report.preempted);
  reports_.push_back(report);
}

void VidSchWorker::dpc_ran() {
  while (!reports_.empty()) {
    const Report report = reports_.front();
    reports_.pop_front();
    take(report);
  }
  wake_.set();
  retired_.set();
}

void VidSchWorker::take(const Report& report) {
  const auto followed =
      report.preempted ? scheduler_->step(vidsch::ReportPreempted{report.engine, report.fence,
                                                                  report.last_completed})
                       : scheduler_->step(vidsch::ReportCompleted{report.engine, report.fence});
  for (const vidsch::Decision& decision : followed) {
    if (const auto* judged = std::get_if<vidsch::Judged>(&decision)) {
      session().tap(ev::ReportJudged{.node = report.engine.node.value,
                                     .fence = report.fence.value,
                                     .outcome = static_cast<std::uint32_t>(judged->outcome),
                                     .type = report.type,
                                     .engine = report.engine.physical_adapter});
    } else if (const auto* retired = std::get_if<vidsch::Retired>(&decision)) {
      end(*retired);
    } else if (const auto* requeued = std::get_if<vidsch::Requeued>(&decision)) {
      note_ended(packets_.at(requeued->packet), requeued->fence, PacketFate::Preempted);
    }
  }
  ++progress_;
}

void VidSchWorker::note_ended(const Packet& packet, FenceId fence, PacketFate fate) const {
  session().tap(ev::PacketEnded{.packet = packet.ordinal.value,
                                .node = packet.engine.node.value,
                                .fence = fence.value,
                                .fate = static_cast<std::uint32_t>(fate),
                                .paging = packet.is_paging(),
                                .engine = packet.engine.physical_adapter});
}

void VidSchWorker::end(const vidsch::Retired& retired) {
  PacketTable::Node node = packets_.extract(retired.packet.id);
  Packet& ended = node.mapped();
  note_ended(ended, ended.fence, fate_of(retired.ending));
  if (walks_ != nullptr) walks_->report();
  if (!ended.is_paging()) markers_.read(ended, 1, MarkerReason::AtEnd);
  if (effects_.ended(ended)) {
    const PagingBuffer& paging = *ended.paging()->buffer;
    session().tap(
        ev::PagingDone{.operation = static_cast<std::uint32_t>(paging.operation->args.Operation),
                       .allocation = paging.operation->allocation.value,
                       .packet = ended.ordinal.value,
                       .passes = paging.passes,
                       .patched = choices_.patch_paging,
                       .gave_up = 0});
  }
  if (&ended == in_patch_) ended_in_patch_ = std::move(node);
}

// What the driver does of itself with a packet that it has no more is judged by its word.
void VidSchWorker::reset() {
  for (const vidsch::Decision& decision : scheduler_->step(vidsch::ResetAdapter{})) {
    const auto* const retired = std::get_if<vidsch::Retired>(&decision);
    if (retired == nullptr) continue;
    const Packet& lost = packets_.at(retired->packet.id);
    note_ended(lost, lost.fence, fate_of(retired->ending));
    if (lost.submissions != 0) markers_.read(lost, 1, MarkerReason::AtEnd);
  }
  lost_.push_back(std::exchange(packets_, {}));
  begin();
  effects_.packets_lost();
  retired_.set();
}

}  // namespace wddm::host
