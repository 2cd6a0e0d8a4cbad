// DriverCall and CallCheck: IRQL and lock discipline of every call into the driver.
#include "conformance/host/nt/core/call_check.h"

#include <cstdio>

#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/points.h"
#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

namespace wddm::nt {
namespace {

void report_irql(const char* what, const void* routine, std::uint8_t expected, std::uint8_t seen) {
  char detail[128];
  std::snprintf(detail, sizeof detail, "called at IRQL %u, returned at IRQL %u", expected, seen);
  report(FindingKind::IrqlChanged, what, detail, routine);
}

void report_lock(const char* what, const HeldLock& lock) {
  char detail[256];
  const std::string_view where = code_position(lock.caller);
  std::snprintf(detail, sizeof detail, "returned with a %s held that was acquired at %.*s",
                lock.kind, static_cast<int>(where.size()), where.data());
  report(FindingKind::LockHeldAtReturn, what, detail, lock.caller);
}

}  // namespace

void check_return(const char* what, const void* routine, std::uint8_t irql, std::uint32_t locks,
                  const Regions& before) {
  Fiber& self = running();
  if (self.irql != irql) {
    report_irql(what, routine, irql, self.irql);
    self.irql = irql;
  }
  // Reported once, then no longer this fiber's; the lock itself stays held.
  while (self.locks_held > locks) {
    const HeldLock lock = self.held[self.locks_held - 1];
    lock_released(&self, lock.lock);
    report_lock(what, lock);
  }
  const Regions now = regions_of(self);
  const auto compare = [&](std::uint32_t left, std::uint32_t entered, const char* detail) {
    if (left > entered) report(FindingKind::LockHeldAtReturn, what, detail, routine);
  };
  compare(now.mutexes, before.mutexes, "returned with a mutex held");
  compare(now.critical, before.critical, "returned inside of a critical region");
  compare(now.guarded, before.guarded, "returned inside of a guarded region");
  self.apcs_disabled = before.critical;
  self.all_apcs_disabled = before.guarded;
}

Regions regions_of(const Fiber& fiber) {
  Regions regions{fiber.apcs_disabled, fiber.all_apcs_disabled, 0};
  for (const Link* at = fiber.mutexes.next; at != &fiber.mutexes; at = at->next) ++regions.mutexes;
  return regions;
}

CallCheck::CallCheck(const char* what, const void* routine)
    : what_(what),
      routine_(routine),
      outer_(running().innermost_call),
      irql_(running().irql),
      locks_(running().locks_held),
      regions_(regions_of(running())) {
  running().innermost_call = what;
}

CallCheck::~CallCheck() {
  check_return(what_, routine_, irql_, locks_, regions_);
  running().innermost_call = outer_;
}

DriverCall::DriverCall(const char* what, std::uint8_t irql)
    : what_(what),
      outer_(running().innermost_call),
      outer_seh_(running().seh_top),
      before_(running().irql),
      during_(irql),
      locks_before_(running().locks_held),
      regions_before_(regions_of(running())),
      naps_before_(running().naps),
      waited_before_(running().waited),
      stalled_before_(running().stalled) {
  HARNESS_ASSERT(irql >= before_);
  running().innermost_call = what;
  running().seh_top = nullptr;
  running().stalled = 0;
  running().naps = 0;
  running().waited = 0;
  g_points.enter();
  irql_raise(irql);
}

DriverCall::~DriverCall() noexcept(false) {
  if (machine().leaving) return;
  check_return(what_, nullptr, during_, locks_before_, regions_before_);
  running().innermost_call = outer_;
  running().seh_top = outer_seh_;
  running().naps = naps_before_;
  running().waited = waited_before_;
  running().stalled = stalled_before_;
  g_points.leave();
  if (before_ != during_)
    irql_lower(before_);
  else
    deliver_if_any();
}

const char* innermost_call() {
  const Fiber* self = machine().current;
  return self != nullptr && self->innermost_call != nullptr ? self->innermost_call : "";
}

void lock_acquired(const volatile void* lock, const char* kind, const void* caller, bool spin) {
  Fiber& self = running();
  if (self.locks_held == kMaxHeldLocks) return;
  self.held[self.locks_held++] = {lock, kind, caller, spin};
  if (spin) ++self.spin_locks_held;
}

void lock_released(Fiber* holder, const volatile void* lock) {
  if (holder == nullptr) return;
  for (std::uint32_t i = holder->locks_held; i-- > 0;) {
    if (holder->held[i].lock != lock) continue;
    if (holder->held[i].spin) --holder->spin_locks_held;
    --holder->locks_held;
    for (; i < holder->locks_held; ++i) holder->held[i] = holder->held[i + 1];
    return;
  }
}

Fiber* lock_owner(std::uint64_t word) {
  Machine& m = machine();
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    Fiber* fiber = WDDM_CONTAINER(Fiber, all, at);
    if (std::uint64_t{fiber->ordinal} + 1 == word >> 8) return fiber;
  }
  return nullptr;
}

Fiber* known_fiber(const void* address) {
  Machine& m = machine();
  for (Link* at = m.all_fibers.next; at != &m.all_fibers; at = at->next) {
    Fiber* fiber = WDDM_CONTAINER(Fiber, all, at);
    if (fiber == address) return fiber;
  }
  return nullptr;
}

}  // namespace wddm::nt
