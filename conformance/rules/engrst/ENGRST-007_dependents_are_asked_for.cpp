// ENGRST-007: before a reset the driver says which engines it takes along.

#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/preempt/answers.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/ddi.h"
#include "reference/trace/op.h"

namespace wddm::engrst_007 {
namespace {

constexpr std::uint32_t kTimeout = 1;  // of the causes of resets
constexpr std::uint32_t kMostNodes = 64;

struct Asked {
  std::uint32_t event = kNone;  // DependentsAsked
  std::uint64_t nodes = 0;      // that a reset takes along, with the one that timed out
  std::uint32_t last = kNone;   // node that was reset last

  [[nodiscard]] bool is_used() const { return last != kNone; }
};

bool has(std::uint64_t nodes, std::uint32_t node) {
  return node < kMostNodes && (nodes >> node & 1) != 0;
}

void judge(const ev::EngineReset& reset, bool preempted, Asked& asked, std::uint32_t index,
           Judgement& judgement) {
  judgement.reached(index);
  const std::string node = "node " + std::to_string(reset.node);
  if (asked.event == kNone) {
    judgement.fail(index, "QueryDependentEngineGroup before ResetEngine", node + " is reset");
  } else if (!has(asked.nodes, reset.node)) {
    judgement.fail(index, "ResetEngine for the node that timed out and its dependents",
                   node + " is reset", {asked.event});
  } else if (!preempted) {
    judgement.fail(index, "ResetEngine for nodes that have not answered a preemption",
                   node + " owes no answer", {asked.event});
  } else if (asked.last != kNone && reset.node <= asked.last) {
    judgement.fail(index, "ResetEngine in the order of the nodes",
                   node + " behind node " + std::to_string(asked.last), {asked.event});
  }
  asked.last = reset.node;
}

bool is_reset_call(std::uint32_t ddi) {
  return ddi == static_cast<std::uint32_t>(DdiId::ResetEngine);
}

// A driver may wait in any of these calls, and the scenario goes on meanwhile: what was asked holds
// until another timeout begins, behind the resets of this one.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (trace.of<ev::EngineReset>().empty()) return;
  Asked asked;
  bool resetting = false;  // ResetEngine has not returned
  preempt::OwedAnswers owed;
  using StopReturned = ev::MappingBalance;
  for (const std::uint32_t index :
       trace.of_any<ev::OpStarted, ev::DdiEntered, ev::DdiReturned, ev::PreemptAsked,
                    ev::ReportJudged, ev::DependentsAsked, ev::EngineReset, ev::AdapterReset,
                    StopReturned>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto op = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      if (op == OpKind::TimeOut && asked.is_used() && !resetting) asked = {};
    } else if (event.kind == EventKind::DdiEntered) {
      resetting |= is_reset_call(Trace::as<ev::DdiEntered>(event).ddi);
    } else if (event.kind == EventKind::DdiReturned) {
      resetting &= !is_reset_call(Trace::as<ev::DdiReturned>(event).ddi);
    } else if (event.kind == EventKind::PreemptAsked) {
      owed.asked(Trace::as<ev::PreemptAsked>(event));
    } else if (event.kind == EventKind::ReportJudged) {
      owed.judged(Trace::as<ev::ReportJudged>(event));
    } else if (event.kind == EventKind::DependentsAsked) {
      const auto answer = Trace::as<ev::DependentsAsked>(event);
      const std::uint64_t own = std::uint64_t{1} << answer.node % kMostNodes;
      asked = {.event = index, .nodes = engrst::succeeded(answer.status) ? answer.mask | own : own};
    } else if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      if (reset.cause == kTimeout) {
        judge(reset, owed.owes(engine_of(reset)), asked, index, judgement);
      }
      owed.settle(engine_of(reset));
    } else {
      asked = {};
      resetting = false;
      owed.clear();
    }
  }
}

NotApplicable asked_for_dependents(const Platform& platform) {
  if (const NotApplicable reason = engrst::engine_resets(platform)) return reason;
  return needs(platform, DdiId::QueryDependentEngineGroup);
}

const Rule kRule{
    .id = "ENGRST-007",
    .title = "The OS preempts dependent engines before the reset",
    .binds = Binds::Os,
    .rule =
        "Before engines are reset for a timeout QueryDependentEngineGroup is called; of the node "
        "that timed out and those that the driver names, ResetEngine is called for the ones that "
        "have not answered a preemption, in the order of their ordinals.",
    .sources = "nc-d3dkmddi-dxgkddi_querydependentenginegroup.md # Remarks",
    .note =
        "The page speaks of the order of engine ordinals, which all nodes concerned share: read as "
        "that of nodes. The time they have, 500 ms, is the scenario's to give.",
    .applies = asked_for_dependents,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an engine times out, and another one works
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- idle
)",
    .control = R"(
about: the engine answers in time
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, units: 100}
- idle
)",
    .fault = {.about = "nobody asks which engines a reset takes along",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::DependentsUnasked}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_007
