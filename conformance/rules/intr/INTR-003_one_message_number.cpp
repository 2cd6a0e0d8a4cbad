// INTR-003: whoever notifies uses the one message number that the driver has named.

#include "conformance/rules/life/replaced_callbacks.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::intr_003 {
namespace {

// Which message a thread is in the handler of, or stands in for with SynchronizeExecution.
using Handlers = ScratchMap<std::uint16_t, ScratchVector<std::uint32_t>>;

bool enters(EventKind kind) {
  return kind == EventKind::IsrEntered || kind == EventKind::SyncEntered;
}

std::uint32_t message_of(const Event& event) {
  return event.kind == EventKind::IsrEntered ? Trace::as<ev::IsrEntered>(event).message
                                             : Trace::as<ev::SyncEntered>(event).message;
}

// The number that messages bear. A line has none, and stands for 0. kNone: no interrupt has shown
// which of the two the device uses.
std::uint32_t named_message(const Trace& trace, const Platform& platform) {
  constexpr std::uint32_t kLine = 1, kMessage = 2;
  if (!platform.has_device) return 0;
  std::uint32_t named = kNone;
  for (const std::uint32_t index : trace.of<ev::IsrEntered>()) {
    const std::uint32_t asserted = trace.at<ev::IsrEntered>(index).asserted;
    if (asserted == kLine) named = 0;
    if (asserted != kMessage) continue;
    const auto reported = trace.of<ev::CapsReported>();
    return reported.empty() ? 0 : trace.at<ev::CapsReported>(reported.front()).interrupt_message;
  }
  return named;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const std::uint32_t named = named_message(trace, platform);
  if (named == kNone) return;
  Handlers handlers;
  for (const std::uint32_t index :
       trace.of_any<ev::IsrEntered, ev::IsrLeft, ev::SyncEntered, ev::SyncLeft, ev::Notified>()) {
    const Event& event = trace.events()[index];
    ScratchVector<std::uint32_t>& open = handlers[event.thread];
    if (enters(event.kind)) {
      open.push_back(message_of(event));
    } else if (event.kind != EventKind::Notified) {
      if (!open.empty()) open.pop_back();
    } else if (!open.empty()) {  // else INTR-013
      judgement.reached(index);
      if (open.back() == named) continue;
      judgement.fail(index, "DxgkCbNotifyInterrupt for message " + std::to_string(named) + " alone",
                     "it was called for message " + std::to_string(open.back()));
    }
  }
}

constexpr auto kSynchronize = &DXGKRNL_INTERFACE::DxgkCbSynchronizeExecution;

// A driver that synchronizes with the handler of another message.
NTSTATUS APIENTRY of_another_message(HANDLE device, PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                                     ULONG message, PBOOLEAN result) {
  return callbacks::given<kSynchronize>(device, routine, context, message + 1, result);
}

const Rule kRule{
    .id = "INTR-003",
    .title = "Whoever notifies uses one message number",
    .rule =
        "Every DxgkCbNotifyInterrupt comes from the handler of one message, that of "
        "DXGK_DRIVERCAPS::InterruptMessageNumber, or from a routine of "
        "DxgkCbSynchronizeExecution that was given this number; it is 0 for an interrupt line.",
    .sources =
        "nc-d3dkmddi-dxgkcb_notify_interrupt.md # Remarks\n"
        "ns-d3dkmddi-_dxgk_drivercaps.md # InterruptMessageNumber\n"
        "nc-dispmprt-dxgkcb_synchronize_execution.md # MessageNumber",
    .note =
        "That no two notifications overlap follows where all exclude the handler of one message; "
        "that they do at all is INTR-013.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: completions, and the answers of a busy engine and of one at rest
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- preempt: {node: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: completions alone
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
)",
    .fault = {.about = "SynchronizeExecution is called with the number of another message",
              .interposer = callbacks::replaces<kSynchronize, &of_another_message>}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_003
