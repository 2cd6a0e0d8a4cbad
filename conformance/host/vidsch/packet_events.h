// What the trace is told of packets and of reports about them.
#pragma once

#include "conformance/host/vidsch/queued_packet.h"
#include "reference/trace/event.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::host {

/// How the scheduler judged a notification of this type.
void note_judged(EngineId engine, FenceId fence, vidsch::ReportOutcome outcome, std::uint32_t type);
/// A notification of an engine that nobody listens to any more.
void note_ignored(const ev::Notified& seen);
/// A packet has left the scheduler, with this fence.
void note_ended(const Packet& packet, FenceId fence, PacketFate fate);

}  // namespace wddm::host
