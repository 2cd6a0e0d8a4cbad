// SCHED-009: no more packets are on the hardware than the driver can hold.

#include <d3dkmddi.h>

#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "reference/is_any_of.h"
#include "reference/trace/ddi.h"

namespace wddm::sched_009 {
namespace {

// What DxgkDdiStartDevice is told the driver must be able to hold; 0: nothing was said.
std::uint32_t announced(const Trace& trace, const Event& event) {
  const auto call = trace.blob<ddi_arguments::StartDevice>(event);
  return call.empty() ? 0 : call.front().required_dma_queue_entry;
}

EngineId engine_called(const Trace& trace, const Event& event, DdiId ddi) {
  if (ddi == DdiId::SubmitCommand) {
    const auto call = trace.blob<ddi_arguments::SubmitCommand>(event);
    return call.empty() ? EngineId{} : engine_of(call.front());
  }
  const auto call = trace.blob<ddi_arguments::SubmitCommandVirtual>(event);
  return call.empty() ? EngineId{} : engine_of(call.front());
}

// What a driver may refuse it does not hold, whenever the OS takes it for ended (SUBMIT-008).
bool is_refused(const ev::Submitted& packet) {
  return packet.paging == 0 && static_cast<NTSTATUS>(packet.status) == STATUS_INVALID_PARAMETER;
}

// A packet counts from its call to where the OS takes it for ended.
void check(const Trace& trace, const Platform& platform, Judgement& judgement) {
  const std::uint32_t cap = platform.wddm2() ? platform.scheduling.hardware_queue_cap() : 0;
  std::uint32_t entries = 0;
  ScratchMap<std::uint32_t, EngineId> held;  // by packet
  for (const std::uint32_t index : trace.of_any<ev::DdiEntered, ev::Submitted, ev::PacketEnded>()) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::PacketEnded) {
      held.erase(Trace::as<ev::PacketEnded>(event).packet);
      continue;
    }
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      if (is_refused(packet)) held.erase(packet.packet);
      continue;
    }
    const auto entered = Trace::as<ev::DdiEntered>(event);
    const auto ddi = static_cast<DdiId>(entered.ddi);
    if (ddi == DdiId::StartDevice) {
      entries = announced(trace, event);
      held.clear();
    }
    if (!is_any_of(ddi, DdiId::SubmitCommand, DdiId::SubmitCommandVirtual)) continue;
    const EngineId engine = engine_called(trace, event, ddi);
    held[entered.object] = engine;
    std::uint32_t there = 0;
    for (const auto& [packet, where] : held) there += where == engine;
    judgement.reached(index);
    if (entries != 0 && held.size() > entries) {
      judgement.fail(
          index, "at most RequiredDmaQueueEntry packets on the adapter, " + std::to_string(entries),
          std::to_string(held.size()));
    } else if (cap != 0 && there > cap) {
      judgement.fail(index, "at most HwQueuePacketCap packets on an engine, " + std::to_string(cap),
                     std::to_string(there));
    }
  }
}

const Rule kRule{
    .id = "SCHED-009",
    .aliases = "MCDM-028",
    .title = "Hardware-queue depth limits are kept",
    .binds = Binds::Os,
    .rule =
        "The packets on an engine are no more than SchedulingCaps.HwQueuePacketCap, if that is not "
        "0, and those on the adapter no more than RequiredDmaQueueEntry, which StartDevice was "
        "told.",
    .sources =
        "ns-d3dkmddi-_dxgk_vidschcaps.md # HwQueuePacketCap\n"
        "ns-dispmprt-_dxgk_start_info.md # RequiredDmaQueueEntry\n"
        "mcdm-architecture.md # HW Queue",
    .note =
        "What 0 means is not said of HwQueuePacketCap; read as no limit. That "
        "RequiredDmaQueueEntry "
        "is a limit follows from what drivers reserve by it. Of devices that only compute a page "
        "says "
        "that two packets are queued at present: no promise, and scenarios fill queues beyond that "
        "on "
        "purpose (MCDM-028), as a driver holds what it was told to (LIFE-005).",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: room for two packets is announced, and six wait
ops:
- announce_queue: {packets: 2}
- start
- create_context: {context: 0}
- queue_depth: {packets: 8}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- idle
)",
    .control = R"(
about: as many as there is room for
ops:
- announce_queue: {packets: 2}
- start
- create_context: {context: 0}
- queue_depth: {packets: 2}
- render: {context: 0}
- spin: {units: 20}
- render: {context: 0}
- spin: {units: 20}
- idle
)",
    .fault = {.about = "no limit is kept but the scenario's",
              .seat = FaultSeat::Oracle,
              .oracle = OracleFault::QueueBeyondCap}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::sched_009
