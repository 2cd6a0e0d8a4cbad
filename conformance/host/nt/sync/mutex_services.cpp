// Mutexes and semaphores.
//
// A mutex released by another thread than its owner raises an exception on Windows; here it is a
// finding and the mutex stays as it is. Left out: the Level of a mutex.
#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/machine.h"

using namespace wddm::nt;

namespace {

MutexBlock& mutex_of(PRKMUTEX mutex) {
  return *reinterpret_cast<MutexBlock*>(mutex);
}

bool check_mutex(const Service& service, PRKMUTEX mutex) {
  return check_object(service, mutex, ObjectKind::Mutex, ObjectKind::Mutex);
}

bool check_semaphore(const Service& service, PRKSEMAPHORE semaphore) {
  return check_object(service, semaphore, ObjectKind::Semaphore, ObjectKind::Semaphore);
}

}  // namespace

VOID KeInitializeMutex(PRKMUTEX Mutex, ULONG) {
  NT_SERVICE(KeInitializeMutex);
  retire_object(service, Mutex);
  MutexBlock& mutex = mutex_of(Mutex);
  header_init(mutex.header, ObjectKind::Mutex, sizeof(KMUTEX), 1);
  list_init(mutex.link);
  mutex.owner = nullptr;
  mutex.abandoned = false;
}

LONG KeReleaseMutex(PRKMUTEX Mutex, BOOLEAN Wait) {
  NT_SERVICE(KeReleaseMutex);
  if (!check_mutex(service, Mutex)) return 0;
  MutexBlock& mutex = mutex_of(Mutex);
  const LONG before = mutex.header.signal_state;
  if (mutex.owner != &running()) {
    service.report(FindingKind::LockNotHeld, mutex.owner == nullptr
                                                 ? "the mutex is not held"
                                                 : "the mutex is held by another thread");
    return before;
  }
  if (++mutex.header.signal_state == 1) {
    mutex.owner = nullptr;
    list_remove(mutex.link);
    wake_waiters(mutex.header);
  }
  if (!Wait) yield_point();
  return before;
}

LONG KeReadStateMutex(PRKMUTEX Mutex) {
  NT_SERVICE(KeReadStateMutex);
  return check_mutex(service, Mutex) ? mutex_of(Mutex).header.signal_state : 0;
}

VOID KeInitializeSemaphore(PRKSEMAPHORE Semaphore, LONG Count, LONG Limit) {
  NT_SERVICE(KeInitializeSemaphore);
  if (Count < 0 || Limit <= 0 || Count > Limit)
    service.report(FindingKind::BadParameter, "Count must lie in 0..Limit and Limit above 0");
  retire_object(service, Semaphore);
  header_init(header_of(Semaphore), ObjectKind::Semaphore, sizeof(KSEMAPHORE), Count);
  Semaphore->Limit = Limit;
}

LONG KeReleaseSemaphore(PRKSEMAPHORE Semaphore, KPRIORITY, LONG Adjustment, BOOLEAN Wait) {
  NT_SERVICE(KeReleaseSemaphore);
  if (!check_semaphore(service, Semaphore)) return 0;
  if (Wait && irql() > kApc) service.report(FindingKind::IrqlTooHigh, "Wait=TRUE above APC_LEVEL");
  DispatcherHeader& header = header_of(Semaphore);
  const LONG before = header.signal_state;
  if (Adjustment <= 0 || Adjustment > Semaphore->Limit - before) {
    service.report(FindingKind::BadParameter, "Adjustment is not positive or exceeds the limit");
    return before;
  }
  header.signal_state += Adjustment;
  wake_waiters(header);
  if (!Wait) yield_point();
  return before;
}

LONG KeReadStateSemaphore(PRKSEMAPHORE Semaphore) {
  NT_SERVICE(KeReadStateSemaphore);
  return check_semaphore(service, Semaphore) ? header_of(Semaphore).signal_state : 0;
}
