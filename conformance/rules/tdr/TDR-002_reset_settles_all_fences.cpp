// TDR-002: a reset of the adapter settles all fences.

#include <map>

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/other_gpu.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::tdr_002 {
namespace {

struct Engine {
  std::uint32_t last = kNone;         // fence of the packet submitted last
  std::uint32_t taken = kNone;        // ... that the driver took
  ScratchSet<std::uint32_t> refused;  // of those behind it
  std::uint32_t stands_at = kNone;    // after a preemption or reset that gave all behind it back
  std::uint32_t reset = kNone;        // AdapterReset
  std::uint32_t settled = kNone;      // `last` by then
  ScratchSet<std::uint32_t> settled_too, newer;

  void submit(const ev::Submitted& packet) {
    last = packet.fence;
    newer.insert(packet.fence);
    if (packet.status != 0) {
      refused.insert(packet.fence);
      return;
    }
    taken = packet.fence;
    refused.clear();
    stands_at = kNone;
  }
  void settle(std::uint32_t index) {
    settled = last;
    settled_too.clear();
    newer.clear();
    reset = last == kNone ? kNone : index;
    if (stands_at == kNone || stands_at == last) return;
    settled_too = refused;
    settled_too.insert(stands_at);
    settled_too.insert(taken);
  }
};

// That nothing is reported for packets from before is FENCE-003.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  const auto judge = [&](EngineId id, std::uint32_t fence, const char* what, std::uint32_t index) {
    Engine& engine = engines[id];
    if (engine.reset == kNone) return;
    judgement.reached(index);
    const bool as_settled = fence == engine.settled || engine.settled_too.contains(fence);
    if (!as_settled && !engine.newer.contains(fence)) {
      judgement.fail(index,
                     "the packet submitted last before the reset, SubmissionFenceId " +
                         std::to_string(engine.settled) + ", or one behind it",
                     std::string(what) + ' ' + std::to_string(fence), {engine.reset});
    }
    engine.reset = kNone;
  };
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::AdapterReset, ev::EngineReset, ev::Notified, ev::ReportIgnored,
                    ev::FenceQueried, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::AdapterReset) {
      const auto call = Trace::as<ev::AdapterReset>(event);
      if (call.stage != 0 || call.status != 0) return;
      for (auto& [id, engine] : engines) engine.settle(index);
    } else if (event.kind == EventKind::EngineReset) {
      const auto call = Trace::as<ev::EngineReset>(event);
      if (engrst::succeeded(call.status)) engines[engine_of(call)].stands_at = call.aborted;
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      engines[engine_of(packet)].submit(packet);
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) return;
      judge(engine_of(report), report.last_completed, "LastCompletedFenceId", index);
      engines[engine_of(report)].stands_at = report.last_completed;
    } else if (event.kind == EventKind::ReportIgnored) {
      // Whose report Dxgkrnl had no use for the driver cannot know.
      const auto report = Trace::as<ev::ReportIgnored>(event);
      if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) return;
      engines[engine_of(report)].stands_at = report.last_completed;
    } else if (event.kind == EventKind::FenceQueried) {
      const auto queried = Trace::as<ev::FenceQueried>(event);
      if (queried.status == 0) judge(engine_of(queried), queried.fence, "CurrentFence", index);
    } else {
      engines.clear();
    }
  });
}

NotApplicable settles_fences(const Platform& platform) {
  if (const NotApplicable reason = engrst::adapter_resets(platform)) return reason;
  return platform.wddm1_2() ? nullptr : "older than WDDM 1.2: where fences stand then is not said";
}

// A driver that goes on with the fences that it reported last.
class KeepsItsFences final : public Interposer {
 public:
  NTSTATUS ResetFromTimeout(HANDLE adapter) override {
    was_reset_ = true;
    return Interposer::ResetFromTimeout(adapter);
  }
  NTSTATUS QueryCurrentFence(HANDLE adapter, DXGKARG_QUERYCURRENTFENCE* query) override {
    const NTSTATUS status = Interposer::QueryCurrentFence(adapter, query);
    const auto last = completed_.find(query->NodeOrdinal);
    if (was_reset_ && last != completed_.end()) query->CurrentFence = last->second;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      completed_[data->DmaCompleted.NodeOrdinal] = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }

