// Picks who runs next and moves the clock. First come, first served unless a policy is set; a fiber
// runs until it blocks, yields or has passed kBudget yield points.
//
// Polling: drivers wait in loops of YieldProcessor, KeStallExecutionProcessor or register reads.
// When every fiber that could run does nothing else, settle() returns, the idle hook lets the
// device work, and time passes in small steps, which are what such loops cost on a real machine.
#include "conformance/host/nt/core/fiber_scheduler.h"

#include <algorithm>
#include <array>
#include <utility>

#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

namespace wddm::nt {

Machine g_machine;

namespace {

// Weight of an explicit yield and of a used-up budget, and the weight from which a fiber is
// polling.
constexpr std::uint32_t kYieldWeight = 4;
constexpr std::uint32_t kBudgetWeight = 1;
constexpr std::uint32_t kPolling = 64;
constexpr std::uint32_t kPollRoundsToHang = 1 << 20;
constexpr std::uint32_t kBarrenTicksToHang = 10'000;
// Threads that keep each other busy with timeouts while the application waits without one.
constexpr Time kApplicationLost = 3600ull * 10'000'000;
constexpr std::uint32_t kMaxCandidates = 64;
constexpr Time kMicrosecond = 10;

bool keeps_cpu(const Fiber& fiber) {
  return fiber.irql >= kDispatch && fiber.state != FiberState::Ended;
}

// `cpu` could be given to a fiber below DISPATCH_LEVEL if the running fiber were switched out.
bool cpu_free(std::uint32_t cpu) {
  const Fiber& self = running();
  return cpu == self.cpu ? !keeps_cpu(self) : machine().cpus[cpu].pinned == nullptr;
}

bool eligible(const Fiber& fiber) {
  if (fiber.state == FiberState::Spinning && *fiber.waiting.lock != 0) return false;
  if (&fiber == machine().current || keeps_cpu(fiber)) return true;
  if (fiber.kind == FiberKind::Idle) return cpu_free(fiber.home);
  return cpu_free(0) || cpu_free(1);
}

// At DISPATCH_LEVEL a thread has its CPU, whoever else wants it.
bool is_held(const Fiber& fiber) {
  return machine().threads_held && fiber.kind == FiberKind::Driver && !keeps_cpu(fiber);
}

bool is_polling(const Fiber& fiber) {
  return fiber.polls >= kPolling && fiber.progress_seen == machine().progress;
}

void count_poll(Fiber& fiber, std::uint32_t weight) {
  if (fiber.progress_seen != machine().progress) {
    fiber.progress_seen = machine().progress;
    fiber.polls = 0;
  }
  fiber.polls = std::min(fiber.polls + weight, kPolling);
}

Fiber* fiber_in_queue(Link* link) {
  return WDDM_CONTAINER(Fiber, queue, link);
}

struct Candidates {
  bool pollers;           // take polling fibers too
  const Fiber* not_this;  // or null
  Fiber* first;           // offered as number 0 whatever its arrival, or null

