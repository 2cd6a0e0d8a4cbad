// IRQL services. Lowering the IRQL is where pending interrupts and DPCs run.
#include <cstdio>

#include "conformance/host/nt/core/ddi_types.h"
#include "conformance/host/nt/core/irql.h"
#include "conformance/host/nt/core/fiber_scheduler.h"

namespace wddm::nt {
namespace {

void report_levels(const Service& service, const char* what, KIRQL from, KIRQL to) {
  char detail[96];
  std::snprintf(detail, sizeof detail, "%s, from IRQL %u to %u", what, from, to);
  service.report(FindingKind::BadParameter, detail);
}

KIRQL raise(const Service& service, KIRQL to) {
  Fiber& self = running();
  const KIRQL before = self.irql;
  if (to < before || to > kHigh)
    report_levels(service, "raising must not lower", before, to);
  else
    irql_raise(to);
  return before;
}

}  // namespace

void irql_restore(const Service& service, std::uint8_t irql) {
  Fiber& self = running();
  if (irql > self.irql) {
    report_levels(service, "lowering must not raise", self.irql, irql);
    return;
  }
  if (irql < kDispatch && self.spin_locks_held != 0)
    service.report(FindingKind::IrqlTooLow, "IRQL drops below 2 while a spin lock is held");
  const bool dropped = irql < kDispatch && self.irql >= kDispatch;
  irql_lower(irql);
  if (dropped) yield_point();
}

}  // namespace wddm::nt

using namespace wddm::nt;

KIRQL KeGetCurrentIrql(void) {
  NT_SERVICE(KeGetCurrentIrql);
  return irql();
}

KIRQL KfRaiseIrql(KIRQL NewIrql) {
  NT_SERVICE(KfRaiseIrql);
  return raise(service, NewIrql);
}

KIRQL KeRaiseIrqlToDpcLevel(void) {
  NT_SERVICE(KeRaiseIrqlToDpcLevel);
  return raise(service, DISPATCH_LEVEL);
}

VOID KeLowerIrql(KIRQL NewIrql) {
  NT_SERVICE(KeLowerIrql);
  irql_restore(service, NewIrql);
}
