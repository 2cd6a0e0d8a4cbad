// SUBMIT-003: paging submissions carry no context and name their node.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"

namespace wddm {
namespace {

// Seen at the boundary: the completion comes from the node that the submission named.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<std::uint32_t, std::uint32_t> awaited;  // fence of a paging packet -> its submission
  for (const std::uint32_t index : trace.of_any<ev::Submitted, ev::Notified>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = Trace::as<ev::Submitted>(event);
      if (submitted.paging != 0) awaited[submitted.fence] = index;
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      const auto found = awaited.find(report.fence);
      if (report.type != DXGK_INTERRUPT_DMA_COMPLETED || found == awaited.end()) continue;
      const auto submitted = trace.at<ev::Submitted>(found->second);
      // A fence that the reporting node has itself is that node's own.
      if (report.outstanding != 0 && report.node != submitted.node) continue;
      judgement.reached(index);
      if (report.node != submitted.node) {
        judgement.fail(
            index,
            "the paging packet runs and completes on NodeOrdinal " + std::to_string(submitted.node),
            "its completion came from node " + std::to_string(report.node), {found->second});
      }
      awaited.erase(found);
    }
  }
}

// A driver that runs all paging on node 0.
class AlwaysNodeZero final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (submit->Flags.Paging) altered.NodeOrdinal = 0;
    return Interposer::SubmitCommand(adapter, &altered);
  }
};

NotApplicable two_nodes(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  return platform.nodes > 1 ? nullptr : "only one node";
}

const Rule kRule{
    .id = "SUBMIT-003",
    .title = "Paging submissions carry no context and name their node",
    .rule =
        "SubmitCommand and Patch with Flags.Paging may have NULL in hContext and hDevice; the "
        "driver then uses neither, takes the engine from NodeOrdinal (WDDM 1.2 and later), and "
        "uses a device of its own if its hardware needs one.",
    .sources =
        "nc-d3dkmddi-dxgkddi_submitcommand.md # Remarks\n"
        "ns-d3dkmddi-_dxgkarg_submitcommand.md # hContext, NodeOrdinal",
    .applies = two_nodes,
    .check = check,
    .scenario = R"(
about: paging on node 1 of two, with hContext NULL
ops:
- paging_node: {node: 1}
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .control = R"(
about: paging on node 0
ops:
- create_allocation: {allocation: 0, place: local}
- make_resident: {allocation: 0}
- idle
)",
    .fault = {.about = "paging always goes to node 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new AlwaysNodeZero); },
              .also_fires = "FENCE-001 FENCE-003"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
