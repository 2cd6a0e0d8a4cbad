// INTR-005: the DPC notifies the scheduler.

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::intr_005 {
namespace {

// Notifications that no DPC has begun after. Each adapter of a link has a DPC of its own: what an
// interrupt routine says is owed by that of its adapter. Whose affair it is what is said elsewhere
// nobody tells, and any may owe it.
class Untold {
 public:
  explicit Untold(bool linked) : linked_(linked) { interrupted_.fill(kNone); }

  void interrupted(std::uint32_t cpu, std::uint32_t adapter) { interrupted_[cpu] = adapter; }
  void notified(std::uint32_t index, std::uint32_t cpu) {
    first_.emplace(linked_ ? interrupted_[cpu] : 0, index);
  }
  /// What the DPC of this adapter owes from here on: the first; kNone: nothing.
  [[nodiscard]] std::uint32_t take(std::uint32_t adapter) {
    std::uint32_t owed = kNone;
    for (const std::uint32_t whose : {adapter, kNone}) {
      const auto found = first_.find(whose);
      if (found == first_.end()) continue;
      owed = std::min(owed, found->second);
      first_.erase(found);
    }
    return owed;
  }
  void clear() { first_.clear(); }

 private:
  bool linked_;
  std::array<std::uint32_t, 256> interrupted_;      // by CPU: adapter whose routine runs
  ScratchMap<std::uint32_t, std::uint32_t> first_;  // by adapter, kNone: somebody's
};

// What comes while a DPC runs may be told by it still, and else is a matter of the next DPC. DPCs
// of two processors may overlap; the scheduler hears of everything from either. On a link another
// DPC may tell it yet: a driver may leave that to the one of its lead.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const bool linked = platform.linked_adapters > 1;
  Untold untold(linked);
  std::array<std::uint32_t, 256> owed;  // by the DPC on each CPU, from before it began
  std::array<bool, 256> told{};         // whether NotifyDpc was called since that began
  std::uint32_t left = kNone;           // a notification that a DPC of a link has left to others
  owed.fill(kNone);
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::IsrEntered, ev::IsrLeft, ev::Notified, ev::DpcEntered, ev::CallbackCalled,
                    ev::DpcLeft, StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::IsrEntered) {
      untold.interrupted(event.cpu, Trace::as<ev::IsrEntered>(event).physical_adapter);
    } else if (event.kind == EventKind::IsrLeft) {
      untold.interrupted(event.cpu, kNone);
    } else if (event.kind == EventKind::Notified) {
      untold.notified(index, event.cpu);
    } else if (event.kind == EventKind::DpcEntered) {
      owed[event.cpu] = untold.take(Trace::as<ev::DpcEntered>(event).physical_adapter);
      told[event.cpu] = false;
    } else if (event.kind == EventKind::CallbackCalled) {
      const auto called = Trace::as<ev::CallbackCalled>(event);
      if (called.callback != static_cast<std::uint32_t>(CallbackId::NotifyDpc) ||
          called.place != static_cast<std::uint32_t>(CallPlace::Dpc)) {
        continue;
      }
      told.fill(true);
      untold.clear();
      left = kNone;
    } else if (event.kind == EventKind::MappingBalance) {
      // What was not told by then is another start's no more.
      untold.clear();
      const std::uint32_t notification = std::exchange(left, kNone);
      if (notification == kNone) continue;
      judgement.fail(index, "DxgkCbNotifyDpc at least once in the DPCs after a notification",
                     "the DPCs returned without it", {notification});
    } else if (event.kind == EventKind::DpcLeft && owed[event.cpu] != kNone) {
      const std::uint32_t notification = std::exchange(owed[event.cpu], kNone);
      judgement.reached(index);
      if (told[event.cpu]) continue;
      if (linked) {
        left = notification;
        continue;
      }
      judgement.fail(index, "DxgkCbNotifyDpc at least once in the DPC after a notification",
                     "the DPC returned without it", {notification});
    }
  }
}

// A driver that tells the scheduler only if exactly one interrupt came before the DPC.
class OneAtATime final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    ++notifications_;
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    const bool merged = notifications_ > 1;
    notifications_ = 0;
    if (!merged) Interposer::NotifyDpc(adapter);
  }

 private:
  std::uint32_t notifications_ = 0;
};

const Rule kRule{
    .id = "INTR-005",
    .title = "The DPC notifies the scheduler",
    .rule =
        "Every run of DxgkDdiDpcRoutine that follows a DxgkCbNotifyInterrupt calls "
        "DxgkCbNotifyDpc at least once, also when several interrupts were merged into it.",
    .sources =
        "nc-d3dkmddi-dxgkcb_notify_dpc.md # Remarks\n"
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
        "nc-dispmprt-dxgkddi_dpc_routine.md # Remarks",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Display},
    .scenario = R"(
about: the retrace alone is left to tell; two nodes complete before the DPC runs
ops:
- requery
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
# While its interrupt waits the engine is asked, and finds that the packet has ended.
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 80}
- query_fence: {node: 0}
- hold_interrupts: {on: false}
- idle
- hold_dpcs
- render: {context: 0}
- spin: {units: 1}
- render: {context: 1}
- spin: {units: 40}
- advance: {units: 200}
- hold_dpcs: {on: false}
- idle
)",
    .control = R"(
about: one interrupt, one DPC
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 1}
- idle
)",
    .fault = {.about = "a DPC for two interrupts tells the scheduler nothing",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneAtATime); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_005