  [[nodiscard]] bool has(const Fiber& fiber) const {
    return &fiber != not_this && &fiber != first && (pollers || !is_polling(fiber)) &&
           !is_held(fiber) && eligible(fiber);
  }
};

// The policy's choice among the candidates, or null if there are none.
Fiber* pick(const Candidates& candidates) {
  Machine& m = machine();
  std::array<Fiber*, kMaxCandidates> fibers;
  std::array<std::uint32_t, kMaxCandidates> ordinals;
  std::uint32_t count = 0;
  const auto offer = [&](Fiber* fiber) {
    fibers[count] = fiber;
    ordinals[count++] = fiber->ordinal;
  };
  if (candidates.first != nullptr) offer(candidates.first);
  for (Link* at = m.run_queue.next; at != &m.run_queue && count < kMaxCandidates; at = at->next) {
    if (!candidates.has(*fiber_in_queue(at))) continue;
    if (m.policy == nullptr) return fiber_in_queue(at);
    offer(fiber_in_queue(at));
  }
  if (count == 0) return nullptr;
  const std::uint32_t choice = count == 1 ? 0 : m.policy->choose_among({ordinals.data(), count});
  HARNESS_ASSERT(choice < count);
  return fibers[choice];
}

// Wakes idle fibers of CPUs that have something to deliver and nobody on them.
void wake_idle_fibers() {
  Machine& m = machine();
  if (!m.attention) return;
  bool interrupt = interrupt_deliverable();
  for (std::uint32_t cpu = 0; cpu < kCpus; ++cpu) {
    Fiber* idle = m.cpus[cpu].idle;
    if (idle == nullptr || idle->state != FiberState::Waiting || !cpu_free(cpu)) continue;
    if (!interrupt && !dpcs_deliverable(cpu)) continue;
    interrupt = false;
    idle->state = FiberState::Runnable;
    list_push_front(m.run_queue, idle->queue);
  }
}

Fiber* take_settler() {
  Machine& m = machine();
  for (Link* at = m.settle_queue.next; at != &m.settle_queue; at = at->next) {
    Fiber* fiber = fiber_in_queue(at);
    if (fiber != m.current && !cpu_free(0) && !cpu_free(1)) continue;
    list_remove(fiber->queue);
    fiber->state = FiberState::Runnable;
    list_push_back(m.run_queue, fiber->queue);
    return fiber;
  }
  return nullptr;
}

// Time has to pass: threads that are held are held no more. Whether they were.
bool threads_let_go() {
  return std::exchange(machine().threads_held, false);
}

bool only_driver_timers() {
  Machine& m = machine();
  for (Link* at = m.timers.next; at != &m.timers; at = at->next)
    if (WDDM_CONTAINER(Timer, link, at)->header.kind == ObjectKind::Timeout) return false;
  return true;
}

Time next_timer() {
  const Machine& m = machine();
  return list_empty(m.timers) ? kForever : WDDM_CONTAINER(Timer, link, m.timers.next)->due;
}

void move_time_to_next_timer() {
  Machine& m = machine();
  if (list_empty(m.timers)) report_hang("nothing can run and no timer is set");
  if (!only_driver_timers()) {
    m.barren_ticks = 0;
  } else if (++m.barren_ticks > kBarrenTicksToHang) {
    report_hang("nothing runs but timers that wake nobody");
  }
  m.now = std::max(m.now, next_timer());
  if (m.now - m.application_ran > kApplicationLost && m.application->timeout.header.inserted == 0)
    report_hang("application 0 waits since an hour of virtual time");
  timers_expire();
}

// Everybody who could run is polling: lets a little time pass and gives the next one a turn.
Fiber* poll_round() {
  Machine& m = machine();
  Fiber* next = pick({.pollers = true, .not_this = nullptr, .first = nullptr});
  if (next == nullptr) return nullptr;
  const bool asked = running().budget != 0;
  m.poll_rounds += asked ? 1 : 16;
  if (m.poll_rounds > kPollRoundsToHang) report_hang("nothing runs but polling loops");
  m.now += asked ? (10 * kMicrosecond) << std::min(m.poll_steps++, 10u) : 256 * kMicrosecond;
  timers_expire();
  return next;
}

// Who stalls is no nearer to rest than who runs: the time passes before anybody is told that all
// have settled. A loop that never ends is left to others after a millisecond.
bool a_stall_passes() {
  constexpr Time kMostStalled = 1000 * kMicrosecond;
  Machine& m = machine();
  for (Link* at = m.timers.next; at != &m.timers; at = at->next) {
    Timer* const timer = WDDM_CONTAINER(Timer, link, at);
    if (timer->header.kind != ObjectKind::Timeout) continue;
    const Fiber* const fiber = WDDM_CONTAINER(Fiber, timeout, timer);
    if (fiber->stalling && fiber->stalled <= kMostStalled) return true;
  }
  return false;
}

constexpr Time kMostWaited = 10'000'000;

// A call that waits comes back by itself: it does before anybody is told that all have settled, or
// others would go on beside it. One that gets nowhere is left to others.
Fiber* waiter_in_call() {
  Machine& m = machine();
  if (list_empty(m.settle_queue)) return nullptr;
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    Fiber* const fiber = WDDM_CONTAINER(Fiber, all, at);
    const bool in_call = fiber->kind != FiberKind::Driver && fiber->innermost_call != nullptr;
    const bool waits = fiber->state == FiberState::Waiting && !fiber->stalling;
    if (in_call && waits && !fiber->left && fiber->waited < kMostWaited) return fiber;
  }
  return nullptr;
}

// Who waits for an object, or sleeps again and again (a set timer is a sleep too), waits for an
// interrupt or DPC that is held, for the device to work, or for time to pass.
void let_wait(Fiber& waiter) {
  constexpr std::uint32_t kMostNaps = 2;
  constexpr Time kUnitOfDevice = 100 * kMicrosecond;
  Machine& m = machine();
  const bool polls = !waiter.napping || waiter.naps > kMostNaps;
  if ((polls && (interrupts_let_go() || dpcs_let_go())) || threads_let_go()) return;
  const Time before = m.now;
  if (polls && m.idle_hook != nullptr && m.idle_hook(m.idle_context)) {
    note_progress();
    m.now += kUnitOfDevice;
    timers_expire();
  } else if (const Time next = next_timer(); next - before > kMostWaited - waiter.waited) {
    waiter.left = true;
  } else {
    const std::uint32_t barren = m.barren_ticks;
    move_time_to_next_timer();
    m.barren_ticks = std::min(m.barren_ticks, barren);  // its second ends by itself
  }
  waiter.waited += m.now - before;
}

std::uint8_t cpu_for(const Fiber& fiber) {
  const Machine& m = machine();
  const std::uint8_t other = static_cast<std::uint8_t>(1 - fiber.home);
  HARNESS_ASSERT(m.cpus[fiber.home].pinned == nullptr || m.cpus[other].pinned == nullptr);
  return m.cpus[fiber.home].pinned == nullptr ? fiber.home : other;
}

void run_others(const Fiber* not_this) {
  Machine& m = machine();
  Fiber& self = running();
  Fiber* next = nullptr;
  while (next == nullptr) {
    wake_idle_fibers();
    next = pick({.pollers = false, .not_this = not_this, .first = nullptr});
    if (next == nullptr && not_this != nullptr && !is_polling(self)) next = &self;
    if (next == nullptr && a_stall_passes()) {
      if (!interrupts_let_go() && !threads_let_go()) move_time_to_next_timer();
      continue;
    }
    if (next == nullptr) {
      if (Fiber* const waiter = waiter_in_call()) {
        let_wait(*waiter);
        continue;
      }
    }
    if (next == nullptr) next = take_settler();
    if (next != nullptr) break;
    if (m.idle_hook != nullptr && m.idle_hook(m.idle_context)) {
      note_progress();
      continue;
    }
    if (interrupts_let_go() || threads_let_go()) continue;
    next = poll_round();
    if (next == nullptr) move_time_to_next_timer();
  }
  if (next != &self) switch_to(*next);
  self.budget = kBudget;
  if (self.state == FiberState::Spinning) self.state = FiberState::Runnable;
  deliver_if_any();
}

void to_back_of_queue(Fiber& fiber) {
  list_remove(fiber.queue);
  list_push_back(machine().run_queue, fiber.queue);
}

void yield_point_slow(Fiber& self) {
  Machine& m = machine();
  if (!m.running) return;
  if (self.budget == 0) {
    count_poll(self, kBudgetWeight);
    to_back_of_queue(self);
    run_others(&self);
    return;
  }
  wake_idle_fibers();
  Fiber* next = pick({.pollers = false, .not_this = nullptr, .first = &self});
  if (next == &self) return;
  switch_to(*next);
  deliver_if_any();
}

}  // namespace

