// SCHED-008: what was preempted is submitted again, in its order, and nothing else is.

#include "conformance/rules/preempt/resubmissions.h"

namespace wddm::sched_008 {
namespace {

struct Packet {
  std::uint32_t context = kNone;
  bool paging = false;
  std::uint32_t on_hardware = kNone;  // Submitted
  std::uint32_t returned = kNone;     // PacketEnded
};

// By ordinal, which grows in the order of each context.
using Packets = ScratchMap<std::uint32_t, Packet>;

void judge_order(const Packets& packets, const ev::Submitted& submitted, std::uint32_t index,
                 Judgement& judgement) {
  if (submitted.paging != 0) return;
  for (const auto& [ordinal, one] : packets) {
    if (ordinal >= submitted.packet) return;
    if (one.paging || one.context != submitted.context || one.returned == kNone) continue;
    judgement.fail(index, "packets of a context in their order",
                   "packet " + std::to_string(submitted.packet) + " before packet " +
                       std::to_string(ordinal) + ", which came back",
                   {one.returned});
    return;
  }
}

// Nothing is on the hardware, nobody owes an answer: what came back could be submitted.
void judge_lost(const Packets& packets, std::uint32_t index, Judgement& judgement) {
  for (const auto& [ordinal, one] : packets) {
    if (one.on_hardware != kNone) return;
  }
  for (const auto& [ordinal, one] : packets) {
    if (one.returned == kNone) continue;
    judgement.fail(index, "packets that were preempted are submitted again",
                   "packet " + std::to_string(ordinal) + " is not", {one.returned});
    return;
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  Packets packets;
  ScratchMap<std::uint32_t, std::uint32_t> completed;  // packet: PacketEnded
  preempt::OwedAnswers owed;
  ScratchMap<std::uint16_t, std::uint32_t> inside;  // threads in a call of the driver
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PreemptAsked, ev::ReportJudged, ev::PacketEnded, ev::EngineReset,
                    ev::AdapterReset, ev::Stuck, ev::DdiEntered, ev::DdiReturned, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto submitted = trace.at<ev::Submitted>(index);
          judge_order(packets, submitted, index, judgement);
          Packet& packet = packets[submitted.packet];
          if (packet.returned != kNone) judgement.reached(index);
          packet = {
              .context = submitted.context, .paging = submitted.paging != 0, .on_hardware = index};
          const auto over = completed.find(submitted.packet);
          if (over == completed.end()) return;
          judgement.fail(index, "packets that are completed are not submitted again",
                         "packet " + std::to_string(submitted.packet), {over->second});
        } else if (event.kind == EventKind::PreemptAsked) {
          owed.asked(Trace::as<ev::PreemptAsked>(event));
        } else if (event.kind == EventKind::ReportJudged) {
          owed.judged(Trace::as<ev::ReportJudged>(event));
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          const auto found = packets.find(ended.packet);
          if (found == packets.end()) return;
          if (ended.fate == static_cast<std::uint32_t>(PacketFate::Preempted)) {
            found->second.on_hardware = kNone;
            found->second.returned = index;
          } else {
            packets.erase(found);
            if (ended.fate == static_cast<std::uint32_t>(PacketFate::Completed)) {
              completed[ended.packet] = index;
            }
          }
        } else if (event.kind == EventKind::EngineReset) {
          owed.settle(engine_of(Trace::as<ev::EngineReset>(event)));
        } else if (event.kind == EventKind::Stuck) {
          // Who never returns from a call keeps our host from going on (TDR-006).
          if (owed.none() && inside.empty()) judge_lost(packets, index, judgement);
        } else if (event.kind == EventKind::DdiEntered) {
          ++inside[event.thread];
        } else if (event.kind == EventKind::DdiReturned) {
          const auto found = inside.find(event.thread);
          if (found != inside.end() && --found->second == 0) inside.erase(found);
        } else {
          packets.clear();
          owed.clear();
        }
      });
}

const Rule kRule{
    .id = "SCHED-008",
    .title = "Preempted work is re-queued, none lost",
    .binds = Binds::Os,
    .rule =
        "Every packet that DMA_PREEMPTED leaves unfinished is submitted again, unless its device "
        "comes into error or is destroyed, and before later packets of its context; what has "
        "completed is not.",
    .sources =
        "mcdm-architecture.md # Scheduler\n"
        "gpu-preemption.md # Memory mapping considerations (resubmission)\n"
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED",
    .note =
        "A packet counts as lost where nothing goes on, although no engine has a packet or owes an "
        "answer.",
    .applies = preempt::preempting_commands,
    .check = check,
    .played_in = {Configured::Default, Configured::NoDmaPatching, Configured::GpuVirtual},
    .scenario = R"(
about: of three packets one has completed, one runs and one waits
ops:
- create_context: {context: 0}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 5}
- render: {context: 0}
- spin: {units: 300}
- render: {context: 0}
- spin: {units: 5}
- advance: {units: 40}
- advance: {units: 40}
- preempt: {node: 0}
- idle
)",
    .control = R"(
about: another context goes on first
ops:
- create_context: {context: 0}
- create_context: {context: 1}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 300}
- advance: {units: 10}
- advance: {units: 40}
- keep_stopped
- preempt: {node: 0}
- advance: {units: 40}
- render: {context: 1}
- spin: {units: 5}
- advance: {units: 40}
- keep_stopped: {on: false}
- idle
)",
    .fault = {.about = "packets that were stopped are forgotten",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::StoppedIsLost}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::sched_008
