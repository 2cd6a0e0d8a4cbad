// SYNC-002: a packet that stalls on a hardware semaphore can be preempted.

#include <algorithm>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/rules/sync/rendered_commands.h"

namespace wddm::sync_002 {
namespace {

using sync::Commands;

// The packets that an engine has, by ordinal, and what it was asked.
struct Engine {
  struct Packet {
    std::uint32_t ordinal;
    Commands commands;
  };
  ScratchVector<Packet> packets;       // oldest first
  ScratchSet<std::uint32_t> answered;  // requests
  std::uint32_t asked = kNone;         // PreemptAsked that has no answer

  // Nothing but the semaphore holds it up.
  [[nodiscard]] bool stalls() const {
    return !packets.empty() && packets.front().commands.waits &&
           std::none_of(packets.begin(), packets.end(),
                        [](const Packet& one) { return one.commands.works; });
  }
  void forget(std::uint32_t ordinal) {
    std::erase_if(packets, [ordinal](const Packet& one) { return one.ordinal == ordinal; });
  }
};

// Nobody can tell which semaphore it is: it counts as reached from the first signal on.
void check(const Trace& trace, const Platform&, Judgement& judgement) {
  sync::Renders renders;
  ScratchMap<EngineId, Engine> engines;
  bool over = false;  // somebody signals, or commands are not what they were
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::OpStarted, ev::RenderCalled, ev::BufferBuilt, ev::PreemptAsked,
                    ev::Notified, ev::PacketEnded, ev::Stuck, ev::EngineReset, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    if (over) return;
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::OpStarted) {
      const auto kind = static_cast<OpKind>(Trace::as<ev::OpStarted>(event).kind);
      over = sync::alters_commands(kind);
      renders.on(kind);
    } else if (event.kind == EventKind::RenderCalled) {
      renders.built(trace.at<ev::RenderCalled>(index).render);
    } else if (event.kind == EventKind::BufferBuilt) {
      renders.built(Trace::as<ev::BufferBuilt>(event).render);
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      const Commands commands = renders.of(packet);
      over = commands.signals;
      if (packet.status == 0) {
        engines[engine_of(packet)].packets.push_back({packet.packet, commands});
      }
    } else if (event.kind == EventKind::PreemptAsked) {
      const auto asked = Trace::as<ev::PreemptAsked>(event);
      Engine& engine = engines[engine_of(asked)];
      if (!engine.answered.contains(asked.fence)) engine.asked = index;
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) return;
      Engine& engine = engines[engine_of(report)];
      engine.answered.insert(report.fence);
      engine.asked = kNone;
    } else if (event.kind == EventKind::PacketEnded) {
      const auto packet = Trace::as<ev::PacketEnded>(event);
      Engine& engine = engines[engine_of(packet)];
      const bool preempted = packet.fate == static_cast<std::uint32_t>(PacketFate::Preempted);
      const bool first = !engine.packets.empty() && engine.packets[0].ordinal == packet.packet;
      if (preempted && first && engine.stalls()) judgement.reached(index);
      engine.forget(packet.packet);
    } else if (event.kind == EventKind::Stuck) {
      for (const auto& [id, engine] : engines) {
        if (engine.asked == kNone || !engine.stalls()) continue;
        judgement.fail(engine.asked,
                       "a packet that waits for a semaphore is preempted before that is signalled",
                       "DMA_PREEMPTED never came", {index});
      }
      engines.clear();
    } else {
      engines.clear();
    }
  });
}

// A driver whose engine looks for requests between two packets.
class LooksBetweenPackets final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->NodeOrdinal == 0) last_ = submit->SubmissionFenceId;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS PreemptCommand(HANDLE adapter, const DXGKARG_PREEMPTCOMMAND* preempt) override {
    const bool busy = preempt->NodeOrdinal == 0 && completed_ != last_;
    return busy ? STATUS_SUCCESS : Interposer::PreemptCommand(adapter, preempt);
  }
  void NotifyInterrupt(HANDLE adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA* data) override {
    if (data->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
        data->DmaCompleted.NodeOrdinal == 0) {
      completed_ = data->DmaCompleted.SubmissionFenceId;
    }
    Interposer::NotifyInterrupt(adapter, data);
  }

 private:
  UINT last_ = 0, completed_ = 0;
};

NotApplicable stopping_waits(const Platform& platform) {
  if (const NotApplicable reason = running_commands(platform)) return reason;
  if (const NotApplicable reason = needs(platform, DdiId::PreemptCommand)) return reason;
  return platform.scheduling.preemption_aware() ? nullptr : "PreemptionAware is 0";
}

const Rule kRule{
    .id = "SYNC-002",
    .title = "A hardware wait can be preempted before it is satisfied",
    .rule =
        "A packet that stalls on a hardware semaphore is preempted like any other: PreemptCommand "
        "is answered although the semaphore has not been signalled, and the packet goes back to "
        "Windows.",
    .sources =
        "gpu-preemption.md # Memory mapping considerations (signal on submit, hardware wait)",
    .note =
        "Who is to signal may be waiting behind it on the same engine. Judged are requests that "
        "find a waiting packet first, before any packet with a signal has been submitted; of "
        "drivers whose clients have no such commands nothing is.",
    .applies = stopping_waits,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: a packet waits; the one that signals is submitted once it has been preempted
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
    .control = R"(
about: nothing is preempted; another packet of the queue was to signal, and comes first; the last semaphore that there may be
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 1}
- signal: {semaphore: 1, value: 1}
- idle
- render: {context: 0}
- wait: {semaphore: 1, value: 1}
- idle
# A client of fewer semaphores does not build it.
- render: {context: 1}
- signal: {semaphore: 63, value: 2}
- idle
- render: {context: 0}
- wait: {semaphore: 63, value: 2}
- idle
)",
    .fault = {.about = "a request that comes in the middle of a packet is forgotten",
              .interposer = [] { return std::unique_ptr<Interposer>(new LooksBetweenPackets); }}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::sync_002
