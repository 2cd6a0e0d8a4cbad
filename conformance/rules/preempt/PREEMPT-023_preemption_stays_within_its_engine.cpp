// PREEMPT-023: a preemption stops nothing on other engines.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/device_tells.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"
#include "reference/is_any_of.h"

namespace wddm::preempt_023 {
namespace {

constexpr auto kPreempt = static_cast<std::uint32_t>(DdiId::PreemptCommand);

// Calls that may stop any engine.
bool stops_engines(std::uint32_t ddi) {
  return is_any_of(static_cast<DdiId>(ddi), DdiId::ResetEngine, DdiId::ResetFromTimeout,
                   DdiId::CancelCommand, DdiId::SetPowerState, DdiId::StopDevice);
}

class Engines {
 public:
  explicit Engines(Judgement& judgement) : judgement_(judgement) {}

  void preempt(std::uint32_t index, EngineId engine) {
    asked_[engine] = index;
    may_stop_.insert(engine);
  }
  void answered(std::uint32_t index, EngineId engine) {
    if (asked_.erase(engine) == 0) return;
    const bool beside = std::any_of(running_.begin(), running_.end(), [&](const auto& one) {
      return one.first != engine && !may_stop_.contains(one.first);
    });
    if (beside) judgement_.reached(index);
  }
  void submitted(EngineId engine) { may_stop_.erase(engine); }
  /// Whatever stops now may have other reasons.
  void lose_track() {
    asked_.clear();
    running_.clear();
  }
  void logged(std::uint32_t index, const ev::DeviceLogged& record) {
    const EngineId engine = engine_of(record);
    if (record.kind == WDDM_DEVICE_PACKET_BEGIN) {
      running_[engine] = index;
    } else if (record.kind == WDDM_DEVICE_PACKET_END) {
      running_.erase(engine);
    } else if (record.kind == WDDM_DEVICE_PACKET_STOPPED) {
      running_.erase(engine);
      if (!asked_.empty() && !may_stop_.contains(engine)) fail(index, record);
    } else if (record.kind == WDDM_DEVICE_PAGE_FAULT || record.kind == WDDM_DEVICE_FAULT) {
      lose_track();
    }
  }

 private:
  void fail(std::uint32_t index, const ev::DeviceLogged& record) {
    const auto& [engine, asked] = *asked_.begin();
    judgement_.fail(index,
                    "a preemption of node " + std::to_string(engine.node.value) +
                        " leaves the packets of other engines alone",
                    "node " + std::to_string(record.node) + " stops SubmissionFenceId " +
                        std::to_string(record.tag),
                    {asked});
  }

  Judgement& judgement_;
  ScratchMap<EngineId, std::uint32_t> asked_;    // PreemptCommand that is not answered
  ScratchMap<EngineId, std::uint32_t> running_;  // PACKET_BEGIN of what is on it
  ScratchSet<EngineId> may_stop_;                // preempted, and given no packet since
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  if (!device_tells(trace, WDDM_DEVICE_PACKET_STOPPED)) return;
  Engines engines(judgement);
  using OfIommu = ev::IommuFaulted;  // which the device need not log
  in_order_of_calls<ev::DdiEntered, ev::Notified, ev::DeviceLogged, OfIommu>(
      trace, [&](auto index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::IommuFaulted) {
          engines.lose_track();
        } else if (event.kind == EventKind::Submitted) {
          engines.submitted(engine_of(trace.at<ev::Submitted>(index)));
        } else if (event.kind == EventKind::DdiEntered) {
          const std::uint32_t ddi = Trace::as<ev::DdiEntered>(event).ddi;
          if (stops_engines(ddi)) engines.lose_track();
          if (ddi != kPreempt) return;
          const auto arguments = trace.blob<ddi_arguments::PreemptCommand>(event);
          if (!arguments.empty()) engines.preempt(index, engine_of(arguments.front()));
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED)
            engines.answered(index, engine_of(report));
        } else {
          engines.logged(index, Trace::as<ev::DeviceLogged>(event));
        }
      });
}

