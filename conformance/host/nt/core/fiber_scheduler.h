// Who runs next, and when time moves. Internal to the kernel.
#pragma once

#include "conformance/host/nt/core/machine.h"
#include "conformance/host/nt/memory/paged_pool.h"

namespace wddm::nt {

/// Puts a fiber at the end of the run queue.
void make_runnable(Fiber& fiber);
/// The running fiber can't go on (its state says why): runs others until it can. Returns on the
/// same fiber, with pending interrupts and DPCs taken.
void block();
/// Gives everybody else a turn; the caller waits for something to change.
void yield();
/// Something happened that may end somebody's polling.
inline void note_progress() {
  ++g_machine.progress;
  g_machine.poll_rounds = g_machine.poll_steps = 0;
}

/// Puts a timer into the queue; it must not be there.
void timer_insert(Timer& timer, Time due);
/// Takes it out; false if it was not set.
bool timer_remove(Timer& timer);
/// Expires what is due at machine().now.
void timers_expire();

/// Raises the running fiber's IRQL; no checks.
inline void irql_raise(std::uint8_t irql) {
  g_machine.current->irql = irql;
  if (irql >= kDispatch) paged_pool_raised();
}
/// Lowers it and takes what that makes deliverable.
void irql_lower(std::uint8_t irql);

/// Takes deliverable interrupts and DPCs on the running fiber.
void deliver();
inline void deliver_if_any() {
  if (g_machine.attention) deliver();
}
/// Whether the interrupt is asserted, connected and its lock free.
[[nodiscard]] bool interrupt_deliverable();
/// Time has to pass: an interrupt that is held back is held no more. Whether there was one.
[[nodiscard]] bool interrupts_let_go();
/// DPCs that are queued and held (hold_dpcs) may come now. Whether there were some.
[[nodiscard]] bool dpcs_let_go();
/// Whether DPCs of `cpu` could run below DISPATCH_LEVEL.
[[nodiscard]] bool dpcs_deliverable(std::uint32_t cpu);

/// Queues a DPC; false if it is queued already.
bool dpc_queue(DpcBlock& dpc, void* argument1, void* argument2);
bool dpc_remove(DpcBlock& dpc);

/// Reports the hang: who waits for what. Does not return.
[[noreturn]] void report_hang(const char* why);
/// Spins until the lock word is free; the CPU stays taken, fibers of the other one run.
void spin_while_held(const volatile std::uint64_t& lock, const char* service, const void* caller);

/// For the end of run(): fibers other than the root leave, with nothing left to unwind ...
[[noreturn]] void leave_to_root();
/// ... or with what `self`, whose stack this is, owns given back.
[[noreturn]] void leave_run(Fiber& self);
/// What switching away from the running fiber needs; used to start the machine.
void switch_to(Fiber& next);

}  // namespace wddm::nt
