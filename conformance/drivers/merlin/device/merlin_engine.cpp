// Jobs, preemption and the registers of an engine.
#include "conformance/drivers/merlin/device/merlin_engine.h"

#include <algorithm>
#include <vector>

namespace merlin {
namespace {

std::uint64_t word64(const std::uint32_t* words) {
  return words[0] | std::uint64_t{words[1]} << 32;
}

void set_low(std::uint64_t& to, std::uint32_t value) {
  to = (to & ~0xFFFFFFFFull) | value;
}
void set_high(std::uint64_t& to, std::uint32_t value) {
  to = (to & 0xFFFFFFFFull) | std::uint64_t{value} << 32;
}

}  // namespace

void Engine::tell(std::uint32_t kind, std::uint64_t address, std::uint32_t length) {
  log_.push_back(record_of(kind, node_, state_.job, address, length));
}

// ---------------------------------------------------------------------------------- commands

bool Engine::touch(Access access, std::uint64_t va, void* data, std::uint64_t bytes, Fault& fault) {
  Fault found;
  if (mmu_.access(accessor(), access, va, data, bytes, found)) return true;
  fault = found;
  WddmDeviceEvent record = record_of(WDDM_DEVICE_PAGE_FAULT, node_, state_.job, found.va, 0);
  record.level = found.level;
  record.write = found.write ? 1 : 0;
  record.process = state_.job.space;
  log_.push_back(record);
  return false;
}

bool Engine::fill(std::uint64_t va, std::uint64_t bytes, std::uint32_t value, Fault& fault) {
  std::uint32_t block[1024];
  std::fill(std::begin(block), std::end(block), value);
  while (bytes != 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, sizeof(block));
    if (!touch(Access::Write, va, block, piece, fault)) return false;
    va += piece;
    bytes -= piece;
  }
  return true;
}

bool Engine::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes, Fault& fault) {
  std::uint8_t block[4096];
  while (bytes != 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes, sizeof(block));
    if (!touch(Access::Read, from, block, piece, fault)) return false;
    if (!touch(Access::Write, to, block, piece, fault)) return false;
    to += piece;
    from += piece;
    bytes -= piece;
  }
  return true;
}

// The command of `count` words; false: it faults, or is none. `units` is the time that it takes.
bool Engine::perform(const std::uint32_t* words, std::uint32_t count, std::uint64_t& units,
                     Fault& fault) {
  switch (MC_OP(words[0])) {
    case MC_NOP:
      return true;
    case MC_FILL:
      if (count != MC_FILL_WORDS) return false;
      units += words[3] >> 16;
      return fill(word64(words + 1), words[3], words[4], fault);
    case MC_COPY:
      if (count != MC_COPY_WORDS) return false;
      units += words[5] >> 16;
      return copy(word64(words + 1), word64(words + 3), words[5], fault);
    case MC_ADD: {
      if (count != MC_ADD_WORDS) return false;
      std::uint32_t value = 0;
      if (!touch(Access::Read, word64(words + 1), &value, 4, fault)) return false;
      value += words[3];
      return touch(Access::Write, word64(words + 1), &value, 4, fault);
    }
    case MC_SPIN:
      if (count != MC_SPIN_WORDS) return false;
      units = std::max(words[1], 1u);
      return true;
    case MC_STORE64: {
      if (count != MC_STORE64_WORDS) return false;
      std::uint64_t value = word64(words + 3);
      return touch(Access::Write, word64(words + 1), &value, 8, fault);
    }
    case MC_PTE_WRITE: {
      if (count < MC_PTE_WRITE_WORDS || (count - MC_PTE_WRITE_WORDS) % 2 != 0) return false;
      std::vector<std::uint32_t> entries(words + 3, words + count);
      return touch(Access::Write, word64(words + 1), entries.data(), entries.size() * 4, fault);
    }
    case MC_PTE_FILL: {
      if (count != MC_PTE_FILL_WORDS) return false;
      std::vector<std::uint64_t> entries(words[3], word64(words + 4));
      return touch(Access::Write, word64(words + 1), entries.data(), entries.size() * 8, fault);
    }
    case MC_TLB_FLUSH:
      if (count != MC_TLB_FLUSH_WORDS) return false;
      mmu_.flush(words[1], word64(words + 2), word64(words + 4));
      return true;
    default:
      return false;
  }
}

// Executes the command at the packet's position. Returns its units, or 0 with `fault`.
std::uint64_t Engine::execute(Fault& fault) {
  const MerlinJob& job = state_.job;
  const std::uint64_t va = job.commands + state_.at;
  const std::uint32_t left = job.command_bytes - state_.at;
  fault = {0, 0, false, MF_CODE_COMMAND};
  std::uint32_t header = 0;
  if (left < 4 || va % 4 != 0) return 0;
  if (!touch(Access::Execute, va, &header, 4, fault)) return 0;
  const std::uint32_t count = MC_WORDS(header);
  const bool fits = count != 0 && count * 4 <= left;
  tell(WDDM_DEVICE_FETCH, va, fits ? count * 4 : 4);
  if (!MC_IS_COMMAND(header) || !fits) return 0;
  std::vector<std::uint32_t> words(count);
  if (!touch(Access::Execute, va, words.data(), count * 4, fault)) return 0;
  if (MC_OP(header) >= MC_PTE_WRITE && (job.flags & MERLIN_JOB_PRIVILEGED) == 0) return 0;
  state_.at += count * 4;
  std::uint64_t units = 1;
  return perform(words.data(), count, units, fault) ? units : 0;
}

// -------------------------------------------------------------------------------------- jobs

bool Engine::fetch_job(MerlinJob& job) {
  const std::uint64_t slot = state_.head % state_.ring_count;
  return mmu_.physical(accessor(), true, false, state_.ring + slot * MERLIN_JOB_STRIDE, &job,
                       sizeof(job));
}

