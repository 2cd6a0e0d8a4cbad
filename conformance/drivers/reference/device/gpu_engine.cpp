#include "conformance/drivers/reference/device/gpu_engine.h"

#include <cstddef>

namespace wddm::reference_device {

bool Engine::step() {
  if (hung_ || halted_ || faulted_) return false;
  if (preempt_pending_ && (!active_ || !preempt_after_unit_)) {
    halt();
    return true;
  }
  if (!active_) {
    if (!can_begin()) return false;
    begin();
    if (hung_ || faulted_) return true;
  }
  work();
  if (!preempt_pending_) return !waiting_;
  preempt_after_unit_ = false;
  if (waiting_) halt();
  return true;
}

bool Engine::can_begin() const {
  return (control_ & HW_CONTROL_RUN) != 0 && head_ != tail_ && ring_entries_ != 0;
}

std::uint32_t Engine::uneventful_units() const {
  if (hung_ || halted_ || faulted_) return kForever;
  if (preempt_pending_) return 0;
  if (!active_) return can_begin() ? 0 : kForever;
  const bool spins = fetched_ && offset_ != entry_.end_offset && command_.opcode() == HW_OP_SPIN;
  const std::uint32_t units = spins ? command_.words[1] : 0;
  return units > units_done_ + 1 ? units - units_done_ - 1 : 0;
}

void Engine::pass(std::uint32_t units) {
  if (active_ && !hung_ && !halted_ && !faulted_) units_done_ += units;
}

void Engine::work() {
  if (offset_ == entry_.end_offset) {
    finish();
    return;
  }
  if (!fetched_ && !fetch(offset_)) {
    hang();
    return;
  }
  const Result result = execute_unit();
  if (fault_raised_) {
    drop_faulted();
    return;
  }
  waiting_ = result == Result::Waiting;
  if (result == Result::Undecodable) {
    hang();
  } else if (result == Result::Progress) {
    ++units_done_;
  } else if (result == Result::Done) {
    offset_ += command_.count * 4;
    units_done_ = 0;
    fetched_ = false;
    if (offset_ == entry_.end_offset) finish();
  }
}

void Engine::begin() {
  const std::uint64_t where =
      ring_base_ + std::uint64_t{head_ & (ring_entries_ - 1)} * sizeof(HwRingEntry);
  entry_ = HwRingEntry{};
  read_memory(Space::System, where, &entry_, sizeof entry_);
  entry_index_ = head_++;
  active_ = true;
  waiting_ = false;
  fetched_ = false;
  context_ = entry_.context_id;
  offset_ = entry_.start_offset;
  units_done_ = 0;
  if ((entry_.flags & HW_ENTRY_ROOT_IN_IMAGE) != 0) {
    HwContextImage image{};
    read_memory(image_space(), entry_.context_image, &image, sizeof image);
    entry_.root = image.root;
    entry_.root_entries = image.root_entries;
  }
  mmu_.use({entry_.root, entry_.root_entries, entry_.address_space, entry_.fence});
  log(WDDM_DEVICE_PACKET_BEGIN, entry_.dma_address + entry_.start_offset,
      entry_.end_offset - entry_.start_offset);
  if (entry_.end_offset < entry_.start_offset || entry_.resume_offset < entry_.start_offset ||
      entry_.resume_offset > entry_.end_offset) {
    hang();
    return;
  }
  restore_context();
  if (!hung_) catch_up();
}

// A packet that was stopped goes on at resume_offset; the state that its earlier commands set is
// set again, from the buffer as it is now: it may have been patched with other addresses.
void Engine::catch_up() {
  while (offset_ < entry_.resume_offset) {
    if (!fetch(offset_)) {
      hang();
      return;
    }
    static_cast<void>(set_state());
    offset_ += command_.count * 4;
  }
  fetched_ = false;
  units_done_ = entry_.resume_units;
  if (offset_ != entry_.resume_offset) hang();
}

bool Engine::fetch(std::uint32_t offset) {
  const std::uint32_t left = entry_.end_offset - offset;
  if (left < 4) return false;
  const std::uint64_t address = entry_.dma_address + offset;
  if (!read_memory(dma_space(), address, command_.words.data(), 4, Access::Fetch)) return false;
  command_.count = HW_COMMAND_WORDS(command_.words[0]);
  if (command_.count == 0 || command_.count > left / 4) {
    log(WDDM_DEVICE_FETCH, address, 4);
    return false;
  }
  if (command_.count > 1 && !read_memory(dma_space(), address + 4, command_.words.data() + 1,
                                         (command_.count - 1) * 4, Access::Fetch)) {
    return false;
  }
  log(WDDM_DEVICE_FETCH, address, command_.count * 4);
  fetched_ = well_formed();
  return fetched_;
}

// Where the context wants it. False after a page fault: the packet has not come to its end.
bool Engine::leave_status() {
  if (entry_.context_image == 0 || !is_virtual()) return true;
  HwContextImage image{};
  read_memory(image_space(), entry_.context_image, &image, sizeof image);
  return image.status == 0 ||
         write_memory(Space::Virtual, image.status, &entry_.fence, sizeof entry_.fence);
}

void Engine::finish() {
  if (!leave_status()) {
    drop_faulted();
    return;
  }
  save_context();
  log(WDDM_DEVICE_PACKET_END, entry_.dma_address + offset_, 0);
  active_ = false;
  waiting_ = false;
  fence_ = entry_.fence;
  if ((entry_.flags & HW_ENTRY_SILENT) != 0) return;
  ++completed_;
  completed_fence_ = fence_;
  causes_ |= HW_CAUSE_COMPLETED;
}

void Engine::halt() {
  stopped_ = active_ ? 1 : 0;
  stopped_index_ = entry_index_;
  stopped_offset_ = offset_;
  stopped_units_ = units_done_;
  if (active_) {
    save_context();
    log(WDDM_DEVICE_PACKET_STOPPED, entry_.dma_address + offset_, 0);
  }
  discarded_ = 0;
  if (preempt_mode_ & HW_PREEMPT_DISCARD_QUEUED) {
    discarded_ = preempt_tail_ - head_;
    head_ = preempt_tail_;
  }
  active_ = false;
  waiting_ = false;
  fetched_ = false;
  preempt_pending_ = false;
  answered_request_ = preempt_request_;
  answered_fence_ = fence_;
  halted_ = true;
  causes_ |= HW_CAUSE_PREEMPTED;
}

// What can't be done to the end. A fetch that met a page fault is no undecodable command.
void Engine::hang() {
  if (fault_raised_) {
    drop_faulted();
    return;
  }
  hung_ = true;
  log(WDDM_DEVICE_FAULT, entry_.dma_address + offset_, 0);
}

void Engine::drop_faulted() {
  log(WDDM_DEVICE_PACKET_STOPPED, entry_.dma_address + offset_, 0);
  active_ = waiting_ = fetched_ = fault_raised_ = false;
  faulted_ = true;
  causes_ |= HW_CAUSE_FAULTED;
}

void Engine::restore_context() {
  if (entry_.context_image == 0 || (entry_.flags & HW_ENTRY_RESTORE_CONTEXT) == 0) return;
  HwContextImage image{};
  read_memory(image_space(), entry_.context_image, &image, sizeof image);
  if (image.magic != HW_CONTEXT_MAGIC) {
    hang();
    return;
  }
  for (std::uint32_t i = 0; i < HW_CONSTANT_COUNT; ++i) constants_[i] = image.constants[i];
}

void Engine::save_context() {
  if (entry_.context_image == 0 || (entry_.flags & HW_ENTRY_SAVE_CONTEXT) == 0) return;
  HwContextImage image{};
  read_memory(image_space(), entry_.context_image, &image, sizeof image);
  image.magic = HW_CONTEXT_MAGIC;
  ++image.saves;
  for (std::uint32_t i = 0; i < HW_CONSTANT_COUNT; ++i) image.constants[i] = constants_[i];
  write_memory(image_space(), entry_.context_image, &image, sizeof image);
}

void Engine::reset() {
  ring_base_ = 0;
  ring_entries_ = head_ = tail_ = control_ = causes_ = context_ = 0;
  slots_.fill(HW_NO_ADDRESS);
  constants_.fill(0);
  active_ = hung_ = halted_ = waiting_ = fetched_ = faulted_ = fault_raised_ = false;
  preempt_mode_ = 0;
  preempt_pending_ = preempt_after_unit_ = false;
  stopped_ = discarded_ = 0;
}

void Engine::scramble(std::uint32_t seed) {
  if (active_) return;
  std::uint64_t x = seed;
  const auto next = [&x] {  // splitmix64
    std::uint64_t z = (x += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  };
  // Addresses outside of any memory: a stale register is noticed and never hits a bystander.
  for (std::uint64_t& slot : slots_) slot = 0xff00000000000000ull | (next() & 0xfffffff000ull);
  for (std::uint32_t& constant : constants_) constant = static_cast<std::uint32_t>(next());
}

void Engine::log(WddmDeviceEventKind kind, std::uint64_t address, std::uint32_t length) {
  WddmDeviceEvent event{};
  event.size = sizeof(event);
  event.kind = kind;
  event.node = node_;
  event.tag = entry_.fence;
  event.address = address;
  event.length = length;
  log_.push(event);
}

}  // namespace wddm::reference_device
