// Packets that an engine begins after it was asked to be preempted, by the device's log.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>
#include <string>

#include "conformance/rules/preempt/nodes_that_draw.h"
#include "conformance/rules/rule.h"
#include "conformance/rules/scratch.h"
#include "conformance/rules/submit/in_order_of_calls.h"
#include "conformance/sdk/device.h"

namespace wddm::preempt {

/// One packet may begin while the request is on its way to the hardware.
inline constexpr std::uint32_t kOnItsWay = 1;

/// Reached by answers to requests that found more waiting than that; fails where more begin.
/// That reports are in order is FENCE-002.
/// Engines of a device that only computes are all held to it (mcdm-architecture.md # Preemption).
inline void judge_begun_after_request(const Trace& trace, const Platform& platform,
                                      Judgement& judgement) {
  struct Engine {
    ScratchVector<std::uint32_t> waiting;  // fences that the device has not begun, oldest first
    std::uint32_t asked = kNone;           // PreemptAsked that is not answered
    std::uint32_t begun = 0;               // packets since
    bool several = false;                  // more wait than may begin
    ScratchSet<std::uint32_t> answered;    // requests
  };
  const NodesThatDraw nodes(trace, platform);
  bool logs_begins = false;  // a device may leave them out
  ScratchMap<EngineId, Engine> engines;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::PreemptAsked, ev::Notified, ev::DeviceLogged, ev::EngineReset,
                    ev::AdapterReset, StopReturned>(trace, [&](std::uint32_t index) {
    const Event& event = trace.events()[index];
    if (event.kind == EventKind::Submitted) {
      const auto packet = trace.at<ev::Submitted>(index);
      if (packet.status == 0) engines[engine_of(packet)].waiting.push_back(packet.fence);
    } else if (event.kind == EventKind::PreemptAsked) {
      const auto asked = Trace::as<ev::PreemptAsked>(event);
      Engine& engine = engines[engine_of(asked)];
      if (engine.answered.contains(asked.fence)) return;  // before the call returned
      if (!platform.compute_only && !nodes.have(engine_of(asked))) return;
      engine.asked = index;
      engine.begun = 0;
      engine.several = engine.waiting.size() > kOnItsWay;
    } else if (event.kind == EventKind::Notified) {
      const auto report = Trace::as<ev::Notified>(event);
      Engine& engine = engines[engine_of(report)];
      if (report.type == DXGK_INTERRUPT_DMA_COMPLETED) {
        // All before it have completed too.
        auto& waiting = engine.waiting;
        const auto found = std::find(waiting.begin(), waiting.end(), report.fence);
        if (found != waiting.end()) waiting.erase(waiting.begin(), found + 1);
      } else if (report.type == DXGK_INTERRUPT_DMA_PREEMPTED) {
        if (logs_begins && engine.asked != kNone && engine.several) judgement.reached(index);
        engine.answered.insert(report.fence);
        engine.waiting.clear();
        engine.asked = kNone;
      }
    } else if (event.kind == EventKind::DeviceLogged) {
      const auto record = Trace::as<ev::DeviceLogged>(event);
      if (record.kind != WDDM_DEVICE_PACKET_BEGIN) return;
      logs_begins = true;
      Engine& engine = engines[engine_of(record)];
      if (std::erase(engine.waiting, record.tag) == 0 || engine.asked == kNone) return;
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

}  // namespace wddm::preempt
