#include "conformance/host/vidmm/paging/paging_queue.h"

#include <utility>

#include "conformance/host/gpuva/virtual_memory.h"

namespace wddm::host {

namespace {

// Apertures may be programmed while the operation is built: by then the GPU does not access what is
// unmapped (BuildPagingBuffer, Unmap aperture segment). What is mapped nothing has used.
bool may_take_effect_at_once(const PagingOperation& operation) {
  return operation.args.Operation == DXGK_OPERATION_UNMAP_APERTURE_SEGMENT;
}

}  // namespace

std::vector<PagingOperationPtr> PagingQueue::operations_of(const vidmm::PagingStep& step) const {
  return operations_for(scene_, step, choices_.chunk_of(step.pages), memory_.dummy_frame());
}

void PagingQueue::follow(const vidmm::PagingStep& step) {
  residency_.plan(step);
  const bool comes = brings_into_memory(step.kind) || step.kind == vidmm::StepKind::MapAperture;
  if (!comes) return;
  AllocationObject& allocation = scene_.objects.allocation(step.allocation);
  allocation.view.reset();
  allocation.linear = false;
}

bool PagingQueue::is_virtual() const {
  return virtual_memory_ != nullptr && virtual_memory_->active();
}

void PagingQueue::queue(const vidmm::PagingStep& step) {
  if (is_virtual()) {
    virtual_memory_->carry_out(step);
    if (!waits_.abandoned()) residency_.plan(step);
    return;
  }
  for (const auto& operation : operations_of(step)) {
    // It may have shown where the allocation goes that was transferred before.
    if (may_take_effect_at_once(*operation)) waits_.for_paging_of(step.allocation);
    if (waits_.abandoned()) return;
    queue(operation);
    if (waits_.abandoned()) return;
  }
  follow(step);
}

void PagingQueue::queue_physical(const vidmm::PagingStep& step) {
  for (const auto& operation : operations_of(step)) queue(operation);
}

// What one GPU of a link does next may need what another did.
void PagingQueue::queue(const PagingOperationPtr& operation) {
  if (std::exchange(last_adapter_, operation->physical_adapter) != operation->physical_adapter) {
    waits_.for_paging();
    if (waits_.abandoned()) return;
  }
  queue(builder_.build(operation, [this](Buffers buffers) { queue(std::move(buffers)); }));
}

// A driver may want thousands of passes for one operation.
void PagingQueue::queue(Buffers buffers) {
  for (std::unique_ptr<PagingBuffer>& buffer : buffers) {
    waits_.for_room();
    if (waits_.abandoned()) return;
    vidsch_.enqueue(std::move(buffer));
  }
}

const char* PagingQueue::queue_context_switch(EngineId engine) {
  std::unique_ptr<PagingBuffer> buffer = builder_.context_switch(engine);
  if (buffer == nullptr) return "there is no memory for an empty buffer";
  waits_.for_room();
  if (!waits_.abandoned()) vidsch_.enqueue(std::move(buffer));
  return nullptr;
}

PagingQueue::Buffers PagingQueue::build(const vidmm::PagingSteps& steps,
                                        const std::function<bool()>& queue_portions) {
  Buffers buffers;
  // First the portions before: on another node what was built for this one would not await them.
  const auto finish_earlier = [&] {
    if (queue_portions()) waits_.for_earlier_work();
    if (waits_.abandoned() || buffers.empty()) return;
    queue(std::exchange(buffers, {}));
    waits_.for_earlier_work();
  };
  for (const vidmm::PagingStep& step : steps) {
    if (is_virtual()) {
      queue(step);
      if (waits_.abandoned()) return {};
      continue;
    }
    for (const auto& operation : operations_of(step)) {
      if (may_take_effect_at_once(*operation)) finish_earlier();
      if (waits_.abandoned()) return {};
      for (auto& built : builder_.build(operation, {}, finish_earlier)) {
        buffers.push_back(std::move(built));
      }
      if (waits_.abandoned()) return {};
    }
    follow(step);
  }
  return buffers;
}

}  // namespace wddm::host
