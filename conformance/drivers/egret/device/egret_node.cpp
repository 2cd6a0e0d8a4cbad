#include "conformance/drivers/egret/device/egret_node.h"

#include <algorithm>

namespace egret {
namespace {

std::uint64_t u64(const std::uint32_t* words) {
  return words[0] | std::uint64_t{words[1]} << 32;
}

}  // namespace

std::uint64_t Node::read(std::uint64_t offset) const {
  const Engine& e = engine_;
  switch (offset) {
    case EG_N_RING_BASE:
      return e.ring;
    case EG_N_RING_ENTRIES:
      return e.entries;
    case EG_N_TAIL:
      return e.tail;
    case EG_N_HEAD:
      return e.head;
    case EG_N_COMPLETED:
      return e.completed;
    case EG_N_ACTIVE:
      return e.active ? e.job.fence : 0;
    case EG_N_STATE:
      return (e.active || e.head != e.tail || e.preempt ? EG_N_STATE_BUSY : 0) |
             (e.halted ? EG_N_STATE_HALTED : 0);
    case EG_N_PREEMPT:
      return e.preempt_done;
    case EG_N_PROGRESS:
      return e.progress;
    case EG_N_FAULT_FENCE:
      return e.fault_fence;
    case EG_N_FAULT_INFO:
      return e.fault_info;
    case EG_N_FAULT_VA:
      return e.fault_va;
    case EG_N_CONTROL:
      return e.run ? EG_N_RUN : 0;
    case EG_N_ABORTED:
      return e.aborted;
    case EG_N_ABORT_VALID:
      return e.abort_valid;
    default:
      return 0;
  }
}

void Node::write(std::uint64_t offset, std::uint64_t value) {
  const auto low = static_cast<std::uint32_t>(value);
  switch (offset) {
    case EG_N_RING_BASE:
      engine_.ring = value;
      break;
    case EG_N_RING_ENTRIES:
      engine_.entries = low;
      break;
    case EG_N_TAIL:
      engine_.tail = low;
      break;
    case EG_N_PREEMPT:
      engine_.preempt = true;
      engine_.preempt_tag = low;
      engine_.preempt_tail = engine_.tail;
      break;
    case EG_N_CONTROL:
      control(low);
      break;
    default:
      break;
  }
}

void Node::control(std::uint32_t value) {
  Engine& e = engine_;
  if ((value & EG_N_RESET) == 0) {
    e.run = (value & EG_N_RUN) != 0;
    if ((value & EG_N_CONTINUE) != 0) e.halted = false;
    return;
  }
  e.abort_valid = e.active ? 1 : 0;
  if (e.active) {
    e.aborted = e.job.fence;
    tell(WDDM_DEVICE_PACKET_STOPPED);
  }
  e.active = e.halted = e.run = e.preempt = false;
  e.head = e.tail = 0;
  parts_.interrupts.forget(EG_INTR_NODE(number_));
}

std::uint32_t Node::work(std::uint32_t units) {
  std::uint32_t used = 0;
  while (used < units) {
    const std::uint32_t cost = step(units - used);
    if (cost == 0) break;
    used += cost;
  }
  if (used != 0) ++engine_.progress;
  return used;
}

void Node::scramble(std::uint32_t seed) {
  if (engine_.active) return;
  auto* bytes = reinterpret_cast<std::uint8_t*>(&engine_.state);
  for (std::size_t i = 0; i < sizeof(engine_.state); ++i) {
    seed = seed * 1664525u + 1013904223u;
    bytes[i] = static_cast<std::uint8_t>(seed >> 24);
  }
}

bool Node::access(std::uint64_t va, void* buffer, std::uint64_t bytes, bool write) {
  Fault fault;
  if (parts_.mmu.access(accessor(), va, buffer, bytes, write, fault)) return true;
  return halt(fault.va, (fault.write ? EG_N_FAULT_WRITE : 0) | fault.level << 8);
}

bool Node::halt(std::uint64_t va, std::uint32_t info) {
  engine_.fault_fence = engine_.job.fence;
  engine_.fault_info = info;
  engine_.fault_va = va;
  engine_.halted = true;
  engine_.active = false;
  tell(WDDM_DEVICE_PACKET_STOPPED);
  parts_.interrupts.raise(EG_INTR_FAULT(number_));
  return false;
}

// ---------------------------------------------------------------------------------------- jobs

std::uint32_t Node::step(std::uint32_t budget) {
  Engine& e = engine_;
  if (!e.run || e.halted) return 0;
  if (!e.active) {
    if (e.preempt) {
      finish_preemption();
      return 1;
    }
    if (e.head == e.tail || e.entries == 0) return 0;
    begin();
    return 1;
  }
  if (e.spin != 0) {
    const auto used = static_cast<std::uint32_t>(std::min<std::uint64_t>(e.spin, budget));
    e.spin -= used;
    return used;
  }
  if (e.pc < e.job.length) return execute();
  complete();
  return 1;
}

void Node::begin() {
  Engine& e = engine_;
  e.job = {};
  parts_.host.dma_read(parts_.host.host, e.ring + std::uint64_t{e.head} * EG_JOB_SLOT, &e.job,
                       sizeof(e.job));
  e.head = (e.head + 1) & (e.entries - 1);
  e.active = true;
  e.pc = 0;
  e.spin = 0;
  tell(WDDM_DEVICE_PACKET_BEGIN);
  e.state = {};
  if (e.job.context == 0 || !access(e.job.context, &e.state, sizeof(e.state), false)) return;
  if (e.state.magic != EG_CONTEXT_MAGIC) {
    bad_instruction();
    return;
  }
  if ((e.job.flags & EG_JOB_RESUME) != 0 && e.state.resume_offset != 0 &&
      e.state.resume_buffer == e.job.buffer && e.state.resume_offset <= e.job.length) {
    e.pc = e.state.resume_offset;
  }
}

bool Node::save_context(std::uint32_t resume) {
  Engine& e = engine_;
  if (e.job.context == 0) return true;
  e.state.magic = EG_CONTEXT_MAGIC;
  e.state.resume_buffer = resume != 0 ? e.job.buffer : 0;
  e.state.resume_offset = resume;
  return access(e.job.context, &e.state, sizeof(e.state), true);
}

void Node::complete() {
  if (!save_context(0)) return;
  engine_.active = false;
  engine_.completed = engine_.job.fence;
  tell(WDDM_DEVICE_PACKET_END);
  parts_.interrupts.raise(EG_INTR_COMPLETE(number_));
}

// What was in the ring when preemption was asked for is forgotten: it is submitted again.
void Node::finish_preemption() {
  engine_.head = engine_.preempt_tail;
  engine_.preempt = false;
  engine_.preempt_done = engine_.preempt_tag;
  parts_.interrupts.raise(EG_INTR_PREEMPT(number_));
}

// ------------------------------------------------------------------------------------ commands

std::uint32_t Node::execute() {
  Engine& e = engine_;
  const std::uint64_t at = e.job.buffer + e.pc;
  std::uint32_t header = 0;
  if (!access(at, &header, 4, false)) return 1;
  const std::uint32_t op = EG_OP(header), dwords = EG_DWORDS(header);
  if (dwords == 0 || dwords > (e.job.length - e.pc) / 4) {
    bad_instruction();
    return 1;
  }
  std::vector<std::uint32_t> c(std::max(dwords, 8u));
  if (!access(at, c.data(), std::uint64_t{dwords} * 4, false)) return 1;
  if (op == EG_OP_WAIT && parts_.semaphores[c[1] & 255] < c[2]) return wait();
  parts_.log.push_back(record_of(WDDM_DEVICE_FETCH, accessor(), at, dwords * 4));
  if (op >= EG_OP_PFILL && (e.job.flags & EG_JOB_PRIVILEGED) == 0) {
    bad_instruction();
    return 1;
  }
  const bool done = op >= EG_OP_PFILL   ? privileged_command(op, c.data(), dwords)
                    : op >= EG_OP_VFILL ? virtual_command(op, c.data(), dwords)
                                        : slot_command(op, c.data(), dwords);
  if (done) e.pc += dwords * 4;
  const std::uint32_t moved = op == EG_OP_FILL ? c[3] : op == EG_OP_COPY ? c[4] : 0;
  return std::min(1 + (moved >> 16), 0xffffu);
}

// A wait gives way to preemption: the rest of the job goes on behind what its context keeps.
std::uint32_t Node::wait() {
  if (!engine_.preempt) return 0;
  if (!save_context(engine_.pc)) return 1;
  engine_.active = false;
  tell(WDDM_DEVICE_PACKET_STOPPED);
  finish_preemption();
  return 1;
}

// Of what is `offset` bytes into a slot; 0: not bound.
std::uint64_t Node::slot_address(std::uint32_t slot, std::uint32_t offset) const {
  if (slot >= EG_SLOTS || engine_.state.base[slot] == 0) return 0;
  return engine_.state.base[slot] + offset;
}

bool Node::slot_command(std::uint32_t op, Words c, std::uint32_t dwords) {
  Engine& e = engine_;
  switch (op) {
    case EG_OP_NOP:
    case EG_OP_WAIT:
      return true;
    case EG_OP_BASE:
      if (dwords != 4 || c[1] >= EG_SLOTS) return bad_instruction();
      e.state.base[c[1]] = u64(c + 2);
      return true;
    case EG_OP_UNBASE:
      if (dwords != 2 || c[1] >= EG_SLOTS) return bad_instruction();
      e.state.base[c[1]] = 0;
      return true;
    case EG_OP_PATTERN:
      e.state.pattern = c[1];
      return true;
    case EG_OP_FILL: {
      const std::uint64_t to = dwords == 4 ? slot_address(c[1], c[2]) : 0;
      return to != 0 ? fill(to, c[3], e.state.pattern) : bad_instruction();
    }
    case EG_OP_COPY: {
      const std::uint64_t to = dwords == 5 ? slot_address(c[1] & 0xffff, c[2]) : 0;
      const std::uint64_t from = slot_address(c[1] >> 16, c[3]);
      return to != 0 && from != 0 ? copy(to, from, c[4]) : bad_instruction();
    }
    case EG_OP_ADD:
      return add(c, dwords);
    case EG_OP_SPIN:
      e.spin = c[1];
      return true;
    case EG_OP_SIGNAL:
      parts_.semaphores[c[1] & 255] = c[2];
      return true;
    default:
      return bad_instruction();
  }
}

bool Node::add(Words c, std::uint32_t dwords) {
  const std::uint64_t to = dwords == 4 ? slot_address(c[1], c[2]) : 0;
  std::uint32_t word = 0;
  if (to == 0) return bad_instruction();
  if (!access(to, &word, 4, false)) return false;
  word += c[3];
  return access(to, &word, 4, true);
}

bool Node::virtual_command(std::uint32_t op, Words c, std::uint32_t dwords) {
  switch (op) {
    case EG_OP_VFILL:
      return fill(u64(c + 2), c[1], c[4]);
    case EG_OP_VCOPY:
      return copy(u64(c + 2), u64(c + 4), c[1]);
    case EG_OP_VWRITE: {
      if (dwords != c[1] + std::uint64_t{4}) return bad_instruction();
      std::vector<std::uint32_t> data(c + 4, c + dwords);
      return access(u64(c + 2), data.data(), std::uint64_t{c[1]} * 4, true);
    }
    default:
      return bad_instruction();
  }
}

bool Node::privileged_command(std::uint32_t op, Words c, std::uint32_t dwords) {
  switch (op) {
    case EG_OP_PFILL: {
      std::vector<std::uint32_t> data(c[1] / 4, c[4]);
      parts_.memory.access_all(accessor(), u64(c + 2), data.data(), data.size() * 4, true);
      return true;
    }
    case EG_OP_PCOPY: {
      std::vector<std::uint8_t> data(c[1]);
      parts_.memory.access_all(accessor(), u64(c + 4), data.data(), data.size(), false);
      parts_.memory.access_all(accessor(), u64(c + 2), data.data(), data.size(), true);
      return true;
    }
    case EG_OP_PTES:
    case EG_OP_PTEFILL:
      return write_entries(op == EG_OP_PTEFILL, c, dwords);
    case EG_OP_GART:
    case EG_OP_GARTFILL:
      return map_aperture(op == EG_OP_GARTFILL, c, dwords);
    case EG_OP_TLBINV:
      parts_.mmu.flush(c[1], u64(c + 2), u64(c + 4));
      return true;
    case EG_OP_PROBE: {
      std::uint32_t word = 0;
      parts_.memory.access(accessor(), u64(c + 1), &word, 4, false);
      return true;
    }
    default:
      return bad_instruction();
  }
}

bool Node::write_entries(bool repeat, Words c, std::uint32_t dwords) {
  if (dwords != (repeat ? 8 : 6 + 2 * std::uint64_t{c[1]})) return bad_instruction();
  for (std::uint32_t i = 0; i < c[1]; ++i) {
    std::uint64_t entry = u64(c + 6 + (repeat ? 0 : 2 * i));
    parts_.memory.access(accessor(), u64(c + 2) + std::uint64_t{i} * c[4], &entry, 8, true);
  }
  return true;
}

bool Node::map_aperture(bool repeat, Words c, std::uint32_t dwords) {
  if (dwords != (repeat ? 6 : 4 + 2 * std::uint64_t{c[2]})) return bad_instruction();
  for (std::uint32_t i = 0; i < c[2]; ++i) {
    parts_.memory.set_aperture(c[1] + i, u64(c + 4 + (repeat ? 0 : 2 * i)));
  }
  return true;
}

bool Node::fill(std::uint64_t to, std::uint32_t bytes, std::uint32_t value) {
  std::vector<std::uint32_t> data(4096 / 4, value);
  while (bytes != 0) {
    const std::uint32_t now = std::min(bytes, 4096u);
    if (!access(to, data.data(), now, true)) return false;
    to += now;
    bytes -= now;
  }
  return true;
}

bool Node::copy(std::uint64_t to, std::uint64_t from, std::uint32_t bytes) {
  std::vector<std::uint8_t> data(bytes);
  return access(from, data.data(), bytes, false) && access(to, data.data(), bytes, true);
}

}  // namespace egret
