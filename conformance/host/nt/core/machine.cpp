// Start and end of the machine, and life of its fibers.
#include "conformance/host/nt/core/machine.h"

#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/foreign_call.h"
#include "conformance/host/nt/core/service.h"
#include "conformance/host/nt/core/slab.h"
#include "conformance/host/nt/core/threads.h"
#include "conformance/host/nt/image/seh.h"
#include "conformance/host/nt/io/kernel_objects.h"
#include "conformance/host/nt/memory/memory_services.h"
#include "reference/harness_assert.h"

namespace wddm::nt {

[[gnu::weak]] void boot_memory_services();

namespace {

Slab<Fiber> g_fibers;

void give_record(Fiber& fiber) {
  list_remove(fiber.all);
  g_fibers.give(&fiber);
}

// The last reference to a thread object is gone.
void thread_destroy(void* body) {
  Fiber& fiber = *fiber_of(body);
  fiber.orphan = true;
  const bool still_needed = fiber.state != FiberState::Ended || fiber.context.stack_slot != kNoSlot;
  if (!still_needed) give_record(fiber);
}

// False if the run ended meanwhile.
bool run_body(Fiber& self) {
  try {
    deliver_if_any();
    self.body(self.argument);
  } catch (const RunEnded&) {
    return false;
  }
  return true;
}

void fiber_entry(void* argument) {
  Fiber& self = *static_cast<Fiber*>(argument);
  self.started = true;
  if (!run_body(self)) leave_to_root();
  fiber_end(kStatusSuccess);
}

void abandon_mutexes(Fiber& fiber) {
  while (!list_empty(fiber.mutexes)) {
    auto& mutex = *WDDM_CONTAINER(MutexBlock, link, fiber.mutexes.next);
    list_remove(mutex.link);
    mutex.owner = nullptr;
    mutex.abandoned = true;
    mutex.header.signal_state = 1;
    wake_waiters(mutex.header);
  }
}

// Every fiber that is in the middle of something makes its last switch.
void shut_down() {
  Machine& m = machine();
  m.running = false;
  m.leaving = true;
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    Fiber& fiber = *WDDM_CONTAINER(Fiber, all, at);
    if (!fiber.started || fiber.context.resume_at == nullptr) continue;
    context_switch(m.root.context, fiber.context);
  }
  m.leaving = false;
}

void root_init(Fiber& root) {
  root = {};
  root.context.stack_slot = kNoSlot;
  root.kind = FiberKind::Root;
  root.state = FiberState::Runnable;
  root.name = "root";
  root.ordinal = kRootOrdinal;
  list_init(root.queue);
  list_init(root.all);
  list_init(root.mutexes);
  list_init(root.header.waiters);
}

}  // namespace

const ObjectType kThreadType{"thread", thread_destroy};

Fiber* fiber_create(FiberKind kind, const char* name, void (*body)(void*), void* argument) {
  Machine& m = machine();
  Fiber& fiber = *g_fibers.take();
  header_init(fiber.header, ObjectKind::Thread, sizeof(Fiber) & 0x3fc, 0);
  header_init(fiber.timeout.header, ObjectKind::Timeout, sizeof(Timer), 0);
  list_init(fiber.queue);
  list_init(fiber.mutexes);
  list_push_back(m.all_fibers, fiber.all);
  fiber.name = name;
  fiber.body = body;
  fiber.argument = argument;
  fiber.kind = kind;
  fiber.priority = 8;
  fiber.budget = kBudget;
  if (kind == FiberKind::Idle) {
    fiber.state = FiberState::Waiting;
  } else {
    fiber.ordinal = m.next_ordinal++;
    fiber.home = fiber.cpu = static_cast<std::uint8_t>(fiber.ordinal % kCpus);
    object_create(kThreadType, &fiber, true);
    fiber.state = FiberState::Settling;  // so that it may become runnable
    make_runnable(fiber);
  }
  if (kind == FiberKind::Driver) ++m.driver_threads;
  context_make(fiber.context, fiber_entry, &fiber);
  return &fiber;
}

void fiber_end(std::int32_t exit_status) {
  Machine& m = machine();
  Fiber& self = running();
  check_return(self.kind == FiberKind::Driver ? "thread" : self.name,
               reinterpret_cast<const void*>(self.body), kPassive, 0, {});
  self.exit_status = exit_status;
  if (self.kind == FiberKind::Driver) --m.driver_threads;
  abandon_mutexes(self);
  self.header.signal_state = 1;
  wake_waiters(self.header);
  self.state = FiberState::Ended;
  if (self.ordinal == 0) {
    m.current = &m.root;
    leave_to_root();
  }
  object_release(&self);
  block();
  HARNESS_ASSERT(!"an ended fiber ran");
  __builtin_unreachable();
}

void fiber_reap(Fiber& fiber) {
  context_release(fiber.context);
  if (fiber.orphan) give_record(fiber);
}

void set_policy(SchedulePolicy* policy) {
  machine().policy = policy;
}

void let_services_yield(bool on) {
  machine().services_yield = on;
}

void boot(Observer& observer, SchedulePolicy* policy) {
  Machine& m = machine();
  HARNESS_ASSERT(!m.running);
  m = {};
  m.observer = &observer;
  m.policy = policy;
  root_init(m.root);
  m.current = &m.root;
  list_init(m.run_queue);
  list_init(m.settle_queue);
  list_init(m.all_fibers);
  list_init(m.timers);
  for (Cpu& cpu : m.cpus) list_init(cpu.dpcs);
  g_fibers.forget();
  stacks_boot();
  objects_boot();
  threads_boot();
  seh_boot();
  if (boot_memory_services != nullptr) boot_memory_services();
}

void run(void (*main)(void*), void* context) {
  Machine& m = machine();
  HARNESS_ASSERT(m.observer != nullptr && !m.running && m.next_ordinal == 0);
  idle_fibers_start();
  Fiber* application = fiber_create(FiberKind::Host, "application 0", main, context);
  m.running = true;
  m.current = m.application = application;
  context_switch(m.root.context, application->context);
  shut_down();
  m.current = &m.root;
}

void stop_machine() {
  Machine& m = machine();
  HARNESS_ASSERT(m.running);
  Fiber& self = running();
  m.running = false;
  m.leaving = true;
  m.current = &m.root;
  leave_run(self);
}

void leave_run(Fiber& self) {
  // Behind the way out of a driver's thread lie foreign frames again.
  const bool foreign = self.kind == FiberKind::Driver || self.kind == FiberKind::Worker;
  if (!foreign && self.way_out != nullptr) siglongjmp(*self.way_out, 1);
  if (self.kind == FiberKind::Host && !self.owns_nothing) throw RunEnded{};
  leave_to_root();
}

void spawn_host_thread(const char* name, void (*body)(void*), void* context) {
  static_cast<void>(fiber_create(FiberKind::Host, name, body, context));
}

void set_idle_hook(bool (*hook)(void*), void* context) {
  machine().idle_hook = hook;
  machine().idle_context = context;
}

Time now() {
  return machine().now;
}
std::uint8_t irql() {
  return machine().current != nullptr ? running().irql : kPassive;
}
std::uint8_t current_cpu() {
  return running().cpu;
}
std::uint32_t current_thread() {
  return running().ordinal;
}
std::uint32_t& host_word() {
  return running().host_word;
}
std::uint32_t driver_threads_alive() {
  return machine().driver_threads;
}

}  // namespace wddm::nt
