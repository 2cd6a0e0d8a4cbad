#include "conformance/drivers/plover/device/plover_node.h"

#include <vector>

namespace plover {

void Node::tell(std::uint32_t kind, std::uint64_t address, std::uint32_t bytes) {
  parts_.log.push_back(record_of(kind, number_, packet_.fence, address, bytes));
}

PloverEvent Node::event_of(std::uint32_t type, std::uint32_t fence) const {
  PloverEvent event{};
  event.type = type;
  event.node = number_;
  event.fence = fence;
  event.space = packet_.space;
  return event;
}

PloverPacket Node::first() const {
  PloverPacket packet{};
  parts_.host.dma_read(parts_.host.host, ring_ + std::uint64_t{head_ % entries_} * sizeof(packet),
                       &packet, sizeof(packet));
  return packet;
}

void Node::preempt(std::uint32_t fence) {
  preempting_ = true;
  preempt_fence_ = fence;
  preempt_tail_ = tail_;
}

bool Node::step() {
  const bool worked = work();
  if (worked) ++progress_;
  return worked;
}

bool Node::work() {
  if (halted_ || still_ || !parts_.events.has_room()) return false;
  if (preempting_ && stop_for_preemption()) return true;
  if (!running_) {
    if (entries_ == 0 || head_ == tail_) return false;
    begin();
    return true;
  }
  if (offset_ >= packet_.bytes) {
    end();
    return true;
  }
  if (spin_left_ != 0) {
    if (--spin_left_ == 0) offset_ += sizeof(PloverCommand);
    return true;
  }
  const std::uint64_t at = packet_.address + offset_;
  PloverCommand command{};
  Fault fault;
  bool done = parts_.mmu.read(accessor(), at, &command, sizeof(command), fault);
  if (done && command.op == PLOVER_OP_WAIT &&
      parts_.semaphores[command.destination % PLOVER_SEMAPHORES] < command.value) {
    return false;
  }
  if (done) {
    tell(WDDM_DEVICE_FETCH, at, sizeof(command));
    done = execute(command, fault);
  }
  if (halted_) return true;
  if (!done) {
    fault_at(fault);
  } else if (spin_left_ == 0) {
    offset_ += sizeof(command);
  }
  return true;
}

void Node::begin() {
  packet_ = first();
  offset_ = spin_left_ = 0;
  if ((packet_.flags & PLOVER_PACKET_SKIP) != 0) {
    ++head_;
    finish(packet_.fence, PLOVER_EVENT_SKIPPED);
    return;
  }
  running_ = true;
  tell(WDDM_DEVICE_PACKET_BEGIN);
  if ((packet_.flags & PLOVER_PACKET_RESUME) != 0 && packet_.save_address != 0) take_up();
}

// What the save area says holds once, and for the packet that it speaks of.
void Node::take_up() {
  PloverSaveArea area{};
  Fault fault;
  if (!parts_.mmu.read(accessor(), packet_.save_address, &area, sizeof(area), fault)) return;
  if (area.valid == 0 || area.address != packet_.address || area.bytes != packet_.bytes) return;
  if (area.offset > area.bytes || area.offset % sizeof(PloverCommand) != 0) return;
  offset_ = area.offset;
  spin_left_ = area.spin_left;
  area.valid = 0;
  parts_.mmu.write(accessor(), packet_.save_address, &area, sizeof(area), fault);
}

void Node::end() {
  running_ = false;
  ++head_;
  tell(WDDM_DEVICE_PACKET_END, packet_.bytes != 0 ? packet_.address + packet_.bytes : 0);
  finish(packet_.fence, PLOVER_EVENT_COMPLETED);
}

void Node::finish(std::uint32_t fence, std::uint32_t event) {
  completed_ = fence;
  parts_.events.write_fence(number_, fence);
  parts_.events.put(event_of(event, fence));
}

bool Node::save() {
  if (packet_.save_address == 0) return false;
  const PloverSaveArea area{1, spin_left_, packet_.address, packet_.bytes, offset_};
  Fault fault;
  return parts_.mmu.write(accessor(), packet_.save_address, &area, sizeof(area), fault);
}

// False if the packet that runs has to end first. Packets that skip end where nothing before them
// is left.
bool Node::stop_for_preemption() {
  if (running_ && !save()) return false;
  if (running_) tell(WDDM_DEVICE_PACKET_STOPPED);
  while (!running_ && head_ != preempt_tail_) {
    const PloverPacket next = first();
    if ((next.flags & PLOVER_PACKET_SKIP) == 0) break;
    ++head_;
    finish(next.fence, PLOVER_EVENT_SKIPPED);
    if (!parts_.events.has_room()) return true;
  }
  running_ = preempting_ = false;
  head_ = preempt_tail_;
  parts_.events.put(event_of(PLOVER_EVENT_PREEMPTED, preempt_fence_));
  parts_.events.announce();
  return true;
}

// Commands that may not be there halt the node themselves.
bool Node::execute(const PloverCommand& command, Fault& fault) {
  Mmu& mmu = parts_.mmu;
  const bool privileged = (packet_.flags & PLOVER_PACKET_PRIVILEGED) != 0;
  std::uint32_t& semaphore = parts_.semaphores[command.destination % PLOVER_SEMAPHORES];
  switch (command.op) {
    case PLOVER_OP_NOP:
    case PLOVER_OP_WAIT:
      return true;
    case PLOVER_OP_FILL:
    case PLOVER_OP_COPY:
      if (command.size > PLOVER_MEMORY_BYTES) break;
      return move(command, fault);
    case PLOVER_OP_ADD: {
      std::uint32_t word = 0;
      if (!mmu.read(accessor(), command.destination, &word, sizeof(word), fault)) return false;
      word += command.value;
      return mmu.write(accessor(), command.destination, &word, sizeof(word), fault);
    }
    case PLOVER_OP_SPIN:
      if (command.size > 1) spin_left_ = static_cast<std::uint32_t>(command.size - 1);
      return true;
    case PLOVER_OP_SIGNAL:
      semaphore = command.value;
      return true;
    case PLOVER_OP_WRITE64:
      return mmu.write(accessor(), command.destination, &command.source, sizeof(command.source),
                       fault);
    case PLOVER_OP_FLUSH_TLB:
      if (!privileged) break;
      mmu.flush(command.value, command.destination, command.size == 0 ? ~0ull : command.size);
      return true;
    case PLOVER_OP_NOTIFY:
      if (!privileged) break;
      parts_.events.put(event_of(PLOVER_EVENT_SIGNALED, 0));
      return true;
    default:
      break;
  }
  halt(event_of(PLOVER_EVENT_BAD_COMMAND, packet_.fence));
  return false;
}

// All is read before anything is written.
bool Node::move(const PloverCommand& command, Fault& fault) {
  std::vector<std::uint8_t> data(command.size);
  if (command.op == PLOVER_OP_FILL) {
    for (std::uint64_t i = 0; i < command.size; ++i) {
      data[i] = static_cast<std::uint8_t>(command.value >> i % 4 * 8);
    }
  } else if (!parts_.mmu.read(accessor(), command.source, data.data(), command.size, fault)) {
    return false;
  }
  return parts_.mmu.write(accessor(), command.destination, data.data(), command.size, fault);
}

void Node::fault_at(const Fault& fault) {
  WddmDeviceEvent record = record_of(WDDM_DEVICE_PAGE_FAULT, number_, packet_.fence, fault.va, 0);
  record.level = fault.level;
  record.write = fault.write;
  record.process = packet_.space;
  parts_.log.push_back(record);
  PloverEvent event = event_of(PLOVER_EVENT_PAGE_FAULT, packet_.fence);
  event.argument = fault.level | (fault.write ? PLOVER_FAULT_WRITE : 0);
  event.address = fault.va;
  halt(event);
}

void Node::halt(const PloverEvent& event) {
  halted_ = true;
  parts_.events.put(event);
  parts_.events.announce();
}

void Node::reset() {
  aborted_ = 0;
  if (running_) {
    tell(WDDM_DEVICE_PACKET_STOPPED);
    completed_ = aborted_ = packet_.fence;
    parts_.events.write_fence(number_, aborted_);
  }
  head_ = tail_;
  running_ = preempting_ = halted_ = false;
}

void Node::lose_power() {
  if (running_) tell(WDDM_DEVICE_PACKET_STOPPED);
  ring_ = 0;
  entries_ = head_ = tail_ = preempt_fence_ = preempt_tail_ = completed_ = aborted_ = 0;
  still_ = preempting_ = running_ = halted_ = false;
}

}  // namespace plover
