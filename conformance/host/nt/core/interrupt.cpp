// Interrupts and DPCs: when they are taken, and on whose back.
//
// The running fiber takes an interrupt at its next service below the device's IRQL, and the DPCs of
// its CPU when it drops below DISPATCH_LEVEL; a CPU with nobody on it uses its idle fiber. Left
// out: DPC watchdog, threaded DPCs, interrupt affinity.
#include <algorithm>
#include <array>

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/core/foreign_call.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/image/seh.h"
#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

namespace wddm::nt {
namespace {

constexpr std::uint32_t kStorm = 64;
constexpr std::uint8_t kLowImportance = 0;
constexpr std::uint8_t kHighImportance = 2;

bool is_raised(const InterruptState& interrupt) {
  return interrupt.message_count != 0 || (interrupt.level && !interrupt.storm);
}

bool anything_pending() {
  const Machine& m = machine();
  if (!m.interrupt.held && is_raised(m.interrupt)) return true;
  for (const Cpu& cpu : m.cpus)
    if (!list_empty(cpu.dpcs) && !m.interrupt.dpcs_held) return true;
  return false;
}

void take_interrupt(Fiber& self) {
  InterruptState& interrupt = machine().interrupt;
  std::uint32_t message = 0;
  if (interrupt.message_count != 0) {
    message = interrupt.messages[0];
    --interrupt.message_count;
    for (std::uint32_t i = 0; i < interrupt.message_count; ++i)
      interrupt.messages[i] = interrupt.messages[i + 1];
  } else if (++interrupt.level_calls == kStorm) {
    interrupt.storm = true;
  }
  const std::uint8_t before = self.irql;
  irql_raise(kDirql);
  interrupt.lock = lock_word(self);
  note_progress();
  const SehBarrier barrier;
  interrupt.isr(interrupt.context, message);
  interrupt.lock = 0;
  self.irql = before;
}

void run_dpc(DpcBlock& dpc) {
  // The object may be queued again, or freed, by its own routine.
  const DpcBlock copy = dpc;
  dpc.queued_on = 0;
  Fiber& self = running();
  ++self.dpc_depth;
  note_progress();
  const SehBarrier barrier;
  if (copy.name != nullptr) {
    copy.routine(&dpc, copy.context, copy.argument1, copy.argument2);
  } else {
    const CallCheck check("DPC", reinterpret_cast<const void*>(copy.routine));
    copy.routine(&dpc, copy.context, copy.argument1, copy.argument2);
  }
  --self.dpc_depth;
}

void drain(Fiber& self, Cpu& cpu) {
  const std::uint8_t before = self.irql;
  cpu.draining = true;
  irql_raise(kDispatch);
  while (!list_empty(cpu.dpcs) && !machine().interrupt.dpcs_held) {
    Link* const first = cpu.dpcs.next;
    list_remove(*first);
    run_dpc(*WDDM_CONTAINER(DpcBlock, link, first));
  }
  cpu.draining = false;
  self.irql = before;
}

void idle_body(void*) {
  for (;;) {
    deliver_if_any();
    running().state = FiberState::Waiting;
    block();
  }
}

}  // namespace

bool interrupt_deliverable() {
  const InterruptState& interrupt = machine().interrupt;
  return interrupt.isr != nullptr && interrupt.lock == 0 && !interrupt.held && is_raised(interrupt);
}

bool dpcs_deliverable(std::uint32_t cpu) {
  const Machine& m = machine();
  return !list_empty(m.cpus[cpu].dpcs) && !m.cpus[cpu].draining && !m.interrupt.dpcs_held;
}

void deliver() {
  Machine& m = machine();
  if (!m.running) return;
  Fiber& self = running();
  call_foreign([&] {
    for (;;) {
      if (self.irql < kDirql && interrupt_deliverable()) {
        take_interrupt(self);
      } else if (self.irql < kDispatch && dpcs_deliverable(self.cpu)) {
        drain(self, m.cpus[self.cpu]);
      } else {
        break;
      }
    }
  });
  m.attention = anything_pending();
}

void irql_lower(std::uint8_t irql) {
  running().irql = irql;
  deliver_if_any();
}

bool dpc_queue(DpcBlock& dpc, void* argument1, void* argument2) {
  Machine& m = machine();
  if (dpc.queued_on != 0) return false;
  // The driver may have written to it.
  if (dpc.target > kCpus) {
    report(FindingKind::BadParameter, m.last_service,
           "the DPC names a processor that does not exist",
           reinterpret_cast<const void*>(dpc.routine));
    return false;
  }
  const std::uint32_t cpu = dpc.target != 0 ? dpc.target - 1u : running().cpu;
  dpc.argument1 = argument1;
  dpc.argument2 = argument2;
  dpc.queued_on = cpu + 1;
  Link& queue = m.cpus[cpu].dpcs;
  if (dpc.importance == kHighImportance)
    list_push_front(queue, dpc.link);
  else
    list_push_back(queue, dpc.link);
  m.attention = true;
  return true;
}

bool dpc_remove(DpcBlock& dpc) {
  if (dpc.queued_on == 0) return false;
  dpc.queued_on = 0;
  list_remove(dpc.link);
  return true;
}

void idle_fibers_start() {
  static constexpr std::array<const char*, kCpus> kNames{"idle of CPU 0", "idle of CPU 1"};
  for (std::uint8_t cpu = 0; cpu < kCpus; ++cpu) {
    Fiber* idle = fiber_create(FiberKind::Idle, kNames[cpu], idle_body, nullptr);
    idle->home = idle->cpu = cpu;
    idle->ordinal = kIdleOrdinal + cpu;
    machine().cpus[cpu].idle = idle;
  }
}

void connect_interrupt(Isr isr, void* context) {
  machine().interrupt.isr = isr;
  machine().interrupt.context = context;
}

void set_interrupt_line(bool level) {
  InterruptState& interrupt = machine().interrupt;
  if (!level || !interrupt.level) {
    interrupt.level_calls = 0;
    interrupt.storm = false;
  }
  interrupt.level = level;
  if (level) machine().attention = true;
}

void raise_message(std::uint32_t message) {
  InterruptState& interrupt = machine().interrupt;
  if (interrupt.message_count == std::size(interrupt.messages)) return;
  interrupt.messages[interrupt.message_count++] = message;
  machine().attention = true;
}

bool interrupt_storm() {
  return machine().interrupt.storm;
}

bool synchronize(bool (*routine)(void*), void* context, const void* code) {
  Fiber& self = running();
  InterruptState& interrupt = machine().interrupt;
  const std::uint8_t before = self.irql;
  if (before > kDirql) return false;
  // From inside the ISR the lock is held already.
  const bool nested = interrupt.lock == lock_word(self);
  irql_raise(kDirql);
  if (!nested) {
    spin_while_held(interrupt.lock, "synchronize", nullptr);
    interrupt.lock = lock_word(self);
  }
  bool result;
  {
    const SehBarrier barrier;
    const CallCheck check("SynchronizeRoutine", code);
    result = routine(context);
  }
  if (!nested) interrupt.lock = 0;
  irql_lower(before);
  return result;
}

void hold_dpcs(bool held) {
  machine().interrupt.dpcs_held = held;
  if (!held) {
    machine().attention = true;
    deliver();
  }
}

void hold_interrupts(bool held) {
  machine().interrupt.held = held;
  if (!held) {
    machine().attention = true;
    deliver();
  }
}

bool interrupts_let_go() {
  InterruptState& interrupt = machine().interrupt;
  if (!interrupt.held || interrupt.isr == nullptr || !is_raised(interrupt)) return false;
  interrupt.held = false;
  machine().attention = true;
  return true;
}

bool dpcs_let_go() {
  Machine& m = machine();
  const bool queued =
      std::ranges::any_of(m.cpus, [](const Cpu& cpu) { return !list_empty(cpu.dpcs); });
  if (!m.interrupt.dpcs_held || !queued) return false;
  m.interrupt.dpcs_held = false;
  m.attention = true;  // not now: who lets them go may be waiting itself
  return true;
}

HostDpc::HostDpc(const char* name, void (*routine)(void*), void* context)
    : routine_(routine), context_(context) {
  block_.name = name;
  block_.importance = kLowImportance + 1;
  block_.context = this;
  block_.routine = [](DpcBlock*, void* self, void*, void*) {
    auto* dpc = static_cast<HostDpc*>(self);
    dpc->routine_(dpc->context_);
  };
}

bool HostDpc::queue() {
  const bool queued = dpc_queue(block_, nullptr, nullptr);
  deliver_if_any();
  return queued;
}

bool HostDpc::remove() {
  return dpc_remove(block_);
}

}  // namespace wddm::nt
