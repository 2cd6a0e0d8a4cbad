// What the driver reports, and what becomes of packets by it.

#include <algorithm>

#include "conformance/host/boundary/ddi_call.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

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
  const bool known_engine = scheduler_ && seen.node < adapter_.nodes() && seen.engine == 0;
  report.engine = {.node = NodeId{seen.node}, .physical_adapter = seen.engine};
  report.fence = FenceId{seen.fence};
  report.last_completed = FenceId{seen.last_completed};
  if (known_engine) {
    seen.outstanding =
        static_cast<std::uint32_t>(scheduler_->ledger(report.engine).outstanding_count());
  }
  session().tap(seen);
  if (!known_engine) {
    session().tap(
        ev::ReportJudged{.node = seen.node,
                         .fence = seen.fence,
                         .outcome = static_cast<std::uint32_t>(vidsch::ReportOutcome::UnknownFence),
                         .type = seen.type});
    return;
  }
  read_markers(seen.node, report);
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
  const auto decisions =
      report.preempted ? scheduler_->step(vidsch::ReportPreempted{report.engine, report.fence,
                                                                  report.last_completed})
                       : scheduler_->step(vidsch::ReportCompleted{report.engine, report.fence});
  for (const vidsch::Decision& decision : decisions) {
    if (const auto* judged = std::get_if<vidsch::Judged>(&decision)) {
      session().tap(ev::ReportJudged{.node = report.engine.node.value,
                                     .fence = report.fence.value,
                                     .outcome = static_cast<std::uint32_t>(judged->outcome),
                                     .type = report.type});
    } else if (const auto* retired = std::get_if<vidsch::Retired>(&decision)) {
      end(*retired);
    } else if (const auto* requeued = std::get_if<vidsch::Requeued>(&decision)) {
      back(*requeued);
    }
  }
  ++progress_;
}

void VidSchWorker::end(const vidsch::Retired& retired) {
  const auto found = packets_.find(retired.packet.id.value);
  HARNESS_ASSERT(found != packets_.end());
  Item ended = std::move(found->second);
  packets_.erase(found);
  const PacketFate fate = retired.ending == vidsch::Ending::Completed  ? PacketFate::Completed
                          : retired.ending == vidsch::Ending::Rejected ? PacketFate::Rejected
                                                                       : PacketFate::Lost;
  session().tap(ev::PacketEnded{.packet = ended.packet.id,
                                .node = ended.packet.node,
                                .fence = ended.packet.fence,
                                .fate = static_cast<std::uint32_t>(fate),
                                .paging = ended.packet.paging});
  blame_ = {.cause = MemoryCause::Render, .object = ended.packet.id};
  if (ended.packet.paging) {
    PagingBuffer& paging = *ended.paging;
    blame_ = paging.operation->blame;
    blame_.object = ended.packet.id;
    // What a part of an operation leaves is not predicted; the whole is, at its end.
    check_due_ = paging.last;
    paging.operation->started = true;
    if (paging.last) {
      memory_.commands_unfinished(half_done_ != 0 || !half_translated_.empty());
      paging.operation->done();
      session().tap(ev::PagingDone{.operation = blame_.operation,
                                   .allocation = paging.operation->allocation,
                                   .packet = ended.packet.id,
                                   .passes = paging.passes,
                                   .patched = choices_.patch_paging,
                                   .gave_up = 0});
    }
    return;
  }
  RenderBuffer& buffer = *ended.render;
  read_marker(ended, 1, MarkerReason::AtEnd);
  if (--buffer.portions_left != 0) {
    if (!buffer.half_done) ++half_done_;
    buffer.half_done = true;
    check_due_ = false;
    return;
  }
  if (buffer.half_done) --half_done_;
  if (!buffer.last_pass) {
    // Effects are predicted for the whole translation at its end; nothing is compared till then.
    half_translated_.insert(buffer.render);
    check_due_ = false;
  } else {
    half_translated_.erase(buffer.render);
    if (buffer.hostile) {
      for (const std::uint32_t slot : buffer.allocation_slots) memory_.render_unknown(slot);
    } else {
      memory_.render_done(buffer.commands);
    }
    check_due_ = true;
  }
}

// Which of its commands have run is not known; all else can be compared again.
void VidSchWorker::translation_dropped(const RenderBuffer& dropped) {
  if (half_translated_.erase(dropped.render) == 0) return;
  for (const std::uint32_t slot : dropped.allocation_slots) memory_.render_unknown(slot);
}

void VidSchWorker::back(const vidsch::Requeued& requeued) {
  Item& made = item(requeued.packet);
  session().tap(ev::PacketEnded{.packet = made.packet.id,
                                .node = made.packet.node,
                                .fence = requeued.fence.value,
                                .fate = static_cast<std::uint32_t>(PacketFate::Preempted),
                                .paging = made.packet.paging});
}

// kNone where there is none, or where nobody knows.
std::uint32_t VidSchWorker::marker_word(const Item& made) const {
  const Packet& packet = made.packet;
  if (packet.paging || !packet.has_marker || made.render->marker_offset == kNone) return kNone;
  if (!made.render->last_pass) return kNone;
  // Where its words lie is not settled before the DPC of what brings them in.
  if (is_paging({kMarkerAllocation})) return kNone;
  return memory_.word(kMarkerAllocation, made.render->marker_offset);
}

void VidSchWorker::read_marker(const Item& made, std::uint32_t expected,
                               MarkerReason reason) const {
  const std::uint32_t word = marker_word(made);
  if (word == kNone || made.render->marker_before == kNone) return;
  const Packet& packet = made.packet;
  session().tap(ev::MarkerRead{.packet = packet.id,
                               .node = packet.node,
                               .fence = packet.fence,
                               .runs = word - made.render->marker_before,
                               .expected = expected,
                               .reason = static_cast<std::uint32_t>(reason)});
}

// Expected at a report: every packet up to the fence has run; at a preemption, no later one has.
void VidSchWorker::read_markers(std::uint32_t node, const Report& report) {
  const std::uint32_t through = report.preempted ? report.last_completed.value : report.fence.value;
  std::array<FenceId, 64> outstanding;
  const std::size_t count = scheduler_->ledger(report.engine).outstanding(outstanding);
  const auto end = outstanding.begin() + static_cast<std::ptrdiff_t>(count);
  const auto named = std::find(outstanding.begin(), end, FenceId{through});
  const auto done = named == end ? 0 : named - outstanding.begin() + 1;
  for (const auto& [id, made] : packets_) {
    if (made.packet.node != node) continue;
    const auto at = std::find(outstanding.begin(), end, FenceId{made.packet.fence});
    if (at == end) continue;
    const bool covered = at - outstanding.begin() < done;
    if (!covered && !report.preempted) continue;
    read_marker(made, covered ? 1 : 0,
                report.preempted ? MarkerReason::AtPreempted : MarkerReason::AtCompleted);
  }
}

}  // namespace wddm::host
