#include "conformance/host/vidsch/packet_events.h"

#include "conformance/host/boundary/session.h"

namespace wddm::host {

void note_judged(EngineId engine, FenceId fence, vidsch::ReportOutcome outcome,
                 std::uint32_t type) {
  session().tap(ev::ReportJudged{.node = engine.node.value,
                                 .fence = fence.value,
                                 .outcome = static_cast<std::uint32_t>(outcome),
                                 .type = type,
                                 .engine = engine.physical_adapter});
}

void note_ignored(const ev::Notified& seen) {
  session().tap(ev::ReportIgnored{.type = seen.type,
                                  .fence = seen.fence,
                                  .last_completed = seen.last_completed,
                                  .node = seen.node,
                                  .engine = seen.engine,
                                  .place = seen.place});
}

void note_ended(const Packet& packet, FenceId fence, PacketFate fate) {
  session().tap(ev::PacketEnded{.packet = packet.ordinal.value,
                                .node = packet.engine.node.value,
                                .fence = fence.value,
                                .fate = static_cast<std::uint32_t>(fate),
                                .paging = packet.is_paging(),
                                .engine = packet.engine.physical_adapter});
}

}  // namespace wddm::host
