// INTR-006: the ISR declines interrupts of others, and claims those of its own.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm {
namespace {

constexpr std::uint32_t kLow = 0, kHigh = 1, kNoLine = 2;  // IsrEntered::asserted

struct Run {
  std::uint32_t event;
  std::uint32_t asserted;
  bool called = false;  // a callback
};

void judge(const Run& run, std::uint32_t left_event, const ev::IsrLeft& left,
           Judgement& judgement) {
  if (run.asserted == kLow && left.asserted == kLow) {
    judgement.reached(left_event);
    if (left.claimed != 0) {
      judgement.fail(left_event, "FALSE: the device asserts no interrupt", "TRUE", {run.event});
    } else if (run.called) {
      judgement.fail(left_event, "no callback: the device asserts no interrupt", "one was made",
                     {run.event});
    }
  }
  if (run.asserted == kHigh && left.asserted == kHigh && left.claimed == 0) {
    judgement.reached(left_event);
    judgement.fail(left_event, "TRUE: the device asserts its interrupt, before and after", "FALSE",
                   {run.event});
  }
  if (run.asserted == kHigh && left.claimed != 0) judgement.reached(left_event);
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
  if (moves_inside(trace) || !has_a_line(trace)) return;
  ScratchVector<Run> running;
  for (const std::uint32_t index :
       trace.of_any<ev::IsrEntered, ev::IsrLeft, ev::CallbackCalled>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::IsrEntered) {
      running.push_back({index, Trace::as<ev::IsrEntered>(event).asserted});
    } else if (event.kind == EventKind::IsrLeft && !running.empty()) {
      judge(running.back(), index, Trace::as<ev::IsrLeft>(event), judgement);
      running.pop_back();
    } else if (event.kind == EventKind::CallbackCalled && !running.empty() &&
               Trace::as<ev::CallbackCalled>(event).place ==
                   static_cast<std::uint32_t>(CallPlace::Isr)) {
      running.back().called = true;
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
        "adapter did not interrupt, and TRUE if it did.",
    .sources = "nc-dispmprt-dxgkddi_interrupt_routine.md # Return value, Remarks",
    .note =
        "That the source is dismissed shows as a line that stays high, which the kernel reports. "
        "Messages are nobody else's. Nothing is judged before the device is known to have a line, "
        "and where the GPU advances inside calls.",
    .unreached =
        "the device has no line that others may share: it interrupts by messages, or never",
    .applies = with_a_line,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an interrupt of somebody else, once the device has shown how it interrupts
ops:
- create_allocation: {allocation: 0}
- make_resident: {allocation: 0}
- create_context: {context: 0}
- render: {context: 0}
- idle
- requery
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
}  // namespace wddm
