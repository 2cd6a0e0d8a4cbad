// SYNC-003: a packet that was preempted while it waited waits again.

#include <algorithm>
#include <vector>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/sync/rendered_commands.h"

namespace wddm::sync_003 {
namespace {

enum class Came { Anew, Back, Again };

// A packet that nothing but a semaphore holds up.
struct Waiting {
  EngineId engine{};
  Came came = Came::Anew;
  std::uint32_t submitted = kNone;
  // Since then its engine, on which it was the only packet, had time and did nothing.
  bool stalled = false;
};

// Nobody can tell which semaphore it is: it counts as reached from the first signal on.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  sync::Renders renders;
  ScratchMap<std::uint32_t, Waiting> waiting;            // by packet
  ScratchMap<EngineId, ScratchSet<std::uint32_t>> held;  // packets that are submitted
  ScratchSet<EngineId>
      asked;  // to be preempted, and given no packet since: they may stand for that
  bool signalled = false;
  bool over = false;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::OpStarted, ev::RenderCalled, ev::BufferBuilt, ev::PreemptAsked,
                    ev::GpuAdvanced, ev::PacketEnded, ev::EngineReset, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    if (over) return;
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      over = sync::alters_commands(kind) ||
             is_any_of(kind, OpKind::NullRendering, OpKind::AdvanceInside);
      renders.on(kind);
    } else if (event.kind == EventKind::RenderCalled) {
      renders.built(trace.at<ev::RenderCalled>(index).render);
    } else if (event.kind == EventKind::BufferBuilt) {
      renders.built(Trace::as<ev::BufferBuilt>(event).render);
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      const sync::Commands commands = renders.of(packet);
      signalled |= commands.signals;
      asked.erase(engine_of(packet));
      if (packet.status != 0) return;
      held[engine_of(packet)].insert(packet.packet);
      if (!commands.waits) return;
      Waiting& one = waiting[packet.packet];
      const Came came = one.came == Came::Back ? Came::Again : Came::Anew;
      one = {.engine = engine_of(packet), .came = came, .submitted = index};
    } else if (event.kind == EventKind::PreemptAsked) {
      asked.insert(engine_of(Trace::as<ev::PreemptAsked>(event)));
    } else if (event.kind == EventKind::GpuAdvanced) {
      const auto advanced = Trace::as<ev::GpuAdvanced>(event);
      if (advanced.units == 0 || advanced.used != 0 || signalled) return;
      for (auto& [packet, one] : waiting) {
        const bool runs = one.came != Came::Back && !asked.contains(one.engine);
        one.stalled |= runs && held[one.engine].size() == 1;
      }
    } else if (event.kind == EventKind::PacketEnded) {
      const auto ended = Trace::as<ev::PacketEnded>(event);
      held[engine_of(ended)].erase(ended.packet);
      const auto found = waiting.find(ended.packet);
      if (found == waiting.end()) return;
      Waiting& one = found->second;
      if (ended.fate == static_cast<std::uint32_t>(PacketFate::Preempted)) {
        // Where nobody saw it wait it may have had nothing to wait for.
        if (one.stalled && one.came == Came::Again) judgement.reached(index);
        if (one.stalled) one.came = Came::Back;
        if (!one.stalled) waiting.erase(found);
        return;
      }
      const bool completed = ended.fate == static_cast<std::uint32_t>(PacketFate::Completed);
      if (completed && one.came == Came::Again) {
        if (one.stalled) judgement.reached(index);
        if (!signalled) {
          judgement.fail(index,
                         "a packet that was preempted while it waited waits again until the "
                         "semaphore is signalled",
                         "it is completed, and nobody has signalled", {one.submitted});
        }
      }
      waiting.erase(found);
    } else {
      waiting.clear();
      held.clear();
    }
  });
}

// A driver that lets a packet go on behind what it was stopped in, where that was its last command.
class GoesOnBehindTheWait final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    const auto place = static_cast<std::uint64_t>(submit->DmaBufferPhysicalAddress.QuadPart);
    DXGKARG_SUBMITCOMMAND altered = *submit;
    if (!submit->Flags.Paging && preempted_ && place == last_) altered.Flags.NullRendering = 1;
    note(place, submit->Flags.Paging != 0);
    return Interposer::SubmitCommand(adapter, &altered);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    DXGKARG_SUBMITCOMMANDVIRTUAL altered = *submit;
    if (!submit->Flags.Paging && submit->Flags.Resubmission) altered.Flags.NullRendering = 1;
    return Interposer::SubmitCommandVirtual(adapter, &altered);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    preempted_ = true;
    return Interposer::PreemptCommand(adapter, preempt);
  }

 private:
  void note(std::uint64_t place, bool paging) {
    if (paging) return;
    last_ = place;
    preempted_ = false;
  }
  std::uint64_t last_ = 0;
  bool preempted_ = false;
};

NotApplicable stopping_waits(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  if (!platform.has_device) return "no device: nobody counts how long its engines work";
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "SYNC-003",
    .title = "A preempted wait still waits after resubmission",
    .rule =
        "When a packet that was preempted in a wait runs again, the wait is evaluated again: what "
        "stands behind it runs only once the semaphore has its value.",
    .sources =
        "mcdm-architecture.md # Preemption\n"
        "gpu-preemption.md # Memory mapping considerations (signal on submit, hardware wait)",
    .note =
        "Judged are packets that came back once the device had time and did nothing, and were "
        "submitted again before any packet with a signal was. That one does not wait on although "
        "it need not is FENCE-001.",
    .applies = stopping_waits,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: a packet waits, is stopped, and waits again for longer than it needs to run
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- wait: {semaphore: 1, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- preempt: {node: 0}
- advance: {units: 40}
- advance: {units: 40}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 40}
- render: {context: 1}
- signal: {semaphore: 1, value: 1}
- advance: {units: 40}
- keep_stopped: {on: false}
- idle
# What stands before the wait is done once. Nothing of the allocation moves meanwhile.
- create_context: {context: 6, node: 1}
- render: {context: 6}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- fill: {slot: 0, offset: 120, size: 8, value: 5}
- idle
- render: {context: 0}
- bind: {slot: 0, allocation: 0}
- add: {slot: 0, offset: 120, value: 1}
- wait: {semaphore: 3, value: 5}
- add: {slot: 0, offset: 124, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 300}
- preempt: {node: 0}
- advance: {units: 20}
- render: {context: 6}
- signal: {semaphore: 3, value: 5}
- idle
)",
    .control = R"(
about: the semaphore is signalled while the packet is off the engine
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- wait: {semaphore: 1, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 40}
- render: {context: 1}
- signal: {semaphore: 1, value: 1}
- advance: {units: 40}
- keep_stopped: {on: false}
- idle
)",
    .fault = {.about = "a packet that was stopped in a wait goes on behind it",
              .interposer = [] { return std::unique_ptr<Interposer>(new GoesOnBehindTheWait); },
              .also_fires = "FENCE-002 PREEMPT-015 SUBMIT-002 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::sync_003
