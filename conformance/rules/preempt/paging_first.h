// Whether paging that came back is submitted again before anything else of its engine.
#pragma once

#include <d3dkmddi.h>

#include <algorithm>

#include "conformance/rules/preempt/resubmissions.h"

namespace wddm::preempt {

/// Paging of one engine that is to come again, in the order in which it was queued at first: what
/// comes back a second time goes before what still waits from the first.
class ReturnedPaging {
 public:
  /// Where it is not judged another clause speaks for it while it is the first.
  void came_back(std::uint32_t packet, std::uint32_t event, bool judged) {
    const auto later = std::find_if(packets_.begin(), packets_.end(),
                                    [&](const Packet& one) { return one.ordinal > packet; });
    packets_.insert(later, {packet, event, judged});
  }
  void gone(std::uint32_t packet) {
    std::erase_if(packets_, [&](const Packet& one) { return one.ordinal == packet; });
  }
  void submitted(std::uint32_t index, const ev::Submitted& packet, Judgement& judgement) {
    if (packets_.empty()) return;
    const Packet first = packets_.front();
    gone(packet.packet);
    if (!first.judged) return;
    judgement.reached(index);
    if (packet.packet == first.ordinal) return;
    judgement.fail(index,
                   "paging that came back, packet " + std::to_string(first.ordinal) + ", first",
                   "packet " + std::to_string(packet.packet), {first.event});
  }

 private:
  struct Packet {
    std::uint32_t ordinal = kNone;
    std::uint32_t event = kNone;  // PacketEnded
    bool judged = false;
  };
  ScratchVector<Packet> packets_;
};

/// Reached by whatever is submitted while paging is to come again that came back `from` there.
inline void judge_paging_first(const Trace& trace, CameBack from, Judgement& judgement) {
  struct Engine {
    ReturnedPaging paging;
    CameBack last = CameBack::No;  // what packets come back from now
  };
  ScratchMap<EngineId, Engine> engines;
  using StopReturned = ev::MappingBalance;
  in_order_of_calls<ev::Notified, ev::PacketEnded, ev::EngineReset, ev::AdapterReset, StopReturned>(
      trace, [&](std::uint32_t index) {
        const Event& event = trace.events()[index];
        if (event.kind == EventKind::Submitted) {
          const auto packet = trace.at<ev::Submitted>(index);
          engines[engine_of(packet)].paging.submitted(index, packet, judgement);
        } else if (event.kind == EventKind::Notified) {
          const auto report = Trace::as<ev::Notified>(event);
          if (report.type != DXGK_INTERRUPT_DMA_PREEMPTED) return;
          engines[engine_of(report)].last = CameBack::Preempted;
        } else if (event.kind == EventKind::PacketEnded) {
          const auto ended = Trace::as<ev::PacketEnded>(event);
          if (ended.paging == 0) return;
          Engine& engine = engines[engine_of(ended)];
          if (ended.fate != static_cast<std::uint32_t>(PacketFate::Preempted)) {
            engine.paging.gone(ended.packet);
          } else {
            engine.paging.came_back(ended.packet, index, engine.last == from);
          }
        } else if (event.kind == EventKind::EngineReset) {
          engines[engine_of(Trace::as<ev::EngineReset>(event))] = {.paging = {},
                                                                   .last = CameBack::Reset};
        } else {
          engines.clear();
        }
      });
}

}  // namespace wddm::preempt