void make_runnable(Fiber& fiber) {
  HARNESS_ASSERT(fiber.state != FiberState::Runnable && fiber.state != FiberState::Ended);
  Machine& m = machine();
  fiber.waiting = {};
  fiber.left = false;
  note_progress();
  m.barren_ticks = 0;
  const bool settle = fiber.settle_on_wake;
  fiber.settle_on_wake = false;
  fiber.state = settle ? FiberState::Settling : FiberState::Runnable;
  list_push_back(settle ? m.settle_queue : m.run_queue, fiber.queue);
}

void block() {
  Fiber& self = running();
  // It may have stored what a polling fiber looks for.
  ++machine().progress;
  self.clock_reads = 0;
  if (!self.stalling) self.stalled = 0;
  if (self.state == FiberState::Waiting || self.state == FiberState::Ended) list_remove(self.queue);
  // What a call into the driver waits for may be one of its threads.
  const bool in_call = self.kind != FiberKind::Driver && self.innermost_call != nullptr;
  if (in_call && self.state == FiberState::Waiting) machine().threads_held = false;
  run_others(nullptr);
}

void yield() {
  Machine& m = machine();
  Fiber& self = running();
  if (!m.running) return;
  count_poll(self, kYieldWeight);
  self.budget = kBudget;
  to_back_of_queue(self);
  run_others(&self);
}

void yield_point() {
  Fiber& self = running();
  if (--self.budget != 0 && machine().policy == nullptr) return;
  yield_point_slow(self);
}

void switch_to(Fiber& next) {
  Machine& m = machine();
  Fiber& self = running();
  HARNESS_ASSERT(&self != &next);
  m.cpus[self.cpu].pinned = keeps_cpu(self) ? &self : nullptr;
  if (keeps_cpu(next)) {
    HARNESS_ASSERT(m.cpus[next.cpu].pinned == &next);
    m.cpus[next.cpu].pinned = nullptr;
  } else {
    next.cpu = cpu_for(next);
  }
  m.current = &next;
  if (keeps_cpu(next)) paged_pool_raised();
  next.budget = kBudget;
  if (&next == m.application) m.application_ran = m.now;
  m.observer->switched(next.cpu, next.ordinal);
  if (self.state == FiberState::Ended) {
    fiber_reap(self);
    context_leave(next.context);
  }
  context_switch(self.context, next.context);
  if (m.leaving) leave_run(self);
}

void leave_to_root() {
  context_leave(machine().root.context);
}

void spin_while_held(const volatile std::uint64_t& lock, const char* service, const void* caller) {
  Fiber& self = running();
  while (lock != 0) {
    self.waiting = {.service = service,
                    .caller = caller,
                    .blocks = nullptr,
                    .count = 0,
                    .all = false,
                    .lock = &lock};
    self.state = FiberState::Spinning;
    to_back_of_queue(self);
    block();
    self.waiting = {};
  }
}

void settle() {
  Machine& m = machine();
  Fiber& self = running();
  HARNESS_ASSERT(m.running && self.irql < kDispatch);
  list_remove(self.queue);
  self.state = FiberState::Settling;
  list_push_back(m.settle_queue, self.queue);
  block();
}

void hold_threads(bool held) {
  machine().threads_held = held;
}

bool threads_held() {
  return machine().threads_held;
}

void advance_time(Time duration) {
  HARNESS_ASSERT(running().irql < kDispatch);
  running().settle_on_wake = true;
  wait_until(machine().now + duration, "advance_time", nullptr);
}

}  // namespace wddm::nt
