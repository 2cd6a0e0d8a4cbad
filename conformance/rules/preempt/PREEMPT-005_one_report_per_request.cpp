// PREEMPT-005: one DMA_PREEMPTED for each request, with the identifiers of the request.

#include <algorithm>
#include <tuple>

#include "conformance/host/interposer.h"
#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm::preempt_005 {
namespace {

using preempt::stops_before;

struct Request {
  std::uint32_t asked = kNone;  ///< event
  std::uint32_t answers = 0;
};

// So does what follows from a page fault or a timeout: the reset of the engine, or else of the
// adapter. Of what was stuck is_cancelled() says. A device that is gone has nothing to answer. What
// happens behind another start is of no request from before.
bool is_cancelled_by_reset(const Trace& trace, EngineId engine, std::uint32_t asked) {
  const auto counts = [&](std::uint32_t index) {
    return index > asked && stops_before(trace, index) == stops_before(trace, asked);
  };
  for (const std::uint32_t index : trace.of<ev::SurpriseRemoved>()) {
    if (counts(index)) return true;
  }
  for (const std::uint32_t index : trace.of<ev::EngineReset>()) {
    const auto reset = trace.at<ev::EngineReset>(index);
    if (engine_of(reset) == engine && reset.status == 0 && counts(index)) return true;
  }
  constexpr std::uint32_t kAdapterReset = 1;
  for (const std::uint32_t index : trace.of<ev::DeviceInError>()) {
    if (trace.at<ev::DeviceInError>(index).cause == kAdapterReset && counts(index)) return true;
  }
  constexpr std::uint32_t kStuck = 2;
  for (const std::uint32_t index : trace.of<ev::AdapterReset>()) {
    if (trace.at<ev::AdapterReset>(index).cause != kStuck && counts(index)) return true;
  }
  return false;
}

// The reset between a request and a report that ends the request, or kNone. What is reported while
// it is under way comes before it. A driver whose work was stuck is in no state to judge.
std::uint32_t reset_between(const Trace& trace, EngineId engine, std::uint32_t asked,
                            std::uint32_t reported) {
  constexpr std::uint32_t kStuck = 2;
  for (const std::uint32_t index : trace.of_any<ev::EngineReset, ev::AdapterReset>()) {
    if (index < asked) continue;
    if (index > reported) break;
    if (trace.events()[index].kind == EventKind::EngineReset) {
      const auto reset = trace.at<ev::EngineReset>(index);
      if (engine_of(reset) == engine && reset.status == 0) return index;
    } else {
      const auto reset = trace.at<ev::AdapterReset>(index);
      if (reset.stage == 0 && reset.status == 0 && reset.cause != kStuck) return index;
    }
  }
  return kNone;
}

// A reset cancels a request, and is no excuse where the driver itself made it necessary.
bool is_cancelled(const Trace& trace, std::uint32_t asked) {
  const auto resets = trace.of<ev::Stuck>();
  const auto next = std::upper_bound(resets.begin(), resets.end(), asked);
  return next != resets.end() && trace.at<ev::Stuck>(*next).excused != 0;
}

// Nothing went on without the answer: the reset of the adapter is what brought it.
bool comes_with_reset(const Trace& trace, std::uint32_t asked, std::uint32_t reported) {
  for (const std::uint32_t index : trace.of<ev::Stuck>()) {
    if (index > asked && index < reported && trace.at<ev::Stuck>(index).excused == 0) return true;
  }
  return false;
}

// An answer may come before PreemptCommand returns, so both are collected first. Another start may
// use a number again.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::tuple<std::uint32_t, EngineId, std::uint32_t>, Request> requests;  // and fence
  for (const std::uint32_t index : trace.of<ev::PreemptAsked>()) {
    const auto asked = trace.at<ev::PreemptAsked>(index);
    // An idle engine has one answer.
    if (asked.outstanding != 0) judgement.reached(index);
    requests[{stops_before(trace, index), engine_of(asked), asked.fence}].asked = index;
  }
  for (const std::uint32_t index : trace.of<ev::Notified>()) {
    const auto report = trace.at<ev::Notified>(index);
    if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) continue;
    const auto request =
        requests.find({stops_before(trace, index), engine_of(report), report.fence});
    if (request == requests.end()) {
      judgement.fail(index, "PreemptionFenceId, NodeOrdinal and EngineOrdinal of a PreemptCommand",
                     "PreemptionFenceId " + std::to_string(report.fence) + " on node " +
                         std::to_string(report.node) + ", which nobody asked for");
    } else if (request->second.answers == 0 &&
               comes_with_reset(trace, request->second.asked, index)) {
      continue;
    } else if (++request->second.answers > 1) {
      judgement.fail(index, "exactly one DMA_PREEMPTED for a PreemptCommand",
                     "answer number " + std::to_string(request->second.answers),
                     {request->second.asked});
    } else if (const std::uint32_t reset =
                   reset_between(trace, engine_of(report), request->second.asked, index);
               reset != kNone) {
      judgement.fail(index, "no DMA_PREEMPTED for a PreemptCommand that a reset has ended",
                     "one with PreemptionFenceId " + std::to_string(report.fence),
                     {request->second.asked, reset});
    }
  }
  // A trace that broke off may have lost the answer.
  if (trace.of<ev::Ended>().empty()) return;
  for (const auto& [key, request] : requests) {
    if (request.answers != 0 || is_cancelled(trace, request.asked)) continue;
    if (is_cancelled_by_reset(trace, std::get<EngineId>(key), request.asked)) continue;
    judgement.fail(request.asked, "a DMA_PREEMPTED with this PreemptionFenceId", "none came");
  }
}

