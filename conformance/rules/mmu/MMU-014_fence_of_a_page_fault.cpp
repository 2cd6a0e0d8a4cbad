// MMU-014: fence semantics of a page fault.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/fence/asked_at.h"
#include "conformance/rules/page_fault_flags.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm::mmu_014 {
namespace {

// No work goes on behind it.
bool ends_work(std::uint32_t flags) {
  return asks_for_reset(flags) ||
         (flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_FATAL_HARDWARE_ERROR)) != 0;
}

// Submissions that a report has ended.
struct Ended {
  std::uint32_t behind = 0, through = 0;  // of these the first is not ended, the last is
  std::uint32_t by = kNone;               // Notified

  [[nodiscard]] bool has(std::uint32_t submission) const {
    return submission > behind && submission <= through;
  }
};

// What a walk along the trace knows of an engine.
struct Engine {
  ScratchMap<std::uint32_t, std::uint32_t> newest;  // submission by fence, counted from 1
  ScratchMap<std::uint32_t, std::uint32_t> faults;  // PageFaultReported by submission
  std::uint32_t submissions = 0;
  std::uint32_t asked = 0;     // submissions at the last request to preempt
  Ended completed, preempted;  // by the newest reports of either kind

  /// 0: it was never submitted here.
  [[nodiscard]] std::uint32_t position(std::uint32_t fence) const {
    const auto found = newest.find(fence);
    return found == newest.end() ? 0 : found->second;
  }
  // Known to have come: the scheduler has not taken it yet.
  [[nodiscard]] std::uint32_t ended_by(std::uint32_t submission) const {
    if (completed.has(submission)) return completed.by;
    return preempted.has(submission) ? preempted.by : kNone;
  }
};

void on_fault(Engine& engine, const ev::PageFaultReported& report, std::uint32_t index,
              Judgement& judgement) {
  judgement.reached(index);
  if ((report.flags & static_cast<std::uint32_t>(DXGK_PAGE_FAULT_FENCE_INVALID)) != 0) {
    if (report.fence != 0) {
      judgement.fail(index, "FaultedFenceId 0 with DXGK_PAGE_FAULT_FENCE_INVALID",
                     "FaultedFenceId " + std::to_string(report.fence));
    }
    if (!ends_work(report.flags)) {
      judgement.fail(index, "a bit that asks for a reset with DXGK_PAGE_FAULT_FENCE_INVALID",
                     "none of them");
    }
    return;
  }
  const std::uint32_t position = engine.position(report.fence);
  const auto before = engine.faults.find(position);
  if (position != 0 && before != engine.faults.end()) {
    judgement.fail(index, "a page fault ends its packet", "another fault of the same fence",
                   {before->second});
  } else if (report.packet == kNone) {
    judgement.fail(index, "FaultedFenceId is of a packet that the engine has",
                   std::to_string(report.fence) + " on node " + std::to_string(report.node));
  } else if (const std::uint32_t by = engine.ended_by(position); by != kNone) {
    judgement.fail(index, "FaultedFenceId is of a packet that the engine has",
                   std::to_string(report.fence) +
                       ", which was reported as completed, or went back "
                       "by the answer to a preemption",
                   {by});
  }
  if (position != 0) engine.faults.insert({position, index});
}

// A fence that the driver says is the last completed one, when it was asked or by itself.
void on_last_completed(const Engine& engine, std::uint32_t fence, std::uint32_t index,
                       std::uint32_t asked, Judgement& judgement) {
  const auto newest = std::find_if(engine.faults.rbegin(), engine.faults.rend(),
                                   [asked](const auto& one) { return one.second < asked; });
  if (newest == engine.faults.rend()) return;
  judgement.reached(index);
  const auto& [position, fault] = *newest;
  const std::uint32_t named = engine.position(fence);
  if (named >= position) return;
  judgement.fail(index, "the fence of a page fault, or a later one, as last completed",
                 "fence " + std::to_string(fence) + ", which is older", {fault});
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  in_order_of_calls<ev::PageFaultReported, ev::Notified, ev::FenceQueried, ev::PreemptAsked,
                    ev::Running>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto submitted = trace.at<ev::Submitted>(index);
      Engine& engine = engines[engine_of(submitted)];
      engine.newest[submitted.fence] = ++engine.submissions;
    } else if (event.kind == EventKind::PageFaultReported) {
      const auto report = trace.at<ev::PageFaultReported>(index);
      on_fault(engines[engine_of(report)], report, index, judgement);
    } else if (event.kind == EventKind::FenceQueried) {
      const auto queried = trace.at<ev::FenceQueried>(index);
      if (queried.status != 0) return;
      on_last_completed(engines[engine_of(queried)], queried.fence, index,
                        fence::asked_at(trace, index), judgement);
    } else if (event.kind == EventKind::PreemptAsked) {
      Engine& engine = engines[engine_of(trace.at<ev::PreemptAsked>(index))];
      engine.asked = engine.submissions;
    } else if (event.kind == EventKind::Notified) {
      const auto report = trace.at<ev::Notified>(index);
      Engine& engine = engines[engine_of(report)];
      if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        on_last_completed(engine, report.last_completed, index, index, judgement);
        engine.preempted = {engine.position(report.last_completed), engine.asked, index};
      } else if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
        const std::uint32_t position = engine.position(report.fence);
        if (position > engine.completed.through) engine.completed = {0, position, index};
        const auto fault = engine.faults.find(position);
        if (fault == engine.faults.end()) return;
        judgement.fail(index, "the fence of a page fault is never reported again",
                       "DMA_COMPLETED for SubmissionFenceId " + std::to_string(report.fence),
                       {fault->second});
      }
    } else {
      engines.clear();  // the driver begins anew
    }
  });
}

