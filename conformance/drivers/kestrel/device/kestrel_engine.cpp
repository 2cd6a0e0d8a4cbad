#include "conformance/drivers/kestrel/device/kestrel_engine.h"

#include <algorithm>
#include <vector>

namespace kestrel {
namespace {

void set_high(std::uint64_t& address, std::uint32_t value) {
  address = std::uint64_t{value} << 32 | static_cast<std::uint32_t>(address);
}
void set_low(std::uint64_t& address, std::uint32_t value) {
  address = address >> 32 << 32 | value;
}

}  // namespace

void Engine::tell(std::uint32_t kind, std::uint64_t address, std::uint32_t bytes) {
  WddmDeviceEvent event{};
  event.kind = kind;
  event.node = number_;
  event.tag = fence_;
  event.address = address;
  event.length = bytes;
  parts_.log.push_back(event);
}

void Engine::record(std::uint32_t word, std::uint32_t value) {
  parts_.host.dma_write(parts_.host.host, record_ + word * sizeof(value), &value, sizeof(value));
}

void Engine::check(bool done, Place at, std::uint32_t bytes) {
  if (!done) tell(WDDM_DEVICE_FAULT, at.address, bytes);
}

void Engine::write(std::uint64_t offset, std::uint32_t value) {
  switch (offset) {
    case KST_RING_HIGH:
      set_high(ring_, value);
      break;
    case KST_RING_LOW:
      set_low(ring_, value);
      break;
    case KST_RING_ENTRIES:
      entries_ = value;
      break;
    case KST_RING_TAIL:
      tail_ = value;
      break;
    case KST_RECORD_HIGH:
      set_high(record_, value);
      break;
    case KST_RECORD_LOW:
      set_low(record_, value);
      break;
    case KST_CONTROL:
      control(value);
      break;
    case KST_PREEMPT:
      preempting_ = true;
      preempt_fence_ = value;
      preempt_tail_ = tail_;
      break;
    default:
      break;
  }
}

std::uint32_t Engine::read(std::uint64_t offset) const {
  switch (offset) {
    case KST_RING_HEAD:
      return head_;
    case KST_PROGRESS:
      return progress_;
    default:
      return 0;
  }
}

void Engine::control(std::uint32_t value) {
  control_ = value;
  if (value != KST_CONTROL_RESET) return;
  if (active_) tell(WDDM_DEVICE_PACKET_STOPPED, 0, 0);
  active_ = preempting_ = false;
  head_ = tail_ = 0;
}

void Engine::lose_power() {
  control(KST_CONTROL_RESET);
  ring_ = record_ = 0;
  entries_ = progress_ = 0;
}

std::uint32_t Engine::work(std::uint32_t units, std::uint32_t& raised) {
  std::uint32_t used = 0;
  while (used < units && control_ == KST_CONTROL_RUN && raised == 0) {
    if (active_ && position_ >= bytes_) {
      ++used;
      end(raised);
    } else if (preempting_ && (!active_ || (flags_ & KST_ENTRY_WHOLE) == 0)) {
      ++used;
      stop(raised);
    } else if (!active_) {
      if (head_ == tail_ || entries_ == 0) break;
      begin();
    } else {
      const std::uint32_t cost = command(units - used);
      if (cost == 0) break;  // it waits
      used += cost;
      ++progress_;
    }
  }
  return used;
}

void Engine::begin() {
  std::uint32_t entry[KstEntryWords] = {};
  parts_.host.dma_read(parts_.host.host, ring_ + std::uint64_t{head_} * sizeof(entry), entry,
                       sizeof(entry));
  head_ = (head_ + 1) % entries_;
  if (entry[KstEntryOp] != KST_ENTRY_EXECUTE) return;
  active_ = true;
  flags_ = entry[KstEntryFlags];
  place_ = place_at(&entry[KstEntryHigh], true);
  bytes_ = entry[KstEntryBytes];
  fence_ = entry[KstEntryFence];
  position_ = entry[KstEntrySkip];
  spent_ = entry[KstEntrySpin];
  tell(WDDM_DEVICE_PACKET_BEGIN, place_.address + position_,
       position_ < bytes_ ? bytes_ - position_ : 0);
}

void Engine::end(std::uint32_t& raised) {
  active_ = false;
  tell(WDDM_DEVICE_PACKET_END, place_.address + bytes_, 0);
  record(KstRecordCompleted, fence_);
  raised |= KST_INT_DONE(number_);
}

void Engine::stop(std::uint32_t& raised) {
  preempting_ = false;
  record(KstRecordStopped, active_ ? fence_ : 0);
  record(KstRecordOffset, active_ ? position_ : 0);
  record(KstRecordSpin, active_ ? spent_ : 0);
  record(KstRecordPreempt, preempt_fence_);
  if (active_) tell(WDDM_DEVICE_PACKET_STOPPED, place_.address + position_, 0);
  active_ = false;
  head_ = preempt_tail_;
  raised |= KST_INT_PREEMPTED(number_);
}

// Nonsense ends the packet, and is logged as an access to no memory.
bool Engine::fetch(std::uint32_t* words) {
  const Place at{place_.address + position_, place_.system};
  const std::uint32_t room = bytes_ - position_;
  bool done = parts_.memory.read(at, words, sizeof(*words));
  done = done && KST_IS_COMMAND(words[0]) && KST_WORDS(words[0]) * 4 <= room &&
         parts_.memory.read(at, words, KST_WORDS(words[0]) * 4);
  check(done, at, sizeof(*words));
  if (!done) skip_packet();
  return done;
}

// Returns the units that it took, 0: it waits.
std::uint32_t Engine::command(std::uint32_t units) {
  std::uint32_t words[256] = {};
  std::uint32_t cost = 1;
  if (!fetch(words)) return cost;
  if (KST_OP(words[0]) == KST_OP_WAIT && parts_.semaphores[words[1] % KST_SEMAPHORES] < words[2]) {
    return 0;
  }
  if (KST_OP(words[0]) == KST_OP_SPIN) {
    const std::uint32_t left = words[1] > spent_ ? words[1] - spent_ : 0;
    if (left > units) {
      spent_ += units;
      return units;
    }
    cost = std::max(left, cost);
  } else {
    execute(words);
  }
  position_ += KST_WORDS(words[0]) * 4;
  spent_ = 0;
  return cost;
}

void Engine::execute(const std::uint32_t* words) {
  switch (KST_OP(words[0])) {
    case KST_OP_FILL:
    case KST_OP_COPY:
      move(words, false);
      break;
    case KST_OP_PFILL:
    case KST_OP_PCOPY:
      move(words, true);
      break;
    case KST_OP_ADD: {
      const Place at = place_at(words + 1, false);
      std::uint32_t value = 0;
      bool done = parts_.memory.read(at, &value, sizeof(value));
      value += words[3];
      done = done && parts_.memory.write(at, &value, sizeof(value));
      check(done, at, sizeof(value));
      break;
    }
    case KST_OP_SIGNAL:
      parts_.semaphores[words[1] % KST_SEMAPHORES] = words[2];
      break;
    case KST_OP_GART:
      for (std::uint32_t i = 2; i + 1 < KST_WORDS(words[0]); i += 2) {
        parts_.memory.write_gart(words[1] + i / 2 - 1, place_at(words + i, false).address);
      }
      break;
    case KST_OP_GARTFILL:
      for (std::uint32_t i = 0; i < words[2]; ++i) {
        parts_.memory.write_gart(words[1] + i, place_at(words + 3, false).address);
      }
      break;
    default:
      break;
  }
}

// All is read before anything is written.
void Engine::move(const std::uint32_t* words, bool privileged) {
  const bool copies = KST_OP(words[0]) == KST_OP_COPY || KST_OP(words[0]) == KST_OP_PCOPY;
  const Place to = place_at(words + 1, privileged);
  const std::uint32_t bytes = (copies ? words[5] : words[3]) & ~3u;
  std::vector<std::uint32_t> data(bytes / 4, words[4]);
  if (copies) {
    const Place from = place_at(words + 3, privileged);
    const bool done = parts_.memory.read(from, data.data(), bytes);
    check(done, from, bytes);
    if (!done) return;
  }
  check(parts_.memory.write(to, data.data(), bytes), to, bytes);
}

}  // namespace kestrel
