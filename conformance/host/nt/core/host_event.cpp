// Events of the host itself. See dpc.h.
#include <array>

#include "conformance/host/nt/sync/dpc.h"
#include "conformance/host/nt/core/fiber_scheduler.h"
#include "conformance/host/nt/core/service.h"
#include "reference/harness_assert.h"

namespace wddm::nt {

HostEvent::HostEvent(bool synchronization) {
  header_init(header_,
              synchronization ? ObjectKind::SynchronizationEvent : ObjectKind::NotificationEvent,
              sizeof header_, 0);
}

void HostEvent::set() {
  static_cast<void>(event_set(header_));
  yield_point();
}

void HostEvent::reset() {
  static_cast<void>(event_reset(header_));
}

void HostEvent::wait(const char* what) {
  HARNESS_ASSERT(irql() < kDispatch);
  const std::array objects{&header_};
  static_cast<void>(nt::wait_for(
      {.objects = objects, .all = false, .due = kForever, .service = what, .caller = nullptr}));
}

void HostEvent::wait_for_work(const char* what) {
  running().owns_nothing = true;
  wait(what);
  running().owns_nothing = false;
}

bool HostEvent::wait_for(Time timeout, const char* what) {
  HARNESS_ASSERT(irql() < kDispatch || timeout == 0);
  const std::array objects{&header_};
  return nt::wait_for({.objects = objects,
                       .all = false,
                       .due = now() + timeout,
                       .service = what,
                       .caller = nullptr}) == kStatusSuccess;
}

}  // namespace wddm::nt
