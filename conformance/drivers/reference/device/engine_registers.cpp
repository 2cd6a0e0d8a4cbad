// The register block of one engine (hw.h, "Registers of one engine").
#include "conformance/drivers/reference/device/gpu_engine.h"

namespace wddm::reference_device {
namespace {

std::uint32_t half(std::uint64_t value, std::uint32_t reg) {
  return static_cast<std::uint32_t>(reg & 4 ? value >> 32 : value);
}

void set_half(std::uint64_t& value, std::uint32_t reg, std::uint32_t bits) {
  value = reg & 4 ? (value & 0xffffffffull) | std::uint64_t{bits} << 32
                  : (value & ~0xffffffffull) | bits;
}

}  // namespace

std::uint32_t Engine::read(std::uint32_t reg) const {
  if (reg >= HW_NODE_SLOT(0) && reg < HW_NODE_SLOT(HW_SLOT_COUNT)) {
    return half(slots_[(reg - HW_NODE_SLOT(0)) / 8], reg);
  }
  if (reg >= HW_NODE_CONSTANT(0) && reg < HW_NODE_CONSTANT(HW_CONSTANT_COUNT)) {
    return constants_[(reg - HW_NODE_CONSTANT(0)) / 4];
  }
  switch (reg) {
    case HW_NODE_RING_BASE:
    case HW_NODE_RING_BASE + 4:
      return half(ring_base_, reg);
    case HW_NODE_RING_ENTRIES:
      return ring_entries_;
    case HW_NODE_RING_HEAD:
      return head_;
    case HW_NODE_RING_TAIL:
      return tail_;
    case HW_NODE_CONTROL:
      return control_;
    case HW_NODE_STATE:
      if (hung_) return HW_STATE_HUNG;
      if (halted_) return HW_STATE_HALTED;
      if (faulted_) return HW_STATE_FAULTED;
      if (waiting_) return HW_STATE_WAITING;
      return active_ || head_ != tail_ ? HW_STATE_RUNNING : HW_STATE_IDLE;
    case HW_NODE_FENCE:
      return fence_;
    case HW_NODE_COMPLETED:
      return completed_;
    case HW_NODE_CURRENT_FENCE:
      return entry_.fence;
    case HW_NODE_CURRENT_OFFSET:
      return offset_;
    case HW_NODE_INT_CAUSE:
      return causes_;
    case HW_NODE_PREEMPT_MODE:
      return preempt_mode_;
    case HW_NODE_PREEMPTED_REQUEST:
      return answered_request_;
    case HW_NODE_PREEMPTED_FENCE:
      return answered_fence_;
    case HW_NODE_STOPPED:
      return stopped_;
    case HW_NODE_STOPPED_INDEX:
      return stopped_index_;
    case HW_NODE_STOPPED_OFFSET:
      return stopped_offset_;
    case HW_NODE_STOPPED_UNITS:
      return stopped_units_;
    case HW_NODE_DISCARDED:
      return discarded_;
    case HW_NODE_ACTIVE:
      return active_ ? 1 : 0;
    case HW_NODE_CONTEXT:
      return context_;
    case HW_NODE_COMPLETED_FENCE:
      return completed_fence_;
    case HW_NODE_FAULT_ADDRESS:
    case HW_NODE_FAULT_ADDRESS + 4:
      return half(fault_.address, reg);
    case HW_NODE_FAULT_LEVEL:
      return fault_.level;
    case HW_NODE_FAULT_ACCESS:
      return fault_.access;
    case HW_NODE_FAULT_SPACE:
      return fault_.space;
    case HW_NODE_FAULT_INDEX:
      return fault_.index;
    case HW_NODE_FAULT_FENCE:
      return fault_.fence;
    case HW_NODE_ROOT:
    case HW_NODE_ROOT + 4:
      return half(mmu_.space().root, reg);
    case HW_NODE_ROOT_ENTRIES:
      return mmu_.space().root_entries;
    case HW_NODE_ADDRESS_SPACE:
      return mmu_.space().id;
    default:
      return 0;
  }
}

void Engine::write(std::uint32_t reg, std::uint32_t value) {
  switch (reg) {
    case HW_NODE_RING_BASE:
    case HW_NODE_RING_BASE + 4:
      set_half(ring_base_, reg, value);
      break;
    case HW_NODE_RING_ENTRIES:
      // Only powers of two work; anything else stops the engine from fetching.
      ring_entries_ = (value & (value - 1)) == 0 ? value : 0;
      break;
    case HW_NODE_RING_TAIL:
      tail_ = value;
      break;
    case HW_NODE_CONTROL:
      write_control(value);
      break;
    case HW_NODE_FENCE:
      fence_ = value;
      break;
    case HW_NODE_INT_ACK:
      causes_ &= ~value;
      if (value & HW_CAUSE_PREEMPTED) halted_ = false;
      if ((value & HW_CAUSE_FAULTED) != 0 && faulted_) {
        faulted_ = false;
        fence_ = fault_.fence;
      }
      break;
    case HW_NODE_PREEMPT_MODE:
      preempt_mode_ = value;
      break;
    case HW_NODE_PREEMPT:
      request_preemption(value);
      break;
    default:
      break;
  }
}

void Engine::write_control(std::uint32_t value) {
  control_ = value & HW_CONTROL_RUN;
  if ((value & HW_CONTROL_RESET) == 0) return;
  if (active_) log(WDDM_DEVICE_PACKET_STOPPED, entry_.dma_address + offset_, 0);
  active_ = hung_ = halted_ = waiting_ = fetched_ = faulted_ = false;
  preempt_pending_ = false;
  head_ = tail_;
  causes_ = 0;
  context_ = 0;
}

void Engine::request_preemption(std::uint32_t value) {
  preempt_pending_ = true;
  preempt_after_unit_ = active_ && !waiting_;
  preempt_request_ = value;
  preempt_tail_ = tail_;
}

}  // namespace wddm::reference_device
