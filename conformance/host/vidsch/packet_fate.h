// How a packet ended, as traces say it.
#pragma once

#include "conformance/host/vidsch/queued_packet.h"
#include "reference/trace/event.h"
#include "reference/vidsch/decision.h"

namespace wddm::host {

[[nodiscard]] constexpr PacketFate fate_of(vidsch::Ending ending) {
  switch (ending) {
    case vidsch::Ending::Completed:
      return PacketFate::Completed;
    case vidsch::Ending::Rejected:
      return PacketFate::Rejected;
    case vidsch::Ending::Aborted:
    case vidsch::Ending::Cancelled:
      return PacketFate::Lost;
    case vidsch::Ending::Faulted:
      return PacketFate::Faulted;
  }
  return PacketFate::Lost;
}

/// Whether nobody knows how much of it has run.
[[nodiscard]] constexpr bool is_broken_off(vidsch::Ending ending) {
  return fate_of(ending) == PacketFate::Lost || ending == vidsch::Ending::Faulted;
}

/// Whether a packet of the buffer that ended so is to have done its last command. One that its
/// client was in a hurry with may fault or not.
[[nodiscard]] inline bool runs_to_its_end(const RenderBuffer& buffer, vidsch::Ending ending) {
  const bool faulted = buffer.hurried && ending == vidsch::Ending::Faulted;
  return !buffer.must_fault && !faulted && ending != vidsch::Ending::Rejected;
}

}  // namespace wddm::host
