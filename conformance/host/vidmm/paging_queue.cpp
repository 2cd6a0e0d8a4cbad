#include "conformance/host/vidmm/paging_queue.h"

#include <utility>

namespace wddm::host {

void PagingQueue::queue(const vidmm::PagingStep& step) {
  for (const auto& operation : paging_.for_step(step)) queue(operation);
  residency_.plan(step);
}

void PagingQueue::queue(const std::shared_ptr<PagingOperation>& operation) {
  queue(paging_.build(operation));
}

// A driver may want thousands of passes for one operation.
void PagingQueue::queue(Buffers buffers) {
  for (std::unique_ptr<PagingBuffer>& buffer : buffers) {
    waits_.for_room();
    if (waits_.abandoned()) return;
    vidsch_.enqueue(std::move(buffer));
  }
}

PagingQueue::Buffers PagingQueue::build(const vidmm::PagingSteps& steps) {
  Buffers buffers;
  for (const vidmm::PagingStep& step : steps) {
    for (const auto& operation : paging_.for_step(step)) {
      for (auto& built : paging_.build(operation)) buffers.push_back(std::move(built));
    }
    residency_.plan(step);
  }
  return buffers;
}

}  // namespace wddm::host
