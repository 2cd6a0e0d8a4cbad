// Event services and waits (KeWaitForSingleObject, KeWaitForMultipleObjects).
//
// Left out: APCs, hence Alertable and WaitMode; priority boosts.
#include <algorithm>

#include "conformance/host/nt/memory/active_memory.h"
#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/machine.h"

namespace wddm::nt {

Time due_time(std::int64_t timeout) {
  const Time at = now();
  if (timeout < 0) return at + (0 - static_cast<Time>(timeout));
  const auto absolute = static_cast<Time>(timeout);
  return absolute <= kSystemTimeAtBoot + at ? at : absolute - kSystemTimeAtBoot;
}

bool check_object(const Service& service, const void* object, ObjectKind first, ObjectKind last) {
  if (object == nullptr) {
    service.report(FindingKind::BadParameter, "null object");
    return false;
  }
  const auto& header = *static_cast<const DispatcherHeader*>(object);
  const Link& waiters = header.waiters;
  if (header.kind >= first && header.kind <= last && waiters.next != nullptr &&
      waiters.previous != nullptr)
    return true;
  service.report(FindingKind::BadParameter,
                 "the object was not initialised, or is of another kind");
  return false;
}

namespace {

bool check_event(const Service& service, const void* event) {
  return check_object(service, event, ObjectKind::NotificationEvent,
                      ObjectKind::SynchronizationEvent);
}

bool check_waitable(const Service& service, const void* object) {
  return check_object(service, object, ObjectKind::NotificationEvent,
                      ObjectKind::SynchronizationTimer);
}

// A wait that may block needs IRQL below 2, a poll (timeout 0) at most 2.
void check_wait_level(const Service& service, bool poll) {
  if (poll && irql() > kDispatch)
    service.report(FindingKind::IrqlTooHigh, "poll above DISPATCH_LEVEL");
  if (!poll && irql() >= kDispatch)
    service.report(FindingKind::WaitAtDispatch, "blocking wait at or above DISPATCH_LEVEL");
}

NTSTATUS wait(const Service& service, std::span<DispatcherHeader* const> objects, bool all,
              const LARGE_INTEGER* timeout) {
  const bool poll = timeout != nullptr && timeout->QuadPart == 0;
  check_wait_level(service, poll);
  const Time due = timeout == nullptr ? kForever : due_time(timeout->QuadPart);
  const NTSTATUS status = wait_for({.objects = objects,
                                    .all = all,
                                    .due = due,
                                    .service = service.name(),
                                    .caller = service.caller()});
  yield_point();
  return status;
}

void event_init(PRKEVENT event, EVENT_TYPE type, bool state) {
  header_init(header_of(event),
              type == ::SynchronizationEvent ? ObjectKind::SynchronizationEvent
                                             : ObjectKind::NotificationEvent,
              sizeof(KEVENT), state ? 1 : 0);
}

}  // namespace
}  // namespace wddm::nt

using namespace wddm::nt;

VOID KeInitializeEvent(PRKEVENT Event, EVENT_TYPE Type, BOOLEAN State) {
  NT_SERVICE(KeInitializeEvent);
  retire_object(service, Event);
  event_init(Event, Type, State != 0);
}

LONG KeSetEvent(PRKEVENT Event, KPRIORITY, BOOLEAN Wait) {
  NT_SERVICE(KeSetEvent);
  if (!check_event(service, Event)) return 0;
  if (Wait && irql() > kApc) service.report(FindingKind::IrqlTooHigh, "Wait=TRUE above APC_LEVEL");
  const LONG before = event_set(header_of(Event));
  // With Wait=TRUE the caller is about to wait and must not be overtaken in between.
  if (!Wait) yield_point();
  return before;
}

LONG KeResetEvent(PRKEVENT Event) {
  NT_SERVICE(KeResetEvent);
  if (!check_event(service, Event)) return 0;
  const LONG before = event_reset(header_of(Event));
  yield_point();
  return before;
}

VOID KeClearEvent(PRKEVENT Event) {
  NT_SERVICE(KeClearEvent);
  if (!check_event(service, Event)) return;
  static_cast<void>(event_reset(header_of(Event)));
  yield_point();
}

LONG KeReadStateEvent(PRKEVENT Event) {
  NT_SERVICE(KeReadStateEvent);
  if (!check_event(service, Event)) return 0;
  yield_point();
  return header_of(Event).signal_state;
}

NTSTATUS KeWaitForSingleObject(PVOID Object, KWAIT_REASON, KPROCESSOR_MODE, BOOLEAN,
                               PLARGE_INTEGER Timeout) {
  NT_SERVICE(KeWaitForSingleObject);
  if (!check_waitable(service, Object)) return STATUS_INVALID_PARAMETER;
  DispatcherHeader* const object = &header_of(Object);
  return wait(service, {&object, 1}, false, Timeout);
}

NTSTATUS KeWaitForMultipleObjects(ULONG Count, PVOID Object[], WAIT_TYPE WaitType, KWAIT_REASON,
                                  KPROCESSOR_MODE, BOOLEAN, PLARGE_INTEGER Timeout,
                                  PKWAIT_BLOCK WaitBlockArray) {
  NT_SERVICE(KeWaitForMultipleObjects);
  if (Count == 0 || Count > MAXIMUM_WAIT_OBJECTS || (WaitType != WaitAll && WaitType != WaitAny)) {
    service.report(FindingKind::BadParameter, "Count or WaitType out of range");
    return STATUS_INVALID_PARAMETER;
  }
  if (Count > THREAD_WAIT_OBJECTS && WaitBlockArray == nullptr)
    service.report(FindingKind::BadParameter, "more than 3 objects without a WaitBlockArray");
  for (ULONG i = 0; i < Count; ++i)
    if (!check_waitable(service, Object[i])) return STATUS_INVALID_PARAMETER;
  return wait(service, {reinterpret_cast<DispatcherHeader**>(Object), Count}, WaitType == WaitAll,
              Timeout);
}
