// SUBMIT-003: paging submissions carry no context and name their node.

#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/sdk/device.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm {
namespace {

// Fences are per engine: two nodes may have the same one.
struct Node {
  ScratchMap<std::uint32_t, std::uint32_t> given;  // latest Submitted, by fence
  ScratchSet<std::uint32_t> awaited;               // Submitted of paging that is not reported yet

  void take(std::uint32_t index, const ev::Submitted& packet) {
    const auto [before, is_new] = given.emplace(packet.fence, index);
    if (!is_new) awaited.erase(std::exchange(before->second, index));
    if (packet.paging != 0) awaited.insert(index);
  }
  [[nodiscard]] std::uint32_t awaited_with(std::uint32_t fence) const {
    const auto found = given.find(fence);
    return found != given.end() && awaited.contains(found->second) ? found->second : kNone;
  }
};

class Check {
 public:
  Check(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void visit(std::uint32_t index) {
    const Event& event = trace_.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = Trace::as<ev::Submitted>(event);
      nodes_[submitted.node].take(index, submitted);
    } else if (event.kind == EventKind::Notified) {
      report(index, Trace::as<ev::Notified>(event));
    } else if (event.kind == EventKind::DeviceLogged) {
      log(index, Trace::as<ev::DeviceLogged>(event));
    } else if (event.kind == EventKind::Stuck) {
      for (auto& [number, node] : nodes_) node.awaited.clear();
    }
  }

 private:
  // Seen at the boundary: the completion comes from the node that the submission named.
  void report(std::uint32_t index, const ev::Notified& report) {
    const auto known = nodes_.find(report.node);
    if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED && known != nodes_.end()) {
      known->second.awaited.clear();
    }
    if (report.type != DXGK_INTERRUPT_DMA_COMPLETED) return;
    if (known == nodes_.end() || !known->second.given.contains(report.fence)) {
      blame(index, report.node, report.fence, "its completion came from node ",
            [](const ev::Submitted&) { return true; });
      return;
    }
    Node& node = known->second;
    const auto own = node.given.find(report.fence);
    const auto covered = node.awaited.upper_bound(own->second);
    if (covered != node.awaited.begin()) judgement_.reached(index);
    node.awaited.erase(node.awaited.begin(), covered);
  }

  // Seen by the device, whatever is reported.
  void log(std::uint32_t index, const ev::DeviceLogged& record) {
    if (record.kind != WDDM_DEVICE_PACKET_BEGIN && record.kind != WDDM_DEVICE_FETCH) return;
    blame(index, record.node, record.tag, "its commands were fetched by node ",
          [&](const ev::Submitted& packet) {
            return record.address >= packet.address + packet.start &&
                   record.address < packet.address + packet.end;
          });
  }

  template <class IsIt>
  void blame(std::uint32_t index, std::uint32_t seen_on, std::uint32_t fence, const char* what,
             IsIt&& is_it) {
    for (auto& [number, node] : nodes_) {
      const std::uint32_t submission = node.awaited_with(fence);
      if (number == seen_on || submission == kNone) continue;
      if (!is_it(trace_.at<ev::Submitted>(submission))) continue;
      judgement_.fail(
          index, "the paging packet runs and completes on NodeOrdinal " + std::to_string(number),
          what + std::to_string(seen_on), {submission});
      node.awaited.erase(submission);
      return;
    }
  }

  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Node> nodes_;  // that packets were submitted to
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Check check(trace, judgement);
  in_order_of_calls<ev::Notified, ev::DeviceLogged, ev::Stuck>(
      trace, [&](std::uint32_t index) { check.visit(index); });
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