// A driver whose hardware can only stop all nodes; it tells of the one that it was asked for, and
// gives the other its packets again.
class StopsBoth final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == kOther) packets_.push_back(*submit);
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    const NTSTATUS status = Interposer::PreemptCommand(adapter, preempt);
    if (preempt->NodeOrdinal == kOther || packets_.empty()) return status;
    adapter_ = adapter;
    DXGKARG_PREEMPTCOMMAND other = *preempt;
    other.NodeOrdinal = kOther;
    other.PreemptionFenceId = kOwnFence;
    static_cast<void>(Interposer::PreemptCommand(adapter, &other));
    return status;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == kOther) {
      forget_through(data->DmaCompleted.SubmissionFenceId);
    } else if (data->InterruptType == DXGK_INTERRUPT_DMA_PREEMPTED &&
               data->DmaPreempted.PreemptionFenceId == kOwnFence) {
      forget_through(data->DmaPreempted.LastCompletedFenceId);
      again_ = true;
      return;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    Interposer::NotifyDpc(adapter);
    if (!again_) return;
    again_ = false;
    for (DXGKARG_SUBMITCOMMAND packet : packets_) {
      packet.Flags.Resubmission = 1;
      static_cast<void>(Interposer::SubmitCommand(adapter_, &packet));
    }
  }

 private:
  void forget_through(UINT fence) {
    const auto found = std::find_if(packets_.begin(), packets_.end(), [fence](const auto& one) {
      return one.SubmissionFenceId == fence;
    });
    if (found != packets_.end()) packets_.erase(packets_.begin(), found + 1);
  }

  static constexpr UINT kOther = 1, kOwnFence = 0x7fff0001;
  HANDLE adapter_ = nullptr;
  std::vector<DXGKARG_SUBMITCOMMAND> packets_;
  bool again_ = false;
};

NotApplicable several_engines_with_log(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (platform.nodes < 2 && platform.linked_adapters < 2) return "one engine: there is no other";
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "PREEMPT-023",
    .title = "Preemption stays within its engine",
    .evidence = Evidence::DeviceLog,
    .rule =
        "PreemptCommand names a node and an engine of it. Until it is answered no packet of any "
        "other engine is stopped: that goes on, and ends once.",
    .sources =
        "ns-d3dkmddi-_dxgkarg_preemptcommand.md # NodeOrdinal, EngineOrdinal\n"
        "mcdm-architecture.md # Engine",
    .note =
        "Judged is what the device logs as stopped on engines that were not preempted, while "
        "nothing is reset or faults; a device that logs no packet as stopped shows nothing. That "
        "none of their packets is reported as preempted is PREEMPT-005, and that they end once "
        "SUBMIT-016.",
    .unreached =
        "no packet was stopped, by the device's log, or no other engine worked at the time",
    .applies = several_engines_with_log,
    .check = check,
    .played_in = kBothAddressings | ConfigurationSet{Configured::Linked},
    .scenario = R"(
about: two busy nodes, of which one is preempted
ops:
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 1}
- idle
- queue_depth: {packets: 2}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 200}
- render: {context: 1}
- spin: {units: 5}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
# Packets are given to the other while the answer waits to be told.
- render: {context: 0}
- spin: {units: 3000}
- advance: {units: 20}
- advance: {units: 20}
- advance: {units: 20}
- hold_interrupts
- preempt: {node: 0}
- render: {context: 1}
- spin: {units: 20}
- advance: {units: 20}
- render: {context: 1}
- spin: {units: 20}
- advance: {units: 200}
- hold_interrupts: {on: false}
- idle
# Of a link the same node of both GPUs, of which the second is preempted.
- physical_adapter: {index: 1}
- create_context: {context: 2}
- render: {context: 2}
- idle
- render: {context: 0}
- spin: {units: 1500}
- render: {context: 2}
- spin: {units: 1000}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- advance: {units: 100}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: both are preempted
ops:
- create_context: {context: 0}
- create_context: {context: 1, node: 1}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 1}
- spin: {units: 200}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 1}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the other node is stopped too, and given its packets once more",
              .interposer = [] { return std::unique_ptr<Interposer>(new StopsBoth); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_023
