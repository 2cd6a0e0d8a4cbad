// What memory must hold of an allocation that was evicted under a lock (special_lock.cpp).
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/host/vidmm/predicted_memory.h"

namespace wddm::host {

void PredictedMemory::take_other_pages(AllocationId id) {
  AllocationObject& allocation = objects_.allocation(id);
  shadow_.forget({.offset = 0, .frames = indices_[id]}, allocation.bytes);
  for (const std::uint64_t index : indices_[id]) frames_.forget(frames_[index]);
  indices_[id].clear();
  const std::vector<memory::Frame> before = allocation.frames;
  memory::frames_allocate(allocation.frames, memory::FrameOwner::Allocation);
  memory::frames_free(before);
  for (const memory::Frame frame : allocation.frames) {
    indices_[id].push_back(frames_.number(frame));
    expect_zeros(indices_[id].back());
  }
}

// How a driver stores in a segment what the CPU saw otherwise, is its own affair.
void PredictedMemory::on(const SpecialLockEffect& effect) {
  const auto& [step, seen] = effect;
  on(StepEffect{step});
  if (seen.empty() || !objects_.allocation(step.allocation).live) return;
  if (brings_into_memory(step.kind)) {
    shadow_.forget({.segment = step.segment, .offset = step.page * kPageSize},
                   step.pages * kPageSize);
  } else {
    shadow_.write({.offset = 0, .frames = indices_[step.allocation]},
                  std::as_bytes(std::span(seen)));
  }
}

}  // namespace wddm::host
