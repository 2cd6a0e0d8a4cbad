// PREEMPT-010: the preemption of an idle engine is answered without the hardware.

#include <tuple>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::preempt_010 {
namespace {

using preempt::stops_before;

// An answer may come before PreemptCommand returns, so the requests are collected first. That there
// is one is PREEMPT-005. Another start may use a number again.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  using Request = std::tuple<std::uint32_t, EngineId, std::uint32_t>;  // stops, engine and fence
  ScratchMap<Request, std::uint32_t> idle;                             // PreemptAsked
  // Engines whose newest packet has finished. Where it was refused, its fence may still be the
  // hardware's to report; one that came back, or was lost, has not finished: whether that leaves
  // anything to stop the page leaves open. Before the first one since the hardware was programmed
  // the engine may be at something of the driver's own.
  ScratchMap<EngineId, std::uint32_t> at_rest;  // stops until then
  in_order_of_calls<ev::PacketEnded, ev::PreemptAsked, ev::EngineReset, ev::AdapterReset,
                    ev::PowerChanged>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      at_rest.erase(engine_of(trace.at<ev::Submitted>(index)));
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      at_rest.erase(engine_of(ended));
      if (ended.fate != static_cast<std::uint32_t>(PacketFate::Completed)) return;
      at_rest[engine_of(ended)] = stops_before(trace, index);
    } else if (event.kind == EventKind::PreemptAsked) {
      const auto asked = Trace::as<ev::PreemptAsked>(event);
      const EngineId engine = engine_of(asked);
      const std::uint32_t stops = stops_before(trace, index);
      const auto rest = at_rest.find(engine);
      if (asked.outstanding != 0 || rest == at_rest.end() || rest->second != stops) return;
      idle[{stops, engine, asked.fence}] = index;
    } else {
      at_rest.clear();
    }
  });
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    const auto report = trace.at<ev::Notified>(index);
    if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) continue;
    const auto asked = idle.find({stops_before(trace, index), engine_of(report), report.fence});
    if (asked == idle.end()) continue;
    judgement.reached(index);
    if (report.place != static_cast<std::uint32_t>(CallPlace::Isr)) continue;
    judgement.fail(index,
                   "the driver itself reports DMA_PREEMPTED for an engine with nothing to preempt",
                   "its interrupt routine does, when the hardware interrupts", {asked->second});
  }
}

// A driver that leaves every answer to its interrupt routine.
class WaitsForAnInterrupt final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  BOOLEAN InterruptRoutine(PVOID context, ULONG message) override {
    if (std::exchange(held_, false)) Interposer::NotifyInterrupt(adapter_, &answer_);
    return Interposer::InterruptRoutine(context, message);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    const bool idle = data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
                      data->DmaPreempted.NodeOrdinal == 0 &&
                      data->DmaPreempted.LastCompletedFenceId == last_;
    if (!idle) return Interposer::NotifyInterrupt(adapter, data);
    adapter_ = adapter;
    answer_ = *data;
    held_ = true;
  }

 private:
  UINT last_ = 0;
  HANDLE adapter_ = nullptr;
  DXGKARGCB_NOTIFY_INTERRUPT_DATA answer_{};
  bool held_ = false;
};

NotApplicable preempting(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::PreemptCommand);
}

const Rule kRule{
    .id = "PREEMPT-010",
    .title = "Preempting an idle engine is answered without the hardware",
    .level = Level::Should,
    .rule =
        "If all packets of the engine have finished and been reported when PreemptCommand is "
        "called, the driver does not hand the request to the hardware: it raises its IRQL and "
        "reports DMA_PREEMPTED itself.",
    .sources = "nc-d3dkmddi-dxgkddi_preemptcommand.md # Remarks",
    .note =
        "An answer that the interrupt routine gives when it is called has come from the hardware. "
        "One from a DPC or a thread of the driver has not. A driver that calls its interrupt "
        "routine itself, as the page proposes, is in DxgkCbSynchronizeExecution or PreemptCommand "
        "then. An engine that a preemption or a reset has emptied is left out, as its packets "
        "have not finished, and so is one that has finished none since the hardware was "
        "programmed: "
        "it may be at something of the driver's own. That it is answered for is PREEMPT-005.",
    .applies = preempting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: one node is at rest, and is preempted while the other works
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- render: {context: 1}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: what the hardware works on only the hardware can stop
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the answer of an idle engine waits for the next interrupt",
              .interposer = [] { return std::unique_ptr<Interposer>(new WaitsForAnInterrupt); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_010