// A driver that reports the completion of what has faulted as well.
class CompletesToo final : public Interposer {
 public:
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    Interposer::NotifyInterrupt(adapter, data);
    if (data->InterruptType != DXGK_INTERRUPT_DMA_PAGE_FAULTED) return;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA again{};
    again.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED;
    again.DmaCompleted.SubmissionFenceId = data->DmaPageFaulted.FaultedFenceId;
    again.DmaCompleted.NodeOrdinal = data->DmaPageFaulted.NodeOrdinal;
    again.DmaCompleted.EngineOrdinal = data->DmaPageFaulted.EngineOrdinal;
    Interposer::NotifyInterrupt(adapter, &again);
  }
};

const Rule kRule{
    .id = "MMU-014",
    .aliases = "INTR-011",
    .title = "Fence semantics of a page fault",
    .rule =
        "A page fault of a packet that is known names its fence, which from then on counts as "
        "completed: no report of completion or of another fault names it again, and no "
        "LastCompletedFenceId or CurrentFence is older. Nor is it one of a packet that was "
        "reported "
        "as completed before, or that the answer to a preemption gave back. Where the packet is "
        "not known, "
        "DXGK_PAGE_FAULT_FENCE_INVALID is set, FaultedFenceId is 0 and at least one bit asks for "
        "a reset or tells of broken hardware.",
    .sources =
        "ne-d3dkmdt-_dxgk_page_fault_flags.md # DXGK_PAGE_FAULT_FENCE_INVALID\n"
        "ns-d3dkmddi-_dxgkargcb_notify_interrupt_data.md # DmaPageFaulted.FaultedFenceId, "
        "DmaPreempted.EngineOrdinal",
    .note =
        "Older is what was submitted earlier; numbers may wrap. Whether a packet that an answer "
        "names "
        "as completed last may be said to have faulted behind it no page says. That completions "
        "tolerate a plain "
        "repeat of the last fence (FENCE-003) holds for fences that were reported as completed.",
    .unreached = "no page fault was reported",
    .applies = page_tables,
    .check = check,
    .played_in = {Configured::GpuVirtual, Configured::FourLevels},
    .scenario = R"(
about: the second of two packets faults, and the engine is preempted while a later one runs; then while a fault waits to be told
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- queue_depth: {packets: 2}
- render: {context: 2}
- spin: {units: 2}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- idle
- query_fence: {node: 0}
- render: {context: 2}
- spin: {units: 500}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
# While DPCs wait nobody resets the engine: the driver alone says what the fault has completed.
- create_device: {device: 2, process: 2}
- create_context: {context: 3, device: 2}
- create_allocation: {allocation: 2, place: local, device: 2}
- make_resident: {allocation: 2}
- free_address: {allocation: 2}
- idle
- render: {context: 3}
- spin: {units: 600}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 60}
- hold_dpcs
- advance: {units: 2000}
- query_fence: {node: 0}
- hold_dpcs: {on: false}
- idle
- query_fence: {node: 0}
# A preemption is asked for when the packet has faulted, and nobody was told.
- create_device: {device: 3, process: 3}
- create_context: {context: 4, device: 3}
- create_allocation: {allocation: 3, place: local, device: 3}
- make_resident: {allocation: 3}
- render: {context: 4}
- render: {context: 2}
- idle
- free_address: {allocation: 3}
- idle
- render: {context: 4}
- spin: {units: 600}
- bind: {slot: 1, allocation: 3}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 2}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 60}
- hold_interrupts
- advance: {units: 2000}
- preempt: {node: 0}
- hold_interrupts: {on: false}
- idle
)",
    .control = R"(
about: a packet behind the one that faulted completes
ops:
- create_context: {context: 1}
- create_device: {device: 1, process: 1}
- create_context: {context: 2, device: 1}
- create_allocation: {allocation: 1, place: local}
- make_resident: {allocation: 1}
- free_address: {allocation: 1}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 64, value: 0x55667788}
- render: {context: 2}
- spin: {units: 2}
- idle
)",
    .fault = {.about = "a packet that has faulted is reported as completed too",
              .interposer = [] { return std::unique_ptr<Interposer>(new CompletesToo); },
              .also_fires = "FENCE-002"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::mmu_014
