// SUBMIT-008: the fence of a refused packet is the last completed one, in its turn.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/op.h"

namespace wddm {
namespace {

bool before(std::uint32_t fence, std::uint32_t other) {
  return static_cast<std::int32_t>(fence - other) < 0;
}

// What a node was given, in order; packets are retired in that order too.
struct Node {
  std::uint32_t refused = kNone;  // Submitted of the refused packet that came last
  std::uint32_t fence = 0;        // its fence
  bool in_turn = false;           // all before it has ended
  bool waited = false;            // ... and the GPU has had time since
};

void judge_query(std::uint32_t index, const ev::FenceQueried& query, const Node& node,
                 Judgement& judgement) {
  judgement.reached(index);
  const std::string fence = std::to_string(node.fence);
  if (node.waited && before(query.fence, node.fence)) {
    judgement.fail(index, "the fence " + fence + " of the refused packet, or one after it",
                   std::to_string(query.fence), {node.refused});
  } else if (!node.in_turn && !before(query.fence, node.fence)) {
    judgement.fail(index, "no fence from " + fence + " on while packets before it are at work",
                   std::to_string(query.fence), {node.refused});
  }
}

// What counts as completed from then on is another's to say.
bool begins_anew(std::uint32_t ddi) {
  const auto id = static_cast<DdiId>(ddi);
  return id == DdiId::StopDevice || id == DdiId::ResetFromTimeout || id == DdiId::ResetEngine;
}

void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  if (!platform.gpu_mmu) return;
  ScratchMap<std::uint32_t, Node> nodes;
  bool time_passed = false;
  for (const std::uint32_t index : trace.of_any<ev::Submitted, ev::PacketEnded, ev::FenceQueried,
                                                ev::DdiEntered, ev::OpStarted>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      if (static_cast<NTSTATUS>(submitted.status) != STATUS_INVALID_PARAMETER) continue;
      if (submitted.paging == 0) nodes[submitted.node] = {index, submitted.fence};
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      const auto node = nodes.find(ended.node);
      if (node != nodes.end() && node->second.fence == ended.fence) node->second.in_turn = true;
    } else if (event.kind == EventKind::OpStarted) {
      // The op before this one is over.
      for (auto& [id, node] : nodes) node.waited |= node.in_turn && time_passed;
      time_passed =
          Trace::as<ev::OpStarted>(event).kind == static_cast<std::uint32_t>(OpKind::WaitTime);
    } else if (event.kind == EventKind::FenceQueried) {
      const auto query = Trace::as<ev::FenceQueried>(event);
      const auto node = nodes.find(query.node);
      if (node != nodes.end()) judge_query(index, query, node->second, judgement);
    } else if (begins_anew(Trace::as<ev::DdiEntered>(event).ddi)) {
      nodes.clear();
    }
  }
}

// A driver for which a refused packet has never been.
class DropsIt final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    const NTSTATUS status = Interposer::SubmitCommandVirtual(adapter, submit);
    if (status == STATUS_INVALID_PARAMETER) dropped_ = submit->SubmissionFenceId;
    return status;
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    if (dropped_ != 0 && query->CurrentFence == dropped_) --query->CurrentFence;
    return status;
  }

 private:
  UINT dropped_ = 0;
};

const Rule kRule{
    .id = "SUBMIT-008",
    .title = "Fence of a refused virtual submission",
    .rule =
        "The fence of a packet that SubmitCommandVirtual refused counts as completed once all "
        "packets before it on its engine have ended, and not before: QueryCurrentFence then tells "
        "it, or a later one.",
    .sources = "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # returns",
    .note =
        "A GPU may need some time to come to it. Whether the driver reports it by an interrupt of "
        "its own is left to it. "
        "LastCompletedFenceId "
        "of a preemption is judged by PREEMPT-007.",
    .applies = virtual_rendering,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: a malformed packet behind one that runs; the fence is asked for before and after
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- tamper_private: {offset: 0, value: 0xffffffff}
- query_fence: {node: 0}
- idle
- wait_time: {milliseconds: 1}
- query_fence: {node: 0}
)",
    .control = R"(
about: the same without a malformed packet
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- spin: {units: 20}
- query_fence: {node: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "the fence of a refused packet is forgotten",
              .interposer = [] { return std::unique_ptr<Interposer>(new DropsIt); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
