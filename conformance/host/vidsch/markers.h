// Whether a packet has done its last command, told from its word of the marker allocation.
//
// The client's last command of each render adds to a word of its own, or moves a ladder up
// (render/repertoire.h). What that holds before is known where nothing else has used it. Left out: packets without a marker (no client, a hostile
// buffer, passes before the last).
#pragma once

#include <cstdint>

#include "conformance/host/vidmm/prediction/predicted_memory.h"
#include "conformance/host/vidsch/packet_table.h"
#include "reference/vidsch/decision.h"
#include "reference/vidsch/fence_ledger.h"

namespace wddm::host {

/// Whether an element of the portion names the allocation of the markers.
[[nodiscard]] bool names_marker(const RenderBuffer& buffer, const RenderWork& portion);

class Markers {
 public:
  Markers(const PredictedMemory& memory, const PacketTable& packets)
      : memory_(memory), packets_(packets) {}

  /// The packet is about to be submitted, `packet.submissions` counts it: its word must be as
  /// before.
  void submitted(Packet& packet) const;
  /// Records how often it has run, beside how often it must have.
  void read(const Packet& packet, std::uint32_t expected, MarkerReason reason) const;
  /// The packet has ended. Of one that was never submitted, or is to run nothing, there is nothing
  /// to tell.
  void read_at_end(const Packet& packet, vidsch::Ending ending) const;
  /// A report: every packet up to the fence has run; at a preemption, no later one has.
  void read_all(const vidsch::FenceLedger& ledger, EngineId engine, FenceId through,
                bool preempted) const;

 private:
  [[nodiscard]] std::uint32_t count(const Packet& packet) const;

  const PredictedMemory& memory_;
  const PacketTable& packets_;
};

}  // namespace wddm::host
