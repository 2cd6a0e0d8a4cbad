#include "conformance/drivers/reference/device/event_log.h"

namespace wddm::reference_device {

void EventLog::push(const WddmDeviceEvent& event) {
  if (event.kind == WDDM_DEVICE_FETCH && next_ > first_) {
    WddmDeviceEvent& last = at(next_ - 1);
    if (last.kind == WDDM_DEVICE_FETCH && last.node == event.node && last.tag == event.tag &&
        last.address + last.length == event.address) {
      last.length += event.length;
      return;
    }
  }
  if (next_ - first_ == kCapacity) ++first_;
  at(next_++) = event;
}

bool EventLog::pop(WddmDeviceEvent* event) {
  if (first_ == next_) return false;
  wddm_device_hand_over(event, &at(first_++));
  return true;
}

}  // namespace wddm::reference_device
