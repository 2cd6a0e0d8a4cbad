// INTR-013: whoever notifies excludes the interrupt routine.

#include "conformance/rules/rule.h"

namespace wddm::intr_013 {
namespace {

constexpr std::uint8_t kDispatchLevel = 2;

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    if (trace.events()[index].irql <= kDispatchLevel) continue;  // INTR-002
    judgement.reached(index);
    const auto place = static_cast<CallPlace>(trace.at<ev::Notified>(index).place);
    if (place == CallPlace::Isr || place == CallPlace::Synchronize) continue;
    judgement.fail(index,
                   "DxgkCbNotifyInterrupt from the ISR or a routine of "
                   "DxgkCbSynchronizeExecution",
                   "it was called outside of both");
  }
}

const Rule kRule{
    .id = "INTR-013",
    .title = "Whoever notifies excludes the interrupt routine",
    .level = Level::Should,
    .rule =
        "DxgkCbNotifyInterrupt is called from the ISR or from a routine of "
        "DxgkCbSynchronizeExecution, so that no interrupt comes in between on another processor.",
    .sources =
        "nc-d3dkmddi-dxgkddi_preemptcommand.md # Remarks\n"
        "nc-dispmprt-dxgkddi_interrupt_routine.md # Remarks (memory shared with the ISR)",
    .note =
        "Pages on PreemptCommand and QueryCurrentFence ask for the IRQL of the interrupt and name "
        "DxgkCbSynchronizeExecution as an example. To raise the IRQL by hand leaves the other "
        "processors out.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: a completion, and the answer to a preemption of an idle node
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 2}
- idle
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: the idle node's answer comes from SynchronizeExecution, without an interrupt
ops:
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the answer for an idle node is given at an IRQL that the driver has raised",
              .seat = FaultSeat::Variant,
              .variant = 19}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::intr_013
