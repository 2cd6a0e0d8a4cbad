// ENGRST-003: a reset of an engine moves its last completed fence.

#include "conformance/host/interposer.h"
#include "conformance/rules/engrst/resets.h"
#include "conformance/rules/fence/asked_at.h"
#include "conformance/rules/fence/never_given_again.h"
#include "conformance/rules/life/every_kind_of_work.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::engrst_003 {
namespace {

struct After {
  std::uint32_t reset = kNone;  // EngineReset
  std::uint32_t aborted = 0;
  ScratchSet<std::uint32_t> newer;  // fences submitted since, and refused right behind `aborted`
};

// The newest packets of an engine.
struct Newest {
  std::uint32_t taken = kNone;        // fence of the last that the driver took
  ScratchSet<std::uint32_t> refused;  // of those behind it

  void submit(const ev::Submitted& packet) {
    if (packet.status != 0) {
      refused.insert(packet.fence);
      return;
    }
    taken = packet.fence;
    refused.clear();
  }
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, After> engines;
  ScratchMap<EngineId, Newest> newest;
  const auto judge = [&](EngineId engine, std::uint32_t fence, const char* what,
                         std::uint32_t index, std::uint32_t asked) {
    const auto after = engines.find(engine);
    if (after == engines.end() || asked < after->second.reset) return;
    judgement.reached(index);
    if (fence != after->second.aborted && !after->second.newer.contains(fence)) {
      judgement.fail(index,
                     "LastAbortedFenceId " + std::to_string(after->second.aborted) +
                         " as the last completed fence, or a packet behind the reset",
                     std::string(what) + ' ' + std::to_string(fence), {after->second.reset});
    }
    engines.erase(after);
  };
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::EngineReset, ev::Notified, ev::FenceQueried, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::EngineReset) {
      const auto reset = Trace::as<ev::EngineReset>(event);
      if (!engrst::succeeded(reset.status)) return;
      After& after = engines[engine_of(reset)];
      after = {.reset = index, .aborted = reset.aborted, .newer = {}};
      const Newest& last = newest[engine_of(reset)];
      if (last.taken == reset.aborted) after.newer = last.refused;
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      newest[engine_of(packet)].submit(packet);
      const auto after = engines.find(engine_of(packet));
      if (after != engines.end()) after->second.newer.insert(packet.fence);
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        judge(engine_of(report), report.last_completed, "LastCompletedFenceId", index, index);
      }
    } else if (event.kind == EventKind::FenceQueried) {
      const auto queried = Trace::as<ev::FenceQueried>(event);
      if (engrst::succeeded(queried.status)) {
        judge(engine_of(queried), queried.fence, "CurrentFence", index,
              fence::asked_at(trace, index));
      }
    } else {
      engines.clear();
      newest.clear();
    }
  });
}

// A driver that goes on with the fence that completed last of itself.
class KeepsItsFence final : public Interposer {
 public:
  NTSTATUS ResetEngine(HANDLE adapter, DXGKARG_RESETENGINE* reset) override {
    const NTSTATUS status = Interposer::ResetEngine(adapter, reset);
    aborted_ = reset->LastAbortedFenceId;
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED && aborted_ != 0 &&
               data->DmaPreempted.LastCompletedFenceId == aborted_) {
      altered.DmaPreempted.LastCompletedFenceId = completed_;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  UINT aborted_ = 0, completed_ = 0;
};

const Rule kRule{
    .id = "ENGRST-003",
    .title = "A reset of an engine moves its last completed fence",
    .rule =
        "After ResetEngine has succeeded, LastAbortedFenceId is the last completed fence of the "
        "engine: the next DMA_PREEMPTED or QueryCurrentFence names it, unless a packet submitted "
        "since has completed.",
    .sources = "tdr-changes-in-windows-8.md # Calling sequence to reset an engine",
    .note =
        "The page speaks of a member LastCompletedFenceId that ResetEngine returns. "
        "DXGKARG_RESETENGINE has none; read: LastAbortedFenceId. A packet that "
        "SubmitCommandVirtual refused right behind that one may count as completed with it.",
    .unreached = "no engine told of its last completed fence behind a reset",
    .applies = engrst::engine_resets,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: after a reset an idle engine is preempted, and after others asked for its fence; so is another; then two are given up at once, and behind that comes all kinds of work; and power is lost behind a reset
ops:
# Each node that there is, and work where all have been reset.
- each_node
- each_node: {time_out: true, units: 400}
- each_node
- create_context: {context: 0}
# On a driver with one node what this context does is skipped.
- create_context: {context: 4, node: 1}
- render: {context: 0}
- render: {context: 4}
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
- time_out: {node: 0}
- preempt: {node: 0}
- idle
- create_device: {device: 1}
- create_context: {context: 1, device: 1}
- render: {context: 1}
- idle
- render: {context: 1}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- time_out: {node: 0}
- query_fence: {node: 0}
- query_fence: {node: 1}
- preempt: {node: 1}
- idle
# The first of two packets has ended when its engine is given up, and nobody was told.
- create_device: {device: 2}
- create_device: {device: 3}
- create_context: {context: 2, device: 2}
- create_context: {context: 3, device: 3}
- queue_depth: {packets: 3}
- render: {context: 2}
- idle
- render: {context: 3}
- idle
- render: {context: 2}
- spin: {units: 20}
- render: {context: 3}
- spin: {units: 3000}
- advance: {units: 4}
- advance: {units: 4}
- advance: {units: 4}
- hold_interrupts
- advance: {units: 80}
- time_out: {node: 0}
- query_fence: {node: 0}
- render: {context: 2}
- idle
# Two engines are given up while both work, one after the other.
- create_device: {device: 5}
- create_device: {device: 6}
- create_context: {context: 6, device: 5}
- create_context: {context: 7, device: 6, node: 1}
- render: {context: 6}
- render: {context: 7}
- idle
- render: {context: 7}
- spin: {units: 2}
- idle
- render: {context: 6}
- spin: {units: 3000}
- render: {context: 7}
- spin: {units: 3000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0}
- time_out: {node: 1}
- query_fence: {node: 0}
- query_fence: {node: 1}
- idle
)" WDDM_DOES_EVERY_KIND_OF_WORK WDDM_RESET_BEFORE_POWER_IS_LOST R"(
# Of a link the other GPU as well, while the first is at rest.
- physical_adapter: {index: 1}
- create_device: {device: 4}
- create_context: {context: 5, device: 4}
- render: {context: 5}
- idle
- render: {context: 5}
- spin: {units: 1000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- time_out: {node: 0}
- query_fence: {node: 0}
- preempt: {node: 0}
- physical_adapter: {index: 0}
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: a packet completes between the reset and the preemption
ops:
- create_device: {device: 1}
- create_context: {context: 0}
- create_context: {context: 1, device: 1}
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
- time_out: {node: 0}
- render: {context: 1}
- idle
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the last completed fence is the one that was reported last",
              .interposer = [] { return std::unique_ptr<Interposer>(new KeepsItsFence); },
              .also_fires = "PREEMPT-007"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::engrst_003