// A driver with one global for the id of the latest request.
class OneGlobal final : public Interposer {
 public:
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    latest_ = preempt->PreemptionFenceId;
    return Interposer::PreemptCommand(adapter, preempt);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.PreemptionFenceId = latest_;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT latest_ = 0;
};

// clang-format off
#define ENDS_WHILE_ASKED_AT(number) \
  "- render: {context: 0}\n" \
  "- spin: {units: 20}\n" \
  "- advance: {units: 4}\n" \
  "- advance: {units: 4}\n" \
  "- advance: {units: 4}\n" \
  "- advance_inside: {point: " #number ", units: 80}\n" \
  "- preempt: {node: 0}\n" \
  "- advance_inside: {units: 0}\n" \
  "- idle\n"
// One engine has one packet, the other two: of those each request and what comes again take three
// numbers, and of the one two. So the numbers of both requests come nearer by one each time.
#define ONE_AND_TWO_PACKETS(context_of_one, context_of_two) \
  "- render: {context: " #context_of_one "}\n" \
  "- spin: {units: 6000}\n" \
  "- render: {context: " #context_of_two "}\n" \
  "- spin: {units: 6000}\n" \
  "- render: {context: " #context_of_two "}\n" \
  "- spin: {units: 5}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 20}\n" \
  "- advance: {units: 100}\n"
#define BOTH_ASKED \
  "- preempt: {node: 1}\n" \
  "- preempt: {node: 0}\n" \
  "- advance: {units: 40}\n"
#define BOTH_ASKED_4_TIMES BOTH_ASKED BOTH_ASKED BOTH_ASKED BOTH_ASKED
#define BOTH_ASKED_16_TIMES \
  BOTH_ASKED_4_TIMES BOTH_ASKED_4_TIMES BOTH_ASKED_4_TIMES BOTH_ASKED_4_TIMES
// clang-format on

