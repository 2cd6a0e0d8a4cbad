// CTX-001: an empty packet with ContextSwitch completes in its turn.
//
// What it leaves the engine in shows in what moves afterwards: VPAGE-011.

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/trace/names.h"

namespace wddm::ctx_001 {
namespace {

class Switches {
 public:
  Switches(const Trace& trace, Judgement& judgement) : trace_(trace), judgement_(judgement) {}

  void submitted(std::uint32_t index, const ev::Submitted& packet) {
    const bool early = early_.erase(packet.packet) != 0;
    if (packet.switches != 0 && !NT_SUCCESS(static_cast<NTSTATUS>(packet.status))) {
      judgement_.fail(index, "success for an empty packet with ContextSwitch",
                      status_name(packet.status));
      return;
    }
    if (early) {
      if (packet.switches != 0) judgement_.reached(index);
      return;
    }
    waiting_[packet.packet] = {engine_of(packet), index, packet.switches != 0};
  }
  // A driver may report a packet while it takes it.
  void ended(std::uint32_t index, const ev::PacketEnded& packet) {
    const auto found = waiting_.find(packet.packet);
    const bool completed = static_cast<PacketFate>(packet.fate) == PacketFate::Completed;
    if (found == waiting_.end()) {
      if (completed) early_.insert(packet.packet);
      return;
    }
    if (found->second.switches && completed) judgement_.reached(index);
    waiting_.erase(found);
  }
  // Only the oldest of an engine holds it up.
  void stuck(std::uint32_t index) {
    ScratchMap<EngineId, std::uint32_t> oldest;
    for (const auto& [packet, waiting] : waiting_) {
      const auto [found, is_first] = oldest.try_emplace(waiting.engine, packet);
      if (!is_first && waiting.submitted < waiting_.at(found->second).submitted) {
        found->second = packet;
      }
    }
    for (const auto& [engine, packet] : oldest) {
      const Waiting& waiting = waiting_.at(packet);
      if (!waiting.switches) continue;
      judgement_.fail(index, "the fence of an empty packet with ContextSwitch, as of any packet",
                      "packet " + std::to_string(packet) + " was not reported",
                      {waiting.submitted});
    }
    waiting_.clear();
  }
  void lost() { waiting_.clear(); }

 private:
  struct Waiting {
    EngineId engine;
    std::uint32_t submitted;
    bool switches;
  };
  const Trace& trace_;
  Judgement& judgement_;
  ScratchMap<std::uint32_t, Waiting> waiting_;  // by packet
  ScratchSet<std::uint32_t> early_;             // ended before they were submitted
};

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Switches switches(trace, judgement);
  for (const std::uint32_t index :
       trace.of_any<ev::Submitted, ev::PacketEnded, ev::Stuck, ev::AdapterReset>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      switches.submitted(index, trace.at<ev::Submitted>(index));
    } else if (event.kind == EventKind::PacketEnded) {
      switches.ended(index, trace.at<ev::PacketEnded>(index));
    } else if (event.kind == EventKind::Stuck && trace.at<ev::Stuck>(index).excused == 0) {
      switches.stuck(index);
    } else {
      switches.lost();
    }
  }
}

NotApplicable switching(const Platform& platform) {
  if (const NotApplicable reason = paging(platform)) return reason;
  if (const NotApplicable reason = submitting(platform)) return reason;
  return platform.scheduling.preemption_aware()
             ? nullptr
             : "not PreemptionAware: no context is left on request";
}

// A driver that finds nothing to do in an empty packet.
class HasNothingToDo final : public Interposer {
 public:
  NTSTATUS SubmitCommand(HANDLE adapter, const DXGKARG_SUBMITCOMMAND* submit) override {
    if (submit->Flags.ContextSwitch) return STATUS_SUCCESS;
    return Interposer::SubmitCommand(adapter, submit);
  }
  NTSTATUS SubmitCommandVirtual(HANDLE adapter,
                                const DXGKARG_SUBMITCOMMANDVIRTUAL* submit) override {
    if (submit->Flags.ContextSwitch) return STATUS_SUCCESS;
    return Interposer::SubmitCommandVirtual(adapter, submit);
  }
};

const Rule kRule{
    .id = "CTX-001",
    .title = "Empty packets that leave a context are completed",
    .rule =
        "With Flags.ContextSwitch a packet has no commands: the engine leaves the context that it "
        "is in for the null context. The driver takes it, also with Paging beside ContextSwitch "
        "and no context, and reports its fence in its turn.",
    .sources =
        "ns-d3dkmddi-_dxgk_submitcommandflags.md # ContextSwitch\n"
        "gpu-preemption.md # Driver implementation steps (4)",
    .note =
        "That the fence is reported follows from its being a submission. No document says what "
        "hContext is: here the context that is left, as of any packet that is not paging, without "
        "a buffer at an address of its process. Where paging or the null context is left it is "
        "NULL, or with GPU virtual addresses the system context. That nothing is fetched is "
        "SUBMIT-002.",
    .applies = switching,
    .check = check,
    .played_in = ConfigurationSet{Configured::Default, Configured::NoDmaPatching,
                                  Configured::GpuVirtual, Configured::ContextAllocations},
    .scenario = R"(
about: an engine leaves a context, the null context, and paging; then a context behind a packet that runs, on two engines
ops:
- create_context: {context: 1}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- switch_context: {node: 0}
- switch_context: {node: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
- fill_memory: {allocation: 1, pattern: 0x33333333}
- switch_context: {node: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 0, value: 1}
- idle
# Its turn is behind a packet that runs, and ahead of one that waits.
- queue_depth: {packets: 3}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- spin: {units: 300}
- add: {slot: 1, offset: 4, value: 1}
- advance: {units: 10}
- advance: {units: 10}
- advance: {units: 40}
- switch_context: {node: 0}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- add: {slot: 1, offset: 8, value: 1}
- advance: {units: 10}
- idle
# On a driver with one node what this context does is skipped.
- create_context: {context: 2, node: 1}
- create_allocation: {allocation: 2, place: local}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x44444444}
- idle
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- spin: {units: 300}
- add: {slot: 1, offset: 0, value: 1}
- advance: {units: 10}
- advance: {units: 40}
- switch_context: {node: 1}
- render: {context: 2}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 4, value: 1}
- idle
# The context that it was in last is gone.
- destroy_context: {context: 2}
- switch_context: {node: 1}
- idle
- preempt: {node: 1}
- idle
- create_context: {context: 3, node: 1}
- render: {context: 3}
- bind: {slot: 1, allocation: 2}
- add: {slot: 1, offset: 8, value: 1}
- idle
)",
    .control = R"(
about: contexts follow each other
ops:
- create_context: {context: 1}
- create_context: {context: 2}
- create_allocation: {allocation: 1, place: local}
- render: {context: 1}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x11111111}
- render: {context: 2}
- bind: {slot: 1, allocation: 1}
- fill: {slot: 1, offset: 0, size: 4096, value: 0x22222222}
- idle
)",
    .fault = {.about = "packets with ContextSwitch are not queued",
              .interposer = [] { return std::unique_ptr<Interposer>(new HasNothingToDo); },
              .also_fires = "FENCE-001"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::ctx_001
