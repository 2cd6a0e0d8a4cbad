// What the VidSch worker is given: buffers become packets of the scheduler.
#include <algorithm>

#include "conformance/host/boundary/decision_seat.h"
#include "conformance/host/vidsch/marker_portion.h"
#include "conformance/host/vidsch/vidsch_worker.h"

namespace wddm::host {

void VidSchWorker::add(vidsch::PacketId id, EngineId engine,
                       std::variant<RenderWork, PagingWork> work) {
  packets_.add(id, {.ordinal = next_packet_, .engine = engine, .work = std::move(work)});
  ++next_packet_.value;
  ++progress_;
}

EngineId VidSchWorker::engine_for(const PagingBuffer& paging) const {
  if (paging.operation->switches) return *paging.operation->switches;
  const ContextId companion = paging.operation->runs_in;
  if (companion != kNoContext) return objects_.context(companion).engine;
  EngineId engine = choices_.paging_engine;
  engine.physical_adapter = paging.operation->physical_adapter;
  engine.node = std::min(engine.node, NodeId{adapter_.nodes() - 1});
  return engine;
}

void VidSchWorker::enqueue_paging(std::unique_ptr<PagingBuffer> buffer, vidsch::PacketId after,
                                  vidsch::PacketId before) {
  const vidsch::EnqueuePaging input{
      .engine = engine_for(*buffer), .command = 0, .after = after, .before = before};
  for (const auto& decision : scheduler_->step(decisions().order(input))) {
    if (const auto* enqueued = std::get_if<vidsch::Enqueued>(&decision)) {
      return add(enqueued->packet, input.engine, PagingWork{std::move(buffer), after});
    }
  }
}

void VidSchWorker::enqueue(const std::shared_ptr<RenderBuffer>& shared,
                           std::vector<Portion> portions, bool more) {
  const EngineId engine = shared->engine;
  HARNESS_ASSERT(!in_error(shared->context));
  if (!known_contexts_[shared->context]) {
    known_contexts_[shared->context] = true;
    static_cast<void>(
        scheduler_->step(vidsch::CreateContext{.context = shared->context,
                                               .device = objects_.context(shared->context).device,
                                               .engine = engine}));
  }
  std::vector<std::uint32_t> ends;
  for (const Portion& portion : portions) ends.push_back(portion.work.end);
  shared->portions_left += static_cast<std::uint32_t>(portions.size());
  shared->more_portions = more;
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
  const std::size_t marker = more ? portions.size() : portion_of_marker(*shared, portions);
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
  bool awaits = false;
  adapter_.for_each_engine([&](EngineId engine) { awaits |= !scheduler_->may_preempt(engine); });
  return awaits;
}

void VidSchWorker::forget_context(ContextId context) {
  if (!known_contexts_[context]) return;
  known_contexts_[context] = false;
  current_.forget(context);
  semaphores_.forget();
  static_cast<void>(scheduler_->step(vidsch::DestroyContext{context}));
}

}  // namespace wddm::host