 private:
  std::map<UINT, UINT> completed_;
  bool was_reset_ = false;
};

// clang-format off
#define REFUSED_BEHIND_ONE_THAT_HANGS \
  "- render: {context: 4}\n" \
  "- spin: {units: 3000}\n" \
  "- render: {context: 6}\n" \
  "- tamper_private: {offset: 0, value: 0xffffffff}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 10}\n" \
  "- advance: {units: 400}\n" \
  "- time_out: {node: 0, adapter: true}\n"
// clang-format on

const Rule kRule{
    .id = "TDR-002",
    .title = "A reset of the adapter settles all fences",
    .rule =
        "After ResetFromTimeout the last completed fence of every node is that of the packet "
        "submitted to it last, whether the driver took it or refused it, until one that is "
        "submitted later completes.",
    .sources =
        "tdr-changes-in-windows-8.md # Calling sequence to reset an engine\n"
        "nc-d3dkmddi-dxgkddi_submitcommandvirtual.md # Return value",
    .note =
        "A packet that SubmitCommandVirtual has refused counts as completed behind all earlier "
        "ones, and of those none is left by then. Of a node that a preemption or a reset of its "
        "engine has emptied, where that left it is accepted too, and each packet since the last "
        "one that was taken.",
    .unreached = "no engine told of its last completed fence behind a reset of the adapter",
    .applies = settles_fences,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: a node with a packet that runs and one behind it, and a node at rest
ops:
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- queue_depth: {packets: 3}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 1, adapter: true}
- query_fence: {node: 1}
- preempt: {node: 0}
- idle
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- query_fence: {node: 0}
- preempt: {node: 1}
- idle
# The first of two packets has ended, and nobody was told.
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 20}
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 80}
- time_out: {node: 1, adapter: true}
- query_fence: {node: 1}
- preempt: {node: 1}
- idle
# The other engine has answered a request, and nobody was told.
- create_context: {context: 0, node: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- render: {context: 1}
- idle
- render: {context: 0}
- spin: {units: 3000}
- render: {context: 1}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 0}
- advance: {units: 500}
- time_out: {node: 1, adapter: true}
- query_fence: {node: 0}
- preempt: {node: 0}
- preempt: {node: 1}
- idle
# With GPU virtual addresses the last packet of either node is one that is refused: behind one that
# hangs, and behind one that has ended.
- create_device: {device: 3, process: 3}
- create_device: {device: 4, process: 4}
- create_device: {device: 5, process: 5}
- create_context: {context: 4, node: 0}
- create_context: {context: 5, node: 1, device: 3}
- create_context: {context: 6, node: 0, device: 4}
- create_context: {context: 7, node: 1, device: 5}
- render: {context: 4}
- render: {context: 5}
- render: {context: 6}
- render: {context: 7}
- idle
- render: {context: 5}
- spin: {units: 2}
- idle
- render: {context: 7}
- tamper_private: {offset: 0, value: 0xffffffff}
- idle
)" REFUSED_BEHIND_ONE_THAT_HANGS R"(- query_fence: {node: 0}
- preempt: {node: 1}
- idle
# The other way round, told by the other call each.
- create_device: {device: 6, process: 6}
- create_device: {device: 7, process: 7}
- create_context: {context: 4, node: 0}
- create_context: {context: 5, node: 1, device: 6}
- create_context: {context: 6, node: 0, device: 7}
- render: {context: 4}
- render: {context: 5}
- render: {context: 6}
- idle
- render: {context: 5}
- tamper_private: {offset: 0, value: 0xffffffff}
- idle
)" REFUSED_BEHIND_ONE_THAT_HANGS R"(- preempt: {node: 0}
- query_fence: {node: 1}
- idle
)" WDDM_RESETS_ADAPTER_FOR_OTHER_GPU,
    .control = R"(
about: one that is submitted after the reset completes
ops:
- create_context: {context: 0, node: 0}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0, adapter: true}
- create_context: {context: 0, node: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "QueryCurrentFence names the fence that was reported last",
              .interposer = [] { return std::unique_ptr<Interposer>(new KeepsItsFences); }}};

#undef REFUSED_BEHIND_ONE_THAT_HANGS

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::tdr_002
