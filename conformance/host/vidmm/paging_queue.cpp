#include "conformance/host/vidmm/paging_queue.h"

#include <utility>

namespace wddm::host {

std::vector<PagingOperationPtr> PagingQueue::operations_of(const vidmm::PagingStep& step) const {
  return operations_for(scene_, step, choices_.transfer_chunk_pages, memory_.dummy_frame());
}

void PagingQueue::queue(const vidmm::PagingStep& step) {
  for (const auto& operation : operations_of(step)) {
    queue(operation);
    if (waits_.abandoned()) return;
  }
  residency_.plan(step);
}

void PagingQueue::queue(const PagingOperationPtr& operation) {
  queue(builder_.build(operation));
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
    for (const auto& operation : operations_of(step)) {
      for (auto& built : builder_.build(operation)) buffers.push_back(std::move(built));
      if (waits_.abandoned()) return {};
    }
    residency_.plan(step);
  }
  return buffers;
}

}  // namespace wddm::host
