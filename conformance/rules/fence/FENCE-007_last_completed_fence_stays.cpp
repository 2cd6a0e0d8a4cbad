// FENCE-007: while an engine is at rest its last completed fence stays what it is.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"

namespace wddm {
namespace {

// What a driver names is compared with what it has named before, across calls that complete
// nothing. Before any packet has completed nobody says what it is.
class Engine {
 public:
  void submit(const ev::Submitted& packet) {
    given_ = packet.fence;
    // One that is refused completes without a report: SUBMIT-008.
    at_rest_ = false;
    refused_ = packet.status != 0;
  }
  void complete(std::uint32_t index, std::uint32_t fence) {
    at_rest_ = fence == given_ && !refused_;
    name(index, fence);
  }
  void preempted(std::uint32_t index, std::uint32_t last_completed, Judgement& judgement) {
    judge(index, "LastCompletedFenceId", last_completed, judgement);
    if (named_by_ == kNone) return;
    if (!at_rest_) name(index, last_completed);
    at_rest_ = !refused_;  // what was left is Windows's again
    happened_ = index;
  }
  void queried(std::uint32_t index, std::uint32_t fence, Judgement& judgement) const {
    judge(index, "CurrentFence", fence, judgement);
  }
  /// A call that completes no packet.
  void happened(std::uint32_t index) { happened_ = index; }

 private:
  void name(std::uint32_t index, std::uint32_t fence) {
    named_ = fence;
    named_by_ = index;
    happened_ = kNone;
  }
  void judge(std::uint32_t index, const char* what, std::uint32_t fence,
             Judgement& judgement) const {
    if (!at_rest_ || named_by_ == kNone || happened_ == kNone) return;
    judgement.reached(index);
    if (fence == named_) return;
    judgement.fail(index,
                   "the last completed fence is still " + std::to_string(named_) +
                       ", since nothing has completed",
                   std::string(what) + ' ' + std::to_string(fence), {named_by_, happened_});
  }

  std::uint32_t given_ = 0;  // fence of the last packet
  bool refused_ = false;     // ... by the driver
  bool at_rest_ = false;     // all that was given has been reported
  std::uint32_t named_ = 0;
  std::uint32_t named_by_ = kNone;  // Notified
  std::uint32_t happened_ = kNone;  // since
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::FenceQueried, ev::PowerChanged, ev::EngineReset,
                    ev::AdapterReset, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      engines[engine_of(packet)].submit(packet);
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      const EngineId engine = engine_of(report);
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
        engines[engine].complete(index, report.fence);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        engines[engine].preempted(index, report.last_completed, judgement);
      } else if (report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        engines.erase(engine);
      }
    } else if (event.kind == EventKind::FenceQueried) {
      const auto query = Trace::as<ev::FenceQueried>(event);
      if (query.status == 0) engines[engine_of(query)].queried(index, query.fence, judgement);
    } else if (event.kind == EventKind::PowerChanged) {
      for (auto& [id, engine] : engines) engine.happened(index);
    } else if (event.kind == EventKind::EngineReset) {
      engines.erase(engine_of(Trace::as<ev::EngineReset>(event)));  // ENGRST-003
    } else {
      engines.clear();  // TDR-002
    }
  });
}

// A driver that finds its fence in memory of the device, which has lost it.
class LosesItsFence final : public Interposer {
 public:
  NTSTATUS SetPowerState(PVOID context, ULONG device, DEVICE_POWER_STATE state,
                         POWER_ACTION action) override {
    lost_ = true;
    return Interposer::SetPowerState(context, device, state, action);
  }
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    lost_ = false;
    return Interposer::SubmitCommand(adapter, submit);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    DXGKARGCB_NOTIFY_INTERRUPT_DATA altered = *data;
    if (lost_ && data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED) {
      altered.DmaPreempted.LastCompletedFenceId = 0;
    }
    Interposer::NotifyInterrupt(adapter, &altered);
  }

 private:
  bool lost_ = false;
};

NotApplicable naming_fences(const Platform& platform) {
  if (const NotApplicable reason = submitting(platform)) return reason;
  return needs(platform, DdiId::PreemptCommand);
}

const Rule kRule{
    .id = "FENCE-007",
    .title = "The last completed fence moves only when something completes",
    .rule =
        "The last completed fence of an engine moves when a packet completes and when the engine "
        "or the adapter is reset. Preemptions that find nothing, and power that goes and comes "
        "back, leave it alone: LastCompletedFenceId and CurrentFence name it as before.",
    .sources = "tdr-changes-in-windows-8.md # Calling sequence to reset an engine",
    .note =
        "Nothing says what it is before the first packet has completed. What it becomes by a reset "
        "is ENGRST-003 and TDR-002, by a refused packet SUBMIT-008.",
    .applies = naming_fences,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: an engine at rest is preempted and asked while another works, and after power was gone
ops:
- create_context: {context: 0}
# On a driver with one node what the second context does is skipped.
- create_context: {context: 1, node: 1}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
- render: {context: 1}
- idle
- preempt: {node: 0}
- idle
- power_cycle
- query_fence: {node: 0}
- preempt: {node: 0}
- idle
- query_fence: {node: 0}
)",
    .control = R"(
about: a packet completes in between
ops:
- create_context: {context: 0}
- render: {context: 0}
- idle
- preempt: {node: 0}
- idle
- render: {context: 0}
- idle
- query_fence: {node: 0}
)",
    .fault = {.about = "after power was gone the last completed fence is 0",
              .interposer = [] { return std::unique_ptr<Interposer>(new LosesItsFence); },
              .also_fires = "PREEMPT-006"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