void Engine::preempt_now() {
  State& s = state_;
  if (!s.preempting || s.busy || s.faulted) return;
  const auto waits = [&s] { return static_cast<std::int32_t>(s.preempt_tail - s.head) > 0; };
  // What stands next and is a fence alone is over already.
  while (waits() && s.ring_count != 0) {
    MerlinJob job;
    if (!fetch_job(job) || job.command_bytes != 0) break;
    ++s.head;
    s.job = job;
    tell(WDDM_DEVICE_PACKET_BEGIN);
    tell(WDDM_DEVICE_PACKET_END);
    s.done = job.fence;
  }
  if (waits()) s.head = s.preempt_tail;
  s.preempting = false;
  s.preempted = s.preempt_fence;
  s.preempt_done = s.done;
  interrupts_.raise(MI_PREEMPTED(node_));
}

bool Engine::begin() {
  preempt_now();
  if (state_.head == state_.tail || state_.ring_count == 0) return false;
  if (!fetch_job(state_.job)) return false;
  ++state_.head;
  state_.busy = true;
  state_.at = 0;
  state_.owed = 0;
  tell(WDDM_DEVICE_PACKET_BEGIN);
  return true;
}

void Engine::end() {
  tell(WDDM_DEVICE_PACKET_END);
  state_.busy = false;
  state_.done = state_.job.fence;
  interrupts_.raise(MI_DONE(node_));
  preempt_now();
}

void Engine::halt(const Fault& fault) {
  state_.faulted = true;
  state_.busy = false;
  state_.fault = fault;
  state_.fault_fence = state_.job.fence;
  state_.fault_space = state_.job.space;
  tell(WDDM_DEVICE_PACKET_STOPPED);
  interrupts_.raise(MI_FAULT(node_));
}

// Returns units, 0 if there is nothing to do.
std::uint64_t Engine::step(std::uint64_t budget) {
  if (!state_.enabled || state_.faulted) return 0;
  if (!state_.busy) return begin() ? 1 : 0;
  if (state_.owed != 0) {
    const std::uint64_t units = std::min(state_.owed, budget);
    state_.owed -= units;
    return units;
  }
  if (state_.at >= state_.job.command_bytes) {
    end();
    return 1;
  }
  Fault fault;
  const std::uint64_t units = execute(fault);
  if (units == 0) {
    halt(fault);
  } else {
    state_.owed = units - 1;
  }
  return 1;
}

std::uint32_t Engine::work(std::uint32_t budget) {
  std::uint32_t used = 0;
  while (used < budget) {
    const auto units = static_cast<std::uint32_t>(step(budget - used));
    if (units == 0) break;
    used += units;
    state_.progress += units;
  }
  return used;
}

void Engine::stop() {
  if (state_.busy) tell(WDDM_DEVICE_PACKET_STOPPED);
}

// --------------------------------------------------------------------------------- registers

std::uint32_t Engine::status() const {
  const bool waits = state_.head != state_.tail && !state_.faulted;
  return (state_.enabled ? ME_STATUS_ENABLED : 0) | (state_.busy || waits ? ME_STATUS_BUSY : 0) |
         (state_.faulted ? ME_STATUS_FAULTED : 0) | (state_.preempting ? ME_STATUS_PREEMPTING : 0);
}

std::uint32_t Engine::read(std::uint32_t reg) const {
  switch (reg) {
    case ME_RING_LO:
      return static_cast<std::uint32_t>(state_.ring);
    case ME_RING_HI:
      return static_cast<std::uint32_t>(state_.ring >> 32);
    case ME_RING_COUNT:
      return state_.ring_count;
    case ME_TAIL:
      return state_.tail;
    case ME_HEAD:
      return state_.head;
    case ME_STATUS:
      return status();
    case ME_DONE_FENCE:
      return state_.done;
    case ME_CURRENT_FENCE:
      return state_.busy || state_.faulted ? state_.job.fence : state_.done;
    case ME_PREEMPTED:
      return state_.preempted;
    case ME_PREEMPT_DONE:
      return state_.preempt_done;
    case ME_FAULT_VA_LO:
      return static_cast<std::uint32_t>(state_.fault.va);
    case ME_FAULT_VA_HI:
      return static_cast<std::uint32_t>(state_.fault.va >> 32);
    case ME_FAULT_INFO:
      return state_.fault.level | (state_.fault.write ? MF_WRITE : 0) | state_.fault.code << 8;
    case ME_FAULT_FENCE:
      return state_.fault_fence;
    case ME_FAULT_SPACE:
      return state_.fault_space;
    case ME_PROGRESS:
      return state_.progress;
    default:
      return 0;
  }
}

void Engine::write(std::uint32_t reg, std::uint32_t value) {
  switch (reg) {
    case ME_RING_LO:
      set_low(state_.ring, value);
      break;
    case ME_RING_HI:
      set_high(state_.ring, value);
      break;
    case ME_RING_COUNT:
      state_.ring_count = value;
      break;
    case ME_TAIL:
      state_.tail = value;
      break;
    case ME_DONE_FENCE:
      state_.done = value;
      break;
    case ME_CONTROL:
      if ((value & ME_CONTROL_RESET) != 0) {
        stop();
        reset();
        interrupts_.status &= ~MI_ENGINE(node_);
      }
      if ((value & ME_CONTROL_ENABLE) != 0) state_.enabled = true;
      break;
    case ME_PREEMPT:
      state_.preempt_fence = value;
      state_.preempt_tail = state_.tail;
      state_.preempting = true;
      preempt_now();
      break;
    default:
      break;
  }
}

}  // namespace merlin
