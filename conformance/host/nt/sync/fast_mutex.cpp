// Fast mutexes, guarded mutexes, critical and guarded regions.
//
// Both mutexes are FAST_MUTEX: Count is 1 when free, 0 when held and less for each recursion, which
// deadlocks on Windows and is a finding here. Left out: what the regions protect from, since there
// are no APCs; only their balance is kept.
#include "conformance/host/nt/core/call_check.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/irql.h"
#include "conformance/host/nt/core/fiber_scheduler.h"

using namespace wddm::nt;

namespace {

void mutex_init(PFAST_MUTEX mutex) {
  *mutex = {};
  mutex->Count = 1;
  header_init(header_of(&mutex->Event), ObjectKind::SynchronizationEvent, sizeof(KEVENT), 0);
}

bool check_mutex(const Service& service, PFAST_MUTEX mutex) {
  return check_object(service, &mutex->Event, ObjectKind::SynchronizationEvent,
                      ObjectKind::SynchronizationEvent);
}

// True if the running thread holds it already, which is counted.
bool is_recursion(const Service& service, PFAST_MUTEX mutex) {
  if (mutex->Count == 1 || mutex->Owner != &running()) return false;
  service.report(FindingKind::LockRecursive, "this thread already holds the mutex");
  --mutex->Count;
  return true;
}

void take(const Service& service, PFAST_MUTEX mutex, const char* kind) {
  mutex->Count = 0;
  mutex->Owner = &running();
  lock_acquired(mutex, kind, service.caller(), false);
}

// False if nothing was acquired that a release would give back.
bool acquire(const Service& service, PFAST_MUTEX mutex, const char* kind) {
  yield_point();
  if (!check_mutex(service, mutex) || is_recursion(service, mutex)) return false;
  DispatcherHeader* const event = &header_of(&mutex->Event);
  while (mutex->Count != 1) {
    ++mutex->Contention;
    static_cast<void>(wait_for({.objects = {&event, 1},
                                .all = false,
                                .due = kForever,
                                .service = service.name(),
                                .caller = service.caller()}));
  }
  take(service, mutex, kind);
  return true;
}

bool try_acquire(const Service& service, PFAST_MUTEX mutex, const char* kind) {
  yield_point();
  if (!check_mutex(service, mutex) || mutex->Count != 1) return false;
  take(service, mutex, kind);
  return true;
}

bool release(const Service& service, PFAST_MUTEX mutex) {
  if (!check_mutex(service, mutex)) return false;
  if (mutex->Count == 1) {
    service.report(FindingKind::LockNotHeld, "the mutex is not held");
    return false;
  }
  if (mutex->Owner != &running())
    service.report(FindingKind::LockNotHeld, "the mutex is held by another thread");
  if (mutex->Count < 0) {
    ++mutex->Count;
    return false;
  }
  lock_released(known_fiber(mutex->Owner), mutex);
  mutex->Owner = nullptr;
  mutex->Count = 1;
  DispatcherHeader& event = header_of(&mutex->Event);
  if (!list_empty(event.waiters)) static_cast<void>(event_set(event));
  return true;
}

void check_unsafe(const Service& service) {
  const Fiber& self = running();
  if (self.irql < kApc && self.apcs_disabled == 0 && self.all_apcs_disabled == 0)
    service.report(FindingKind::IrqlTooLow, "below APC_LEVEL outside of a critical region");
}

void leave_region(const Service& service, std::uint32_t& depth) {
  if (depth == 0)
    service.report(FindingKind::BadParameter, "leaves a region that was not entered");
  else
    --depth;
}

}  // namespace

VOID ExInitializeFastMutex(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExInitializeFastMutex);
  mutex_init(FastMutex);
}

VOID ExAcquireFastMutex(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExAcquireFastMutex);
  const KIRQL before = irql();
  if (before < kApc) irql_raise(kApc);
  if (acquire(service, FastMutex, "fast mutex")) FastMutex->OldIrql = before;
}

BOOLEAN ExTryToAcquireFastMutex(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExTryToAcquireFastMutex);
  const KIRQL before = irql();
  if (!try_acquire(service, FastMutex, "fast mutex")) return FALSE;
  if (before < kApc) irql_raise(kApc);
  FastMutex->OldIrql = before;
  return TRUE;
}

VOID ExReleaseFastMutex(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExReleaseFastMutex);
  const auto before = static_cast<KIRQL>(FastMutex->OldIrql);
  if (!release(service, FastMutex)) return;
  if (irql() > before) irql_restore(service, before);
  yield_point();
}

VOID ExAcquireFastMutexUnsafe(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExAcquireFastMutexUnsafe);
  check_unsafe(service);
  static_cast<void>(acquire(service, FastMutex, "fast mutex"));
}

VOID ExReleaseFastMutexUnsafe(PFAST_MUTEX FastMutex) {
  NT_SERVICE(ExReleaseFastMutexUnsafe);
  check_unsafe(service);
  static_cast<void>(release(service, FastMutex));
  yield_point();
}

VOID KeInitializeGuardedMutex(PKGUARDED_MUTEX Mutex) {
  NT_SERVICE(KeInitializeGuardedMutex);
  mutex_init(Mutex);
}

VOID KeAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
  NT_SERVICE(KeAcquireGuardedMutex);
  ++running().all_apcs_disabled;
  static_cast<void>(acquire(service, Mutex, "guarded mutex"));
}

BOOLEAN KeTryToAcquireGuardedMutex(PKGUARDED_MUTEX Mutex) {
  NT_SERVICE(KeTryToAcquireGuardedMutex);
  if (!try_acquire(service, Mutex, "guarded mutex")) return FALSE;
  ++running().all_apcs_disabled;
  return TRUE;
}

VOID KeReleaseGuardedMutex(PKGUARDED_MUTEX Mutex) {
  NT_SERVICE(KeReleaseGuardedMutex);
  if (release(service, Mutex) && running().all_apcs_disabled != 0) --running().all_apcs_disabled;
  yield_point();
}

VOID KeEnterCriticalRegion(void) {
  NT_SERVICE(KeEnterCriticalRegion);
  ++running().apcs_disabled;
}

VOID KeLeaveCriticalRegion(void) {
  NT_SERVICE(KeLeaveCriticalRegion);
  leave_region(service, running().apcs_disabled);
}

VOID KeEnterGuardedRegion(void) {
  NT_SERVICE(KeEnterGuardedRegion);
  ++running().all_apcs_disabled;
}

VOID KeLeaveGuardedRegion(void) {
  NT_SERVICE(KeLeaveGuardedRegion);
  leave_region(service, running().all_apcs_disabled);
}

BOOLEAN KeAreApcsDisabled(void) {
  NT_SERVICE(KeAreApcsDisabled);
  const Fiber& self = running();
  return self.irql >= kApc || self.apcs_disabled != 0 || self.all_apcs_disabled != 0;
}

BOOLEAN KeAreAllApcsDisabled(void) {
  NT_SERVICE(KeAreAllApcsDisabled);
  const Fiber& self = running();
  return self.irql >= kApc || self.all_apcs_disabled != 0;
}
