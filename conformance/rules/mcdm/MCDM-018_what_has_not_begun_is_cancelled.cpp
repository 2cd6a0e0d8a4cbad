// MCDM-018: what an engine has not begun when it is preempted, it does not begin.

#include <algorithm>

#include "conformance/rules/mcdm/compute_only.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm {
namespace {

// One packet may begin while the request is on its way to the hardware.
constexpr std::uint32_t kOnItsWay = 1;

struct Engine {
  ScratchSet<std::uint32_t> waiting;   // fences that the device has not begun
  std::uint32_t asked = kNone;         // PreemptAsked that is not answered
  std::uint32_t begun = 0;             // packets since
  bool several = false;                // more wait than may begin
  ScratchSet<std::uint32_t> answered;  // requests
};

// That the granularity is not NONE is CAPS-007, that reports are in order FENCE-002.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PreemptAsked, ev::Notified, ev::DeviceLogged, ev::EngineReset,
                    ev::AdapterReset, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      if (packet.status == 0) engines[engine_of(packet)].waiting.insert(packet.fence);
    } else if (event.kind == EventKind::PreemptAsked) {
      const auto asked = Trace::as<ev::PreemptAsked>(event);
      Engine& engine = engines[engine_of(asked)];
      if (engine.answered.contains(asked.fence)) return;  // before the call returned
      engine.asked = index;
      engine.begun = 0;
      engine.several = engine.waiting.size() > kOnItsWay;
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      Engine& engine = engines[engine_of(report)];
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
        engine.waiting.erase(report.fence);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        if (engine.asked != kNone && engine.several) judgement.reached(index);
        engine.answered.insert(report.fence);
        engine.waiting.clear();
        engine.asked = kNone;
      }
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind != WDDM_DEVICE_PACKET_BEGIN) return;
      Engine& engine = engines[engine_of(record)];
      if (engine.waiting.erase(record.tag) == 0 || engine.asked == kNone) return;
      if (++engine.begun <= kOnItsWay) return;
      judgement.fail(index, "packets that have not begun when PreemptCommand returns are cancelled",
                     "the engine has begun " + std::to_string(engine.begun) +
                         " of them, the last with SubmissionFenceId " + std::to_string(record.tag),
                     {engine.asked});
    } else if (event.kind == EventKind::EngineReset) {
      engines.erase(engine_of(Trace::as<ev::EngineReset>(event)));
    } else {
      engines.clear();
    }
  });
}

// A driver that waits until its hardware has nothing to do.
class LetsAllRun final : public Interposer {
 public:
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->NodeOrdinal == 0) last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    if (preempt->NodeOrdinal != 0 || completed_ == last_) {
      return Interposer::PreemptCommand(adapter, preempt);
    }
    adapter_ = adapter;
    request_ = *preempt;
    waits_ = true;
    return STATUS_SUCCESS;
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }
  void NotifyDpc(HANDLE adapter) override {
    Interposer::NotifyDpc(adapter);
    if (!waits_ || completed_ != last_) return;
    waits_ = false;
    static_cast<void>(Interposer::PreemptCommand(adapter_, &request_));
  }

 private:
  UINT last_ = 0, completed_ = 0;
  HANDLE adapter_ = nullptr;
  DXGKARG_PREEMPTCOMMAND request_{};
  bool waits_ = false;
};

NotApplicable computing_with_log(const Platform& platform) {
  if (const NotApplicable reason = compute::only(platform)) return reason;
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.has_device_log ? nullptr : "no device log";
}

const Rule kRule{
    .id = "MCDM-018",
    .title = "Packets that have not begun can always be cancelled",
    .evidence = Evidence::DeviceLog,
    .rule =
        "When an engine of a device that only computes is preempted, what it works on may come to "
        "its end; packets that it has not begun are cancelled, and do not begin until they are "
        "submitted again.",
    .sources =
        "mcdm-architecture.md # Preemption\n"
        "mcdm-implementation-guidelines.md # Driver capability requirements",
    .note =
        "One packet may begin between the return of PreemptCommand and the answer: the request is "
        "on its way to the hardware then. Judged where two or more wait.",
    .applies = computing_with_log,
    .check = check,
    .played_in = compute::kPlayedIn,
    .scenario = R"(
about: one packet runs and three wait when the engine is preempted
ops:
- create_context: {context: 0}
- queue_depth: {packets: 4}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 100}
- render: {context: 0}
- spin: {units: 50}
- render: {context: 0}
- spin: {units: 50}
- render: {context: 0}
- spin: {units: 50}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: the only packet runs
ops:
- create_context: {context: 0}
- render: {context: 0}
- spin: {units: 100}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "the request waits until all packets have run",
              .interposer = [] { return std::unique_ptr<Interposer>(new LetsAllRun); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm
