// Where what a driver has said of its adapter need not be what it says next.
#pragma once

#include "reference/trace/op.h"
#include "reference/trace/trace.h"

namespace wddm {

/// From this event on it may be another device, or one with other resources: the driver was loaded
/// anew, the device is gone, or Plug and Play moves it. `event` is an OpStarted, EntryReturned,
/// SurpriseRemoved, or any other, of which it is false.
[[nodiscard]] inline bool may_be_another_device(const Event& event) {
  if (event.kind != EventKind::OpStarted) {
    return event.kind == EventKind::EntryReturned || event.kind == EventKind::SurpriseRemoved;
  }
  return static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind) == OpKind::Rebalance;
}

}  // namespace wddm