const Rule kRule{
    .id = "PREEMPT-005",
    .aliases = "PREEMPT-003",
    .title = "One DMA_PREEMPTED per request, with matching identifiers",
    .rule =
        "Each PreemptCommand is answered by exactly one DXGK_INTERRUPT_DMA_PREEMPTED whose "
        "PreemptionFenceId, NodeOrdinal and EngineOrdinal are those of the request, also where the "
        "engine has nothing any more. A reset of the engine, or of the adapter, cancels it: behind "
        "that it is not answered.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "ns-d3dkmddi-_dxgkarg_preemptcommand.md\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPreempted\n"
        "ns-d3dkmddi-_dxgk_vidschcaps.md # PreemptionAware\n"
        "bug-check-0x119---video-scheduler-internal-error.md # 0x1",
    .note =
        "A reset cancels a request where the packet on the engine could not end: a driver that "
        "never answers is reset too. Without PreemptionAware requests may be left out, also before "
        "a timeout; those that are made are answered all the same. What comes behind the reset "
        "names an id that is nobody's, as a SubmissionFenceId would (FENCE-003). One page has the "
        "driver hand the id to DxgkCbNotifyDpc, which takes no such argument. Read: it goes into "
        "DmaPreempted through DxgkCbNotifyInterrupt.",
    .applies = submitting,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: both nodes busy, preempted back to back; a packet before makes their identifiers differ; then each node, engines that a preemption or a reset has emptied, and answers that cross a question or an end
ops:
- create_context: {context: 0, node: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 1}
- idle
- render: {context: 0}
- spin: {units: 1000}
- render: {context: 1}
- spin: {units: 1000}
- advance: {units: 5}
- preempt: {node: 0}
- preempt: {node: 1}
- idle
- each_node: {preempt: true, units: 100}
# A preemption has emptied the engine, and its packets wait.
- queue_depth: {packets: 2}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 400}
- query_fence: {node: 0}
- preempt: {node: 0}
- advance: {units: 40}
- query_fence: {node: 0}
- keep_stopped: {on: false}
- idle
# The other engine is reset before the answer comes, and nothing that it had comes again.
- create_device: {device: 1}
- create_context: {context: 2, device: 1}
- render: {context: 2}
- idle
- render: {context: 1}
- spin: {units: 1000}
- render: {context: 2}
- spin: {units: 300}
- render: {context: 2}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 1}
- time_out: {node: 0}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
# The engine is asked for its fence while the interrupt of its answer waits; so is the other.
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 0}
- advance: {units: 1000}
- query_fence: {node: 1}
- query_fence: {node: 0}
- hold_interrupts: {on: false}
- idle
# Both engines have answered, and one interrupt tells of both; then one DPC does.
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 1}
- preempt: {node: 0}
- advance: {units: 500}
- hold_interrupts: {on: false}
- idle
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_dpcs
- preempt: {node: 0}
- advance: {units: 500}
- preempt: {node: 1}
- advance: {units: 500}
- hold_dpcs: {on: false}
- idle
# Its packet ends at each of the first points of the call that is to preempt it.
)" ENDS_WHILE_ASKED_AT(1) ENDS_WHILE_ASKED_AT(2) ENDS_WHILE_ASKED_AT(3) ENDS_WHILE_ASKED_AT(4)
        ENDS_WHILE_ASKED_AT(5) ENDS_WHILE_ASKED_AT(6) R"(
# Of a link the other GPU as well.
- physical_adapter: {index: 1}
- each_node: {preempt: true, units: 100}
)",
    .control = R"(
about: an idle node is preempted twice, one request after the other; then both at a time until their identifiers are equal, and the same node of both GPUs of a link
ops:
- preempt: {node: 0}
- idle
- preempt: {node: 0}
- idle
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
# Each engine has numbers of its own: those of two requests at a time are equal once. Which is ahead,
# by paging, is the driver's choice.
- render: {context: 0}
- render: {context: 1}
- idle
- queue_depth: {packets: 2}
)" ONE_AND_TWO_PACKETS(0, 1) BOTH_ASKED_16_TIMES R"(
- idle
)" ONE_AND_TWO_PACKETS(1, 0) BOTH_ASKED_16_TIMES BOTH_ASKED_16_TIMES BOTH_ASKED_16_TIMES R"(
- idle
# Where there is no link it is the only GPU once more.
- physical_adapter: {index: 1}
- create_context: {context: 3}
- render: {context: 3}
- render: {context: 0}
- idle
- render: {context: 3}
- spin: {units: 6000}
- render: {context: 0}
- spin: {units: 6000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- preempt: {node: 0}
- physical_adapter: {index: 0}
- preempt: {node: 0}
- advance: {units: 100}
- preempt: {node: 0}
- physical_adapter: {index: 1}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the id of the latest request is reported for all",
              .interposer = [] { return std::unique_ptr<Interposer>(new OneGlobal); }}};

#undef ENDS_WHILE_ASKED_AT
#undef ONE_AND_TWO_PACKETS
#undef BOTH_ASKED
#undef BOTH_ASKED_4_TIMES
#undef BOTH_ASKED_16_TIMES

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_005
