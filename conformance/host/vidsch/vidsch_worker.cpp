#include "conformance/host/vidsch/vidsch_worker.h"

#include <algorithm>

#include "conformance/host/adapter/objects/resources.h"
#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/tables/walk_judge.h"
#include "conformance/host/vidsch/notification.h"
#include "conformance/host/vidsch/packet_events.h"
#include "conformance/host/vidsch/packet_fate.h"
#include "conformance/host/vidsch/preempt_call.h"

namespace wddm::host {
namespace {

VidSchWorker* g_worker = nullptr;

}  // namespace

VidSchWorker* current_vidsch() {
  return g_worker;
}

VidSchWorker::VidSchWorker(Adapter& adapter, const Objects& objects, const Processes& processes,
                           const Addressing& addressing, PredictedMemory& memory,
                           MemoryComparison& comparison, const Choices& choices)
    : adapter_(adapter),
      objects_(objects),
      addressing_(addressing),
      choices_(choices),
      markers_(memory, packets_),
      effects_(memory, comparison),
      semaphores_(objects),
      recovery_(adapter, objects, processes) {
  g_worker = this;
}

VidSchWorker::~VidSchWorker() {
  g_worker = nullptr;
}

void VidSchWorker::take_first_fence() {
  if (choices_.first_fence == 0 || choices_.first_fence == first_fence_) return;
  first_fence_ = next_fence_ = choices_.first_fence;
}

void VidSchWorker::begin() {
  vidsch::Config config;
  config.nodes = adapter_.nodes();
  config.physical_adapters = adapter_.physical_adapters();
  config.preemption_aware = adapter_.preemption_aware();
  config.contexts = kSlots;
  config.adapter_queue_cap = adapter_.queue_entries();
  if (Adapter::knows(InterfaceVersion::Wddm2_0)) {
    config.hardware_queue_cap = adapter_.caps().SchedulingCaps.HwQueuePacketCap;
  }
  config.first_fence = next_fence_;
  decisions().configure(config);
  scheduler_ = std::make_unique<vidsch::Scheduler>(config);
  known_contexts_.fill(false);
  current_.begin();
  reports_.clear();
  wanted_preemptions_.clear();
  given_up_.clear();
  dependents_.clear();
  resets_wanted_ = false;
  reset_sufficed_ = true;
  deaf_to_.reset();
  cancelled_.clear();
  effects_.begin();
  semaphores_.forget();
  recovery_.begin();
  if (!started_) nt::spawn_host_thread("VidSch worker", &VidSchWorker::thread, this);
  started_ = true;
}

void VidSchWorker::work() {
  for (;;) {
    wake_.wait_for_work("work for VidSch");
    reset_engines();
    recover_from_timeouts();
    if (effects_.due()) effects_.compare_if_due(packets_.at_rest());
    ask_for_preemptions();
    bool moved = true;
    while (moved) {
      moved = false;
      cancel_packets();
      adapter_.for_each_engine([&](EngineId engine) { moved |= pump(engine); });
    }
  }
}

// -- what the scheduler decides

ev::PreemptionDue VidSchWorker::preemption_due(EngineId engine) const {
  const vidsch::FenceLedger& ledger = scheduler_->ledger(engine);
  const auto paging = std::count_if(
      packets_.all().begin(), packets_.all().end(), [&](const PacketTable::Map::value_type& entry) {
        const Packet& packet = entry.second;
        return packet.is_paging() && packet.engine == engine && packet.submissions != 0 &&
               ledger.state_of(packet.fence) == vidsch::FenceState::Outstanding;
      });
  return {.node = engine.node.value,
          .engine = engine.physical_adapter,
          .outstanding = static_cast<std::uint32_t>(ledger.outstanding_count()),
          .paging = static_cast<std::uint32_t>(paging)};
}

void VidSchWorker::ask_for_preemptions() {
  while (!wanted_preemptions_.empty()) {
    const EngineId engine = wanted_preemptions_.front();
    wanted_preemptions_.erase(wanted_preemptions_.begin());
    if (!scheduler_->may_preempt(engine) || !recovery_.takes_packets(engine)) continue;
    const ev::PreemptionDue due = preemption_due(engine);
    session().tap(due);
    if (due.paging != 0 && decisions().commits(OracleFault::SkipBesidePaging)) continue;
    for (const auto& decision : scheduler_->step(vidsch::RequestPreempt{engine})) {
      const auto* const found = std::get_if<vidsch::Preempt>(&decision);
      if (found == nullptr) continue;
      const vidsch::Preempt ask = *found;
      fence_taken(ask.fence);
      for (std::uint32_t calls = decisions().preemption_calls(); calls != 0; --calls) {
        call_preempt(adapter_, ask, due.outstanding);
      }
      ++progress_;
      break;
    }
  }
}

bool VidSchWorker::pump(EngineId engine) {
  if (!reset_sufficed_ || !recovery_.takes_packets(engine)) return false;
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
  const bool forgets = decisions().forgets_stopped();
  const auto pick = [&](auto&& good) {
    const auto found = std::find_if(packets.begin(), packets.end(), [&](vidsch::PacketId id) {
      return !(forgets && packets_.at(id).stopped) && good(id);
    });
    return found == packets.end() ? vidsch::PacketId{} : *found;
  };
  if (decisions().interleaves(choices_.interleave)) {
    const vidsch::PacketId other = pick([&](vidsch::PacketId id) {
      const vidsch::Packet& packet = *scheduler_->packet(id);
      return packet.kind == vidsch::PacketKind::Render && !stopped_.keeps(packets_.at(id)) &&
             (!current_.has(engine) || packet.context != current_.on(engine));
    });
    if (other != vidsch::PacketId{}) return other;
  }
  return pick([&](vidsch::PacketId id) {
    const Packet& packet = packets_.at(id);
    const bool takes_memory_in_use =
        packet.is_paging() && packet.submissions == 0 && packets_.contains(packet.paging()->behind);
    return !takes_memory_in_use && !stopped_.keeps(packet);
  });
}

void VidSchWorker::submit(const vidsch::SubmitPacket& decision) {
  Packet& packet = packets_.at(decision.packet);
  packet.fence = decision.fence;
  fence_taken(packet);
  decisions().submits(packet.ordinal, packet.is_paging(), packet.fence);
  ++packet.submissions;
  packet.stopped = false;
  ++progress_;
  current_.submit(packet);
  semaphores_.submitted(packet);
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
  if (addressing_.submit(packet) == SubmitAnswer::Refused) refused(decision);
}

// Its fence counts as completed with what is before it. A driver may have reported it from inside
// of the call, or been reset: then it has ended already.
void VidSchWorker::refused(const vidsch::SubmitPacket& decision) {
  const vidsch::Packet* const packet = scheduler_->packet(decision.packet);
  if (packet == nullptr || packet->state != vidsch::PacketState::Submitted) return;
  recovery_.refused(objects_.context(packet->context).device);
  follow(scheduler_->step(vidsch::Reject{decision.packet}), decision.fence, 0);
  fail_devices();
  ++progress_;
  retired_.set();
}

// -- what the driver reports

// At device IRQL: record, judge, remember. The report takes effect with NotifyDpc.
void VidSchWorker::notified(const DXGKARGCB_NOTIFY_INTERRUPT_DATA& data) {
  ev::Notified seen = notified_of(data);
  if (!is_report(seen)) return session().tap(seen);
  if (deaf_to_ == engine_of(seen)) return note_ignored(seen);
  // What is reported comes before its report, also of an interrupt routine that reads no register.
  adapter_.bus().drain_log();
  Report report{.engine = engine_of(seen),
                .preempted = seen.type == DXGK_INTERRUPT_DMA_PREEMPTED,
                .fence = decisions().heard(FenceId{seen.fence}),
                .last_completed = decisions().heard(FenceId{seen.last_completed}),
                .type = seen.type,
                .fault = {}};
  if (!scheduler_ || !adapter_.has(report.engine)) {
    session().tap(seen);
    if (seen.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
      static_cast<void>(recovery_.read(data, nullptr));
    }
    return note_judged(report.engine, report.fence, vidsch::ReportOutcome::UnknownFence, seen.type);
  }
  const vidsch::FenceLedger& ledger = scheduler_->ledger(report.engine);
  seen.outstanding = static_cast<std::uint32_t>(ledger.outstanding_count());
  session().tap(seen);
  if (seen.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
    report.fault = recovery_.read(data, outstanding(report.engine, report.fence));
  } else {
    markers_.read_all(ledger, report.engine,
                      report.preempted ? report.last_completed : report.fence, report.preempted);
  }
  reports_.push_back(report);
}

const Packet* VidSchWorker::outstanding(EngineId engine, FenceId fence) const {
  if (!scheduler_ || !adapter_.has(engine)) return nullptr;
  if (scheduler_->ledger(engine).state_of(fence) != vidsch::FenceState::Outstanding) return nullptr;
  for (const auto& [id, packet] : packets_.all()) {
    const bool submitted = packet.submissions != 0;
    if (submitted && packet.engine == engine && packet.fence == fence) return &packet;
  }
  return nullptr;
}

void VidSchWorker::dpc_ran() {
  take_reports();
  wake_.set();
  retired_.set();
}

void VidSchWorker::take_reports() {
  while (!reports_.empty()) {
    const Report report = reports_.front();
    reports_.pop_front();
    take(report);
  }
}

void VidSchWorker::take(const Report& report) {
  if (report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
    take_fault(report);
  } else if (report.preempted) {
    follow(scheduler_->step(
               vidsch::ReportPreempted{report.engine, report.fence, report.last_completed}),
           report.fence, report.type);
  } else {
    follow(scheduler_->step(vidsch::ReportCompleted{report.engine, report.fence}), report.fence,
           report.type);
  }
  ++progress_;
}

bool VidSchWorker::follow(std::span<const vidsch::Decision> decisions, FenceId fence,
                          std::uint32_t type) {
  bool good = true;
  bool first = true;  // of those that come back: whatever ran was this one
  for (const vidsch::Decision& decision : decisions) {
    if (const auto* judged = std::get_if<vidsch::Judged>(&decision)) {
      good = vidsch::is_legal(judged->outcome);
      note_judged(judged->engine, fence, judged->outcome, type);
    } else if (const auto* retired = std::get_if<vidsch::Retired>(&decision)) {
      end(*retired);
    } else if (const auto* requeued = std::get_if<vidsch::Requeued>(&decision)) {
      Packet& packet = packets_.at(requeued->packet);
      packet.stopped = scheduler_->may_keep_back(requeued->packet);
      packet.may_have_begun |= first;
      first = false;
      note_ended(packet, requeued->fence, PacketFate::Preempted);
    } else if (std::holds_alternative<vidsch::AdapterResetNeeded>(decision)) {
      good = false;
    }
  }
  return good;
}

// -- page faults

// A report that may not be made changes nothing. If that is because of its fence, the scheduler
// says so; what else can be wrong with it stands in PageFaultReported.
void VidSchWorker::take_fault(const Report& report) {
  gpuva::PageFaultReport told = report.fault;
  told.fence_outstanding = outstanding(report.engine, report.fence) != nullptr;
  const bool accepted = recovery_.reported(told);
  const bool named = (told.flags & gpuva::kFaultFenceInvalid) == 0;
  if (named && (accepted || !told.fence_outstanding)) {
    follow(scheduler_->step(vidsch::ReportFaulted{report.engine, report.fence}), report.fence,
           report.type);
  }
  fail_devices();
}

void VidSchWorker::fail_devices() {
  for (const DeviceId device : recovery_.take_failed()) {
    follow(scheduler_->step(vidsch::FailDevice{device}), {}, 0);
  }
}

// What the driver has reported by then is taken at its DPC: it says nothing of the reset.
void VidSchWorker::reset_engines() {
  while (reports_.empty()) {
    const std::optional<EngineId> engine = recovery_.take_engine();
    if (!engine) return;
    const bool done = reset_engine(*engine, ResetCause::PageFault);
    recovery_.engine_was_reset(*engine, done);
    fail_devices();
    ++progress_;
    retired_.set();
  }
}

// What it may name as aborted is any packet that it has (ENGRST-002): those before it are over as
// well, and how much of them has run nobody knows.
vidsch::Ending VidSchWorker::ending_of(const vidsch::Retired& retired) const {
  const bool broken_off = resetting_ && retired.ending == vidsch::Ending::Completed;
  return broken_off ? vidsch::Ending::Aborted : retired.ending;
}

void VidSchWorker::end(const vidsch::Retired& given) {
  const vidsch::Retired retired{given.packet, ending_of(given)};
  PacketTable::Node node = packets_.extract(retired.packet.id);
  Packet& ended = node.mapped();
  note_ended(ended, ended.fence, fate_of(retired.ending));
  if (walks_ != nullptr) walks_->report();
  const RenderWork* const work = ended.render();
  const bool runs_nothing = work != nullptr && work->buffer->null_rendering;
  markers_.read_at_end(ended, retired.ending);
  if (given.ending == vidsch::Ending::Aborted && !ended.is_paging()) {
    const bool timed_out = resetting_ == ResetCause::Timeout;
    recovery_.aborted(objects_.context(ended.context()).device,
                      timed_out ? ErrorCause::Timeout : ErrorCause::PageFault);
  }
  if (retired.ending == vidsch::Ending::Completed) semaphores_.completed(ended);
  if (is_broken_off(retired.ending)) {
    effects_.broken_off(ended);
  } else if (retired.ending == vidsch::Ending::Rejected || runs_nothing) {
    effects_.never_ran(ended);
  } else if (effects_.ended(ended)) {
    const PagingBuffer& paging = *ended.paging()->buffer;
    session().tap(
        ev::PagingDone{.operation = static_cast<std::uint32_t>(paging.operation->args.Operation),
                       .allocation = paging.operation->allocation.value,
                       .packet = ended.ordinal.value,
                       .passes = paging.passes,
                       .patched = choices_.patch_paging,
                       .gave_up = 0});
  }
  if (&ended == in_patch_) {
    ended_in_patch_ = std::move(node);
  } else if (retired.ending == vidsch::Ending::Cancelled && !ended.is_paging()) {
    cancelled_.push_back(std::move(node));
  }
}

// What the driver does of itself with a packet that it has no more is judged by its word.
void VidSchWorker::reset() {
  for (const vidsch::Decision& decision : scheduler_->step(vidsch::ResetAdapter{})) {
    const auto* const retired = std::get_if<vidsch::Retired>(&decision);
    if (retired == nullptr) continue;
    const Packet& lost = packets_.at(retired->packet.id);
    note_ended(lost, lost.fence, fate_of(retired->ending));
    markers_.read_at_end(lost, retired->ending);
  }
  lost_.push_back(std::exchange(packets_, {}));
  begin();
  effects_.packets_lost();
  retired_.set();
}

}  // namespace wddm::host
