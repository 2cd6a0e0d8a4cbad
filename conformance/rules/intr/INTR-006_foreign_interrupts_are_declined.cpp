// INTR-006: the ISR declines interrupts of others, and claims those of its own.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm::intr_006 {
namespace {

constexpr std::uint32_t kLow = 0, kHigh = 1, kNoLine = 2;  // IsrEntered::asserted

struct Run {
  std::uint32_t event;
  std::uint32_t asserted;
  bool called = false;  // a callback
  bool told = false;    // ... DxgkCbNotifyInterrupt
};

// Nobody else ran meanwhile, who could have dismissed the interrupt before the routine looked.
bool ran_alone(const Trace& trace, const Run& run, std::uint32_t left_event) {
  const auto events = trace.events();
  for (std::uint32_t index = run.event + 1; index < left_event; ++index) {
    if (events[index].thread != events[run.event].thread) return false;
  }
  return true;
}

// On a line that is known, and that only the driver moves.
void judge_foreign(const Run& run, std::uint32_t left_event, bool claimed, Judgement& judgement) {
  judgement.reached(left_event);
  if (claimed) {
    judgement.fail(left_event, "FALSE: the device asserts no interrupt", "TRUE", {run.event});
  } else if (run.called) {
    judgement.fail(left_event, "no callback: the device asserts no interrupt", "one was made",
                   {run.event});
  }
}

// Whether there was anything to tell is another question: that the adapter has interrupted, the
// driver knows by dismissing it.
void judge_own(const Run& run, std::uint32_t left_event, const ev::IsrLeft& left,
               Judgement& judgement) {
  judgement.reached(left_event);
  if (left.claimed != 0) return;
  judgement.fail(left_event,
                 left.asserted == kHigh
                     ? "TRUE: the device asserts its interrupt, before and after"
                     : "TRUE: the device asserted its interrupt, which the routine has dismissed",
                 "FALSE", {run.event});
}

void judge(const Trace& trace, const Run& run, std::uint32_t left_event, bool line_is_known,
           Judgement& judgement) {
  const auto left = trace.at<ev::IsrLeft>(left_event);
  const bool claimed = left.claimed != 0;
  if (line_is_known && run.asserted == kLow && left.asserted == kLow) {
    return judge_foreign(run, left_event, claimed, judgement);
  }
  if (line_is_known && run.asserted == kHigh &&
      (claimed || left.asserted == kHigh || ran_alone(trace, run, left_event))) {
    return judge_own(run, left_event, left, judgement);
  }
  // Of a message too, and whatever moves the line meanwhile.
  if (!run.told) return;
  judgement.reached(left_event);
  if (claimed) return;
  judgement.fail(left_event, "TRUE: the routine has told what the adapter interrupted for", "FALSE",
                 {run.event});
}

// While the GPU advances inside calls, lines rise and fall there.
bool moves_inside(const Trace& trace) {
  for (const std::uint32_t index : trace.of<ev::OpStarted>()) {
    if (static_cast<OpKind>(trace.at<ev::OpStarted>(index).kind) == OpKind::AdvanceInside) {
      return true;
    }
  }
  return false;
}

// A device that sends messages shares no line with anybody, also before its first. Which it is
// shows once it interrupts.
bool has_a_line(const Trace& trace) {
  const auto entered = trace.of<ev::IsrEntered>();
  const auto any = [&](std::uint32_t asserted) {
    return std::any_of(entered.begin(), entered.end(), [&](std::uint32_t index) {
      return trace.at<ev::IsrEntered>(index).asserted == asserted;
    });
  };
  return any(kHigh) && !any(kNoLine);
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  const bool line_is_known = !moves_inside(trace) && has_a_line(trace);
  ScratchVector<Run> running;
  for (const std::uint32_t index :
       trace.of_any<ev::IsrEntered, ev::IsrLeft, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::IsrEntered) {
      running.push_back({index, Trace::as<ev::IsrEntered>(event).asserted});
    } else if (event.kind == EventKind::IsrLeft && !running.empty()) {
      judge(trace, running.back(), index, line_is_known, judgement);
      running.pop_back();
    } else if (event.kind == EventKind::CallbackCalled && !running.empty()) {
      const auto call = Trace::as<ev::CallbackCalled>(event);
      if (call.place != static_cast<std::uint32_t>(CallPlace::Isr)) continue;
      running.back().called = true;
      running.back().told |=
          call.callback == static_cast<std::uint32_t>(CallbackId::NotifyInterrupt);
    }
  }
}

NotApplicable with_a_line(const Platform& platform) {
  if (!platform.started) return "the driver did not start";
  if (!platform.has_device) return "no device: nothing interrupts";
  return needs(platform, DdiId::InterruptRoutine);
}

// A driver that takes every interrupt for its own.
class ClaimsAll final : public Interposer {
 public:
  BOOLEAN InterruptRoutine(PVOID miniport, ULONG message) override {
    static_cast<void>(Interposer::InterruptRoutine(miniport, message));
    return TRUE;
  }
};

const Rule kRule{
    .id = "INTR-006",
    .title = "Foreign interrupts are declined, own ones claimed",
    .rule =
        "On a line that others share, DxgkDdiInterruptRoutine returns FALSE without a callback if "
        "its "
        "adapter did not interrupt, and TRUE if it did, also where all that it interrupted for has "
        "been told already, by QueryCurrentFence or PreemptCommand.",
    .sources = "nc-dispmprt-dxgkddi_interrupt_routine.md # Return value, Remarks",
    .note =
        "That the source is dismissed shows as a line that stays high, which the kernel reports. "
        "Messages are nobody else's: one may come for what an earlier one has told, and whoever "
        "finds nothing then may say either; who tells something cannot say that it was nothing of "
        "its own. Interrupts of others come in D1 to D3 and between ResetFromTimeout and "
        "RestartFromTimeout as well, since nobody takes the routine off the line. Nothing else is "
        "judged before the device is known to have a line, and where the GPU advances inside "
        "calls.",
    .unreached = "the device has no line that others may share, and no message told anything",
    .applies = with_a_line,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an interrupt of somebody else, once the device has shown how it interrupts, also without power and in a reset, and its own for what was told before
ops:
- create_allocation: {allocation: 0}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- idle
- requery
# The engine is asked, while the interrupt of its packet waits.
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
# It is to be preempted then, and has nothing left to do.
- render: {context: 0}
- spin: {units: 20}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 80}
- preempt: {node: 0}
- advance: {units: 4}
- hold_interrupts: {on: false}
- idle
- requery
# Somebody else interrupts while power is gone, too, and between the reset of the adapter and its
# restart.
- power_cycle
- power_cycle: {above: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 1000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 100}
- time_out: {node: 0, adapter: true}
- create_context: {context: 0}
- render: {context: 0}
- idle
)",
    .control = R"(
about: interrupts of its own
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
)",
    .fault = {.about = "the ISR returns TRUE always",
              .interposer = [] { return std::unique_ptr<Interposer>(new ClaimsAll); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_006
