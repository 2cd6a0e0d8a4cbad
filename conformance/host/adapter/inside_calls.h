// Time inside calls of the driver: at the points that the scenario chose the device advances, and
// an interrupt that it raises comes in where the IRQL lets it.
#pragma once

#include "conformance/host/adapter/bus.h"
#include "conformance/host/boundary/scenario_choices.h"

namespace wddm::host {

class InsideCalls {
 public:
  InsideCalls(Bus& bus, const Choices& choices) : bus_(bus), choices_(choices) {}
  ~InsideCalls();
  InsideCalls(const InsideCalls&) = delete;
  InsideCalls& operator=(const InsideCalls&) = delete;

  /// The scenario has chosen anew.
  void choose();

 private:
  static void passed(void* self);

  Bus& bus_;
  const Choices& choices_;
};

}  // namespace wddm::host
