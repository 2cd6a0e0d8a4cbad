#include "conformance/host/vidmm/buffer_jobs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/gpuva/virtual_memory.h"
#include "conformance/host/vidmm/buffer_request.h"
#include "conformance/host/vidmm/refusal_text.h"

namespace wddm::host {
namespace {

constexpr const char* kInError = "its device is in error";

CutReason reason_of(const vidmm::Portion& portion) {
  switch (portion.cut) {
    case vidmm::CutReason::LowMemory:
      return CutReason::NoMemory;
    case vidmm::CutReason::Chosen:
      return CutReason::Forced;
    case vidmm::CutReason::EndOfBuffer:
      return CutReason::End;
  }
  return CutReason::End;
}

std::vector<PagingStepRecord> records_of(const vidmm::PagingSteps& steps) {
  std::vector<PagingStepRecord> records;
  for (const vidmm::PagingStep& step : steps) {
    records.push_back({.kind = static_cast<std::uint32_t>(step.kind),
                       .allocation = step.allocation.value,
                       .segment = step.segment.value,
                       .page = step.page,
                       .pages = step.pages});
  }
  return records;
}

// All of them are enqueued at once: paging orders itself between the portions that exist.
std::size_t packets_of(const std::vector<VidSchWorker::Portion>& portions) {
  std::size_t packets = portions.size();
  for (const VidSchWorker::Portion& portion : portions) packets += portion.paging.size();
  return packets;
}

}  // namespace

void BufferJobs::take(std::unique_ptr<RenderBuffer> buffer, vidmm::SplitPlanner& planner) {
  buffer_ = std::move(buffer);
  planned_ = 0;
  prepare(planner);
  portions_.clear();
  buffer_.reset();
}

void BufferJobs::prepare(vidmm::SplitPlanner& planner) {
  if (buffer_->given_up) return drop();
  if (vidsch_.in_error(buffer_->context)) {
    skip(kInError);
    return drop();
  }
  if (session().tap.runs_short()) {
    skip("too much has happened already: the trace runs short");
    return drop();
  }
  if (is_rejected()) return drop();
  if (is_dropped()) {
    return skip("an earlier pass of the translation was dropped: this one rests on it");
  }
  if (!windows_.place(*buffer_)) {
    if (waits_.abandoned()) return;
    skip("the aperture has no room for the DMA buffer (DmaBufferSegmentSet)");
    return drop();
  }
  const BufferRequest request(*buffer_, residency_.vidmm(), adapter_, choices_);
  for (const vidmm::Decision& decision :
       decisions().prepare(residency_.vidmm(), planner, request.input())) {
    std::visit([this](const auto& decided) { carry_out(decided); }, decision);
    if (waits_.abandoned()) return;
  }
  queue_portions();
}

// From WDDM 2.0 on a patch list says what is patched, and brings nothing in (RES-001).
bool BufferJobs::is_rejected() const {
  if (!buffer_->required_only || virtual_memory_.active()) return false;
  const auto missing = clients_.not_required(buffer_->context, buffer_->allocations);
  const bool rejected = missing && !decisions().brings_in_what_is_not_required();
  const DeviceId device = objects_.context(buffer_->context).device;
  session().tap(
      ev::SubmissionChecked{.render = buffer_->render,
                            .context = buffer_->context.value,
                            .device = device.value,
                            .listed = static_cast<std::uint32_t>(buffer_->allocations.size()),
                            .missing = missing ? missing->value : kNone,
                            .rejected = rejected});
  if (rejected) vidsch_.reject(buffer_->context);
  return rejected;
}

// What portions there are by now is earlier work.
void BufferJobs::carry_out(const vidmm::AwaitEarlierWork&) {
  queue_portions();
  waits_.for_earlier_work();
}

void BufferJobs::carry_out(const vidmm::AwaitItsPaging&) {
  waits_.for_paging_of(*buffer_);
  waits_.for_competitors_of(*buffer_);
}

void BufferJobs::carry_out(const vidmm::CannotBringIn& found) {
  const Residency::Limit& limit = residency_.limit_in_use();
  session().tap(ev::BufferRefused{.render = buffer_->render,
                                  .pass = buffer_->pass,
                                  .element = found.element,
                                  .local = limit.memory,
                                  .aperture = limit.aperture});
}

void BufferJobs::carry_out(const vidmm::LeaksJudged& leaks) {
  const bool any = leaks.leaks != 0;
  session().tap(ev::LeakJudged{.render = buffer_->render,
                               .leaks = leaks.leaks,
                               .rejected = leaks.refuses(),
                               .split_offset = any ? leaks.split_offset : kNone,
                               .slot = any ? leaks.slot.value : kNone,
                               .ran = leaks.judged,
                               .pass = buffer_->pass});
}

void BufferJobs::carry_out(const vidmm::Page& page) {
  paging_.queue(page.step);
}

void BufferJobs::carry_out(const vidmm::RunPortion& run) {
  VidSchWorker::Portion portion;
  RenderWork& work = portion.work;
  work.start = run.portion.start_offset;
  work.end = run.portion.end_offset;
  work.first = run.portion.first_element;
  work.count = run.portion.element_count;
  portion.paging = windows_.show(*buffer_);
  if (waits_.abandoned()) return;
  PagingQueue::Buffers brings_in = paging_.build(run.paging, [this] {
    const bool any = !portions_.empty();
    if (any) queue_portions(true);
    return any;
  });
  if (waits_.abandoned()) return;
  portion.paging.insert(portion.paging.end(), std::make_move_iterator(brings_in.begin()),
                        std::make_move_iterator(brings_in.end()));
  work.addresses = buffer_->allocation_list;
  for (std::size_t entry = 0; entry < work.addresses.size(); ++entry) {
    const AllocationId id = buffer_->allocations[entry];
    if (id != kNoAllocation) residency_.write_address(id, work.addresses[entry]);
  }
  const std::vector<PagingStepRecord> records = records_of(run.paging);
  session().tap(ev::PortionPlanned{.packet = kNone,
                                   .render = buffer_->render,
                                   .index = planned_++,
                                   .start = work.start,
                                   .end = work.end,
                                   .first = work.first,
                                   .count = work.count,
                                   .why = static_cast<std::uint32_t>(reason_of(run.portion)),
                                   .context = buffer_->context.value,
                                   .node = buffer_->engine.node.value,
                                   .pass = buffer_->pass,
                                   .engine = buffer_->engine.physical_adapter},
                records.data(), records.size() * sizeof(PagingStepRecord));
  portions_.push_back(std::move(portion));
}

void BufferJobs::carry_out(const vidmm::Refused& refused) {
  const auto& list = buffer_->patches;
  const bool in_one_piece =
      list.size() > 1 && std::all_of(list.begin(), list.end(),
                                     [](const auto& element) { return element.SplitOffset == 0; });
  if (refused.why == vidmm::Refusal::CannotFit && in_one_piece) {
    skip(kCannotBeSplit);
  } else if (refused.why != vidmm::Refusal::LeaksBinding) {  // LeakJudged has said so already
    skip(text_of(refused.why));
  }
  drop();
}

void BufferJobs::queue_portions(bool more) {
  if (portions_.empty()) return;
  if (packets_of(portions_) > vidsch_.room()) waits_.for_earlier_work();
  if (waits_.abandoned()) return;
  if (virtual_memory_.active()) {
    const char* const why_not = virtual_memory_.map_commands(*buffer_);
    waits_.for_paging_of(*buffer_);
    if (waits_.abandoned()) return;
    if (why_not != nullptr) {
      portions_.clear();
      skip(why_not);
      return drop();
    }
  }
  std::vector<VidSchWorker::Portion> portions = std::exchange(portions_, {});
  const bool dropped = is_dropped();                       // with the portions before
  const bool failed = vidsch_.in_error(buffer_->context);  // while it waited
  if (!dropped && !failed && packets_of(portions) <= vidsch_.room()) {
    vidsch_.enqueue(buffer_, std::move(portions), more);
    if (!more) buffer_.reset();
    return;
  }
  if (!dropped) {
    skip(failed ? kInError : "the buffer and its paging are more packets than VidSch has room for");
    drop();
  }
  for (VidSchWorker::Portion& portion : portions) paging_.queue(std::move(portion.paging));
}

// Later passes rest on this one and go with it. Portions of it that were queued are earlier work.
void BufferJobs::drop() {
  dropped_renders_.insert(buffer_->render);
  if (buffer_->pass == 0 && !buffer_->more_portions) return;
  waits_.for_earlier_work();
  if (!waits_.abandoned()) vidsch_.translation_dropped(*buffer_);
}

void BufferJobs::skip(const char* why) const {
  session().tap.text(ev::OpSkipped{.kind = static_cast<std::uint32_t>(OpKind::Render)}, why);
}

}  // namespace wddm::host
