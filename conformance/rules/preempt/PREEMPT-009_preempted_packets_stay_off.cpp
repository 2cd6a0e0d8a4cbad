// PREEMPT-009: preempted packets stay off the hardware.

#include <algorithm>
#include <utility>

#include "conformance/host/interposer.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt_009 {
namespace {

// The fences of an engine's packets, oldest first.
struct Engine {
  ScratchVector<std::uint32_t> packets;
  // Those of which only the fence is left, which hardware may have to carry still.
  ScratchSet<std::uint32_t> refused;
  // It has answered a preemption, which took all of them, and was given none since.
  std::uint32_t quiet = kNone;

  [[nodiscard]] bool has_packets() const {
    return std::any_of(packets.begin(), packets.end(),
                       [this](std::uint32_t fence) { return !refused.contains(fence); });
  }
  void take(const ev::Submitted& packet) {
    packets.push_back(packet.fence);
    refused.erase(packet.fence);
    if (packet.status != 0) refused.insert(packet.fence);
  }
  void forget_through(std::uint32_t fence) {
    const auto found = std::find(packets.begin(), packets.end(), fence);
    if (found != packets.end()) packets.erase(packets.begin(), found + 1);
  }
};

// By the device's log. A driver may give an engine work of its own: when power comes back, after a
// reset, or to preempt it once more.
void check_engines(const Trace& trace, Judgement& judgement) {
  ScratchMap<EngineId, Engine> engines;
  bool tells = false;  // the log, of fetches: a device may leave them out
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::DeviceLogged, ev::EngineReset, ev::AdapterReset,
                    StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      Engine& engine = engines[engine_of(report)];
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED ||
          report.type == DXGK_INTERRUPT_DMA_PAGE_FAULTED) {
        engine.forget_through(report.fence);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        engine.forget_through(report.last_completed);
        engine.quiet = index;
        if (tells && engine.has_packets()) judgement.reached(index);
      }
    } else if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      Engine& engine = engines[engine_of(packet)];
      if (std::exchange(engine.quiet, kNone) != kNone) engine.packets.clear();
      engine.take(packet);
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind != WDDM_DEVICE_PACKET_BEGIN && record.kind != WDDM_DEVICE_FETCH) return;
      tells = true;
      const Engine& engine = engines[engine_of(record)];
      if (engine.quiet == kNone) return;
      const auto found = std::find(engine.packets.begin(), engine.packets.end(), record.tag);
      if (found == engine.packets.end() || engine.refused.contains(record.tag)) return;
      judgement.fail(index, "no fetch of a preempted packet until the engine is given the next",
                     "the engine fetches for SubmissionFenceId " + std::to_string(record.tag),
                     {engine.quiet});
    } else if (event.kind == EventKind::EngineReset) {
      engines.erase(engine_of(Trace::as<ev::EngineReset>(event)));  // ENGRST-001
    } else {
      engines.clear();  // TDR-001
    }
  });
}

// By what is written into memory.
void check_markers(const Trace& trace, Judgement& judgement) {
  // A packet may be stopped behind its marker and before its end. Where its marker could not be
  // read at the report, since it was being paged in, there is nothing to hold a later reading
  // against.
  ScratchMap<std::uint32_t, std::uint32_t> runs_when_stopped;
  for (const std::uint32_t index : trace.of<ev::MarkerRead>()) {
    const auto marker = trace.at<ev::MarkerRead>(index);
    if (marker.reason == static_cast<std::uint32_t>(MarkerReason::AtPreempted)) {
      runs_when_stopped[marker.packet] = marker.runs;
    }
    if (marker.reason != static_cast<std::uint32_t>(MarkerReason::AfterPreempted)) continue;
    const auto stopped = runs_when_stopped.extract(marker.packet);
    if (stopped.empty()) continue;
    judgement.reached(index);
    if (marker.runs <= stopped.mapped()) continue;
    judgement.fail(index, "a preempted packet does not run until it is submitted again",
                   "what the last command of packet " + std::to_string(marker.packet) +
                       " writes has come into memory");
  }
}

void check(const Trace& trace, const Platform&, Judgement& judgement) {
  check_engines(trace, judgement);
  check_markers(trace, judgement);
}

const Rule kRule{
    .id = "PREEMPT-009",
    .title = "Preempted packets stay off the hardware",
    .evidence = Evidence::Memory,
    .rule =
        "Once DMA_PREEMPTED is reported, no packet submitted before the request and behind "
        "LastCompletedFenceId fetches another byte or writes memory until it is submitted "
        "again; the engine's hardware queue is empty of it.",
    .sources =
        "ne-d3dkmddi-_dxgk_interrupt_type.md # DXGK_INTERRUPT_DMA_PREEMPTED\n"
        "mcdm-architecture.md # Preemption",
    .unreached = "no packet was taken off its engine by a preemption",
    .applies = running_commands,
    .check = check,
    .played_in = kBothAddressings,
    .scenario = R"(
about: the GPU goes on for a while after the report, before anything is submitted again
ops:
- create_context: {context: 0}
- queue_depth: {packets: 3}
- render: {context: 0}
- idle
- render: {context: 0}
- spin: {units: 200}
- render: {context: 0}
- spin: {units: 1}
- advance: {units: 5}
- hold_dpcs
- preempt: {node: 0}
- advance: {units: 500}
- hold_dpcs: {on: false}
- idle
)",
    .control = R"(
about: the packets are submitted again at once
ops:
- create_context: {context: 0}
- queue_depth: {packets: 3}
- render: {context: 0}
- spin: {units: 200}
- render: {context: 0}
- spin: {units: 1}
- advance: {units: 5}
- preempt: {node: 0}
- idle
)",
    .fault = {.about = "packets behind the stopped one stay in the ring and start by themselves",
              .seat = FaultSeat::Variant,
              .variant = 6,
              .also_fires = "FENCE-002 FENCE-003 PREEMPT-015 SUBMIT-015"}};

WDDM_RULE(kRule);

}  // namespace
}  // namespace wddm::preempt_009
