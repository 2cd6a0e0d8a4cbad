#include "conformance/drivers/plover/device/plover_events.h"

namespace plover {

// The event lies there before the number says so.
void EventRing::put(const PloverEvent& event) {
  host_.dma_write(host_.host, base_ + std::uint64_t{produced_ % entries_} * sizeof(event), &event,
                  sizeof(event));
  ++produced_;
  host_.dma_write(host_.host, base_ + std::uint64_t{entries_} * sizeof(event), &produced_,
                  sizeof(produced_));
  unsaid_ = true;
}

void EventRing::announce() {
  if (!unsaid_) return;
  unsaid_ = false;
  announced_ = true;
  drive_line();
}

void EventRing::write_fence(std::uint32_t node, std::uint32_t fence) {
  if (fence_base_ == 0) return;
  host_.dma_write(host_.host, fence_base_ + node * PLOVER_FENCE_STRIDE, &fence, sizeof(fence));
}

void EventRing::enable(std::uint32_t value) {
  enabled_ = value & 1;
  drive_line();
}

void EventRing::acknowledge() {
  announced_ = false;
  drive_line();
}

void EventRing::reset() {
  base_ = fence_base_ = 0;
  entries_ = produced_ = consumed_ = enabled_ = 0;
  unsaid_ = announced_ = false;
  drive_line();
}

// The driver's ISR may run inside, and write registers: nothing is left half done before it.
void EventRing::drive_line() {
  host_.set_interrupt_line(host_.host, announced_ && enabled_ != 0 ? 1 : 0);
}

}  // namespace plover
